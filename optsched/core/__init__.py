"""Plain data: instances, placements, schedules, results, and the errors of the package."""
