"""The audit of real logs: finds duplicates, gaps and reordering in the batches of idempotent producers, on Spark.

Reads the output of kafka-dump-log.sh, and segment files. The public names: `audit` runs one, `Report` is its result,
`text`, `as_json` and `page` show it.
"""

from __future__ import annotations

from .page import page
from .report import FindingLimits, Report
from .run import audit
from .sources import check_paths
from .table import as_json, text

__all__ = ["FindingLimits", "Report", "as_json", "audit", "check_paths", "page", "text"]
