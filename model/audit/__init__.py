"""The audit of real logs: finds duplicates, gaps and reordering in the batches of idempotent producers.

Small inputs are read in this process (`local`), large ones and those of other file systems on Spark (`run`).

Reads the output of kafka-dump-log.sh, and segment files. The public names: `audit` runs one, `Report` is its result,
`text`, `as_json` and `page` show it.
"""

from __future__ import annotations

from .local import audit_locally, small
from .page import page
from .report import FindingLimits, Report
from .run import audit
from .sources import check_paths
from .table import as_json, text

__all__ = ["FindingLimits", "Report", "as_json", "audit", "audit_locally", "check_paths", "page", "small", "text"]
