"""What real logs tell: duplicates, gaps and reordering in the batches of idempotent producers, found on Spark.

Reads what kafka-dump-log.sh prints and segment files as they are. The public names: `audit` runs one, `Report` is its
result, `text`, `as_json` and `page` show it.
"""

from __future__ import annotations

from .page import page
from .report import FindingLimits, Report
from .run import audit
from .sources import check_paths
from .table import as_json, text

__all__ = ["FindingLimits", "Report", "as_json", "audit", "check_paths", "page", "text"]
