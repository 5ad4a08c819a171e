"""What people and programs read: tables, and plain data for JSON."""

from optsched.report.figures import figures_text
from optsched.report.plain import plain
from optsched.report.tables import comparison_table, rows_table

__all__ = ["comparison_table", "figures_text", "plain", "rows_table"]
