"""everystate audit: find duplicates, gaps and reordering in real logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...checker.cli.options import colour_option
from ...checker.cli.output import note, painter, require_file, say, write_text
from ...checker.cli.spark import opened, require_new
from ...checker.extras import require

PICTURES = 100
STORED = 10_000


@click.command(
    epilog="""\b
Examples:
  everystate audit /var/lib/kafka/data
  everystate audit orders-0.txt.gz --html audit.html
  everystate audit s3a://backup/kafka/broker-1 --master spark://host:7077 --parquet s3a://backup/audit

Reads segments (*.log), and text of kafka-dump-log.sh of every version since 0.11, plain or gzip. In a folder it reads
all files whose names end in .log, .txt or .dump, or in one of these and .gz.
docs/how-to/audit.md explains each finding.

\b
Exit codes: 0 clean, 12 the promise of idempotence is broken, 3 suspicious, or not all of it could be read or checked,
2 usage or nothing to read."""
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--master", metavar="URL", help="A Spark cluster; by default Spark runs here, if the input is above 256 MB."
)
@click.option("--limit", type=click.IntRange(min=0), default=40, show_default=True, help="Findings in the table.")
@click.option("--json", metavar="FILE", help="Write the report as JSON, - for standard output; 10,000 findings.")
@click.option("--parquet", metavar="DIR", help="Write all findings to this new folder, on any file system of Spark.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write one page, with 100 pictures.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(paths: tuple[str, ...], limit: int, **given: Any) -> int:
    """Find duplicates, gaps and reordering in the logs of Kafka brokers.

    PATH is a file or folder on this machine, or a URI of a Hadoop file system.
    """
    require("everystate audit", "pyarrow", "google_crc32c")
    from .. import audit

    audit.check_paths(paths)
    for file in (given["html"], given["json"]):
        if file is not None and str(file) != "-":
            require_file(Path(file))
    stored = STORED if given["json"] else PICTURES if given["html"] else 0
    wanted = audit.FindingLimits(max(limit, stored), PICTURES if given["html"] else 0, given["parquet"])
    units = None if given["master"] or given["parquet"] else audit.small(paths)
    if units is not None:
        report = audit.audit_locally(units, paths, wanted)
    else:
        require("everystate audit", "pyspark")
        with opened(given, "everystate audit") as spark:
            if given["parquet"]:
                require_new(spark, given["parquet"])
            report = audit.audit(spark, paths, wanted, lambda text: None if given["quiet"] else note(f"{text} ..."))
    if given["html"]:
        write_text(given["html"], audit.page(report))
    if given["json"] and given["json"] != "-":
        write_text(Path(given["json"]), audit.as_json(report) + "\n")
    text = audit.as_json(report) if given["json"] == "-" else audit.text(report, limit, painter(given["color"]))
    said = text.split("\n")[-1] if given["quiet"] and given["json"] != "-" else text
    say(said, whole=given["json"] == "-")
    return report.exit_code
