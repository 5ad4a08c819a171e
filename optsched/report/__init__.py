"""What people and programs read: tables, and plain data for JSON."""

from optsched.report.figures import figures_text
from optsched.report.job_table import JOB_COLUMNS, job_columns, write_job_table
from optsched.report.plain import plain
from optsched.report.tables import comparison_table, rows_table

__all__ = [
    "JOB_COLUMNS",
    "comparison_table",
    "figures_text",
    "job_columns",
    "plain",
    "rows_table",
    "write_job_table",
]
