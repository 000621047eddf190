"""A report as one page of HTML: the account of each release, and every difference as a story with two columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from .report import Found, Report
from .story import SAME, Chapter, chapters, summary, title

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1f2430; --faint: #59636e; --line: #d5dae3; --soft: #f4f6fa;
  --wrong: #b3261e; --wrong-soft: #fdebea; --good: #2c6e2f; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --page: #14171d; --ink: #e4e8ef; --faint: #9aa5b5; --line: #363d49;
  --soft: #1d222b; --wrong: #ff8a80; --wrong-soft: #3d1f1e; --good: #86cf8a; --warn: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 0 16px 48px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.3rem; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; margin: 32px 0 4px; border-top: 1px solid var(--line);
  padding-top: 16px; }
p { margin: 4px 0 8px; overflow-wrap: anywhere; }
.verdict { border-left: 5px solid var(--good); background: var(--soft); padding: 8px 14px; }
.DIFFERENT { border-color: var(--wrong); background: var(--wrong-soft); } .NOT { border-color: var(--warn); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; table-layout: fixed; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 10px 5px 0; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
th:first-child { width: 22%; } tr.step th { background: var(--soft); padding: 7px 10px; }
tr.step em { display: block; color: var(--faint); font-weight: 400; }
tr.differs td { background: var(--wrong-soft); } tr.differs th { color: var(--wrong); }
td { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .85em; }
.same { color: var(--faint); }
@media (max-width: 640px) { tr { display: grid; grid-template-columns: 1fr 1fr; column-gap: 10px; }
  tr th:first-child { grid-column: 1 / -1; width: auto; border-bottom: 0; padding-bottom: 0; }
  tr.step th:first-child { padding-bottom: 7px; } thead th:first-child { display: none; } }
"""


def page(reports: Sequence[Report]) -> str:
    """The page."""
    name = "The model against Kafka " + ", ".join(report.version for report in reports)
    body = "\n".join([f"<h1>{escape(name)}</h1>", *(line for report in reports for line in _report(report))])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(name)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _report(report: Report) -> Iterator[str]:
    *account, verdict = summary(report)
    yield f'<p class="verdict {report.verdict}">{escape(verdict)}</p>'
    yield from (f"<p>{escape(line)}</p>" for line in account)
    for found in report.found:
        yield f"<h2>{escape(title(found))}</h2>"
        if found.known:
            yield f"<p>Known, and not modelled: {escape(found.known)}</p>"
        yield from _story(found, report.version)


def _story(found: Found, version: str) -> Iterator[str]:
    yield f"<table>\n<thead><tr><th></th><th>Model</th><th>Kafka {escape(version)}</th></tr></thead>\n<tbody>"
    for chapter in chapters(found):
        yield from _chapter(chapter)
    yield "</tbody>\n</table>"


def _chapter(chapter: Chapter) -> Iterator[str]:
    said = "".join(f"<em>{escape(line)}</em>" for line in chapter.said)
    yield f'<tr class="step"><th colspan="3">{chapter.number}. {escape(chapter.label)}{said}</th></tr>'
    for row in chapter.rows:
        same = not row.differs and row.kafka != "-"
        kafka = f'<td class="same">{SAME}</td>' if same else f"<td>{escape(row.kafka)}</td>"
        kind = ' class="differs"' if row.differs else ""
        yield f"<tr{kind}><th>{escape(row.name)}</th><td>{escape(row.model)}</td>{kafka}</tr>"
    if chapter.error:
        yield f'<tr class="differs"><th>Kafka cannot do that</th><td></td><td>{escape(chapter.error)}</td></tr>'
