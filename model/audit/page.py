"""The report as one page of HTML: no script, no outside file, light and dark, readable on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from .finding_kinds import KINDS, Level
from .picture import picture
from .report import Found, Report
from .table import SPECIAL, verdict
from .wording import many, place, sequences, story, where

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1f2430; --faint: #59636e; --line: #d5dae3; --soft: #f4f6fa;
  --accent: #35507f; --own: #e3ebf9; --wrong: #b3261e; --wrong-soft: #fdebea; --good: #2c6e2f; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --page: #14171d; --ink: #e4e8ef; --faint: #9aa5b5; --line: #363d49;
  --soft: #1d222b; --accent: #8fb0ea; --own: #25304a; --wrong: #ff8a80; --wrong-soft: #3d1f1e; --good: #86cf8a;
  --warn: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 0 16px 48px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.3rem; margin: 20px 0 4px; }
h2 { font-size: 1.1rem; margin: 32px 0 4px; border-top: 1px solid var(--line); padding-top: 16px; }
h3 { font-size: .95rem; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 4px 0 8px; max-width: 78ch; overflow-wrap: anywhere; }
.faint { color: var(--faint); font-size: .88rem; }
.verdict { border-left: 5px solid var(--good); background: var(--soft); padding: 8px 14px; margin: 12px 0;
  max-width: none; }
.BROKEN { border-color: var(--wrong); background: var(--wrong-soft); } .UNDECIDED { border-color: var(--warn); }
.level { font-size: .8rem; font-weight: 600; padding: 1px 8px; border-radius: 10px; border: 1px solid currentColor;
  white-space: nowrap; }
.broken { color: var(--wrong); } .damaged, .suspicious { color: var(--warn); } .legal { color: var(--good); }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 10px 5px 0; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
a { color: var(--accent); }
code { font: .88em ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; margin: 12px 0; }
figure { margin: 8px 0 4px; padding-bottom: 8px; overflow-x: auto; }
svg { display: block; height: auto; min-width: 0; }
figure:focus-visible, a:focus-visible { outline: 2.5px solid var(--accent); outline-offset: 2px; }
svg text { fill: var(--ink); text-anchor: middle; font-size: 11px; }
svg .sequence { font-size: 14px; font-weight: 600; } svg .offset { text-anchor: start; fill: var(--faint); }
svg .small { fill: var(--faint); } svg rect { fill: var(--soft); stroke: var(--line); }
svg .own rect { fill: var(--own); stroke: var(--accent); } svg .other rect { fill: var(--own); stroke: var(--accent);
  stroke-width: 2.5; } svg .finding rect { fill: var(--wrong-soft); stroke: var(--wrong); stroke-width: 2.5; }
svg .missing rect { fill: none; stroke: var(--wrong); stroke-dasharray: 5 4; } svg .missing text { fill: var(--wrong); }
svg .axis { stroke: var(--faint); fill: none; } svg .page { fill: var(--page); }
svg .arrow { stroke: var(--wrong); fill: none; stroke-width: 1.5; stroke-dasharray: 4 3; }
svg .tip { fill: var(--wrong); }
@media (max-width: 600px) { body { padding: 0 10px 32px; font-size: 14px; } article { padding: 8px 10px; }
  th:nth-child(3), td:nth-child(3) { display: none; } }
@media print { article { break-inside: avoid; } figure { overflow: visible; } svg { max-width: 100%; } }
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def page(report: Report) -> str:
    """The page: what was read, the verdict, the kinds, and the findings with their pictures."""
    title = "Log audit: " + ", ".join(report.paths)
    body = "\n".join([f"<h1>{escape(title)}</h1>", *_read(report), *_kinds(report), *_findings(report)])
    return PAGE.format(title=escape(title), style=STYLE, body=body)


def _read(report: Report) -> Iterator[str]:
    counts = report.counts
    parts = [many(report.files, "file"), many(report.logs, "log"), many(report.segments, "segment")]
    parts += [f"{counts['batches']:,} batches", *(f"{counts[n]:,} {told}" for n, told in SPECIAL.items() if counts[n])]
    yield f'<p class="faint">{escape(", ".join(parts))}</p>'
    told = f"<strong>{report.verdict}</strong> {escape(verdict(report))}"
    yield f'<p class="verdict {report.verdict}" role="status">{told}</p>'


def _kinds(report: Report) -> Iterator[str]:
    if not report.kinds:
        return
    yield "<table><thead><tr><th>finding</th><th>number</th><th>level</th><th>what it is</th></tr></thead><tbody>"
    for name, count in report.kinds.items():
        kind = KINDS[name]
        shown = any(found["kind"] == name for found in report.found) and kind.level is not Level.LEGAL
        link = f'<a href="#{name}">{name}</a>' if shown else name
        yield (
            f'<tr><td>{link}</td><td class="number">{count:,}</td><td><span class="level {kind.level}">{kind.level}'
            f"</span></td><td>{escape(kind.title)}</td></tr>"
        )
    yield "</tbody></table>"


def _findings(report: Report) -> Iterator[str]:
    for name, count in report.kinds.items():
        kind = KINDS[name]
        found = [one for one in report.found if one["kind"] == name]
        if kind.level is Level.LEGAL or not found:
            continue
        rules = f" Rules: {', '.join(kind.rules)}." if kind.rules else ""
        yield f'<section><h2 id="{name}">{name}: {escape(kind.title)}</h2>'
        why = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(kind.why))
        yield f"<p>{why}{escape(rules)}</p>"
        yield from map(_article, found)
        if count > len(found):
            yield f'<p class="faint">{count - len(found):,} more are not on this page; --parquet stores all.</p>'
        yield "</section>"


def _article(found: Found) -> str:
    drawn = picture(found)
    figure = f'<figure tabindex="0">{drawn}</figure>' if drawn else ""
    likely = ", ".join(f"<code>everystate check {escape(name)}</code>" for name in found["scenarios"] or ())
    place_in_file = f"{found['path'] or found['file'] or ''}, byte {found['position'] or 0:,}"
    return (
        f"<article><h3>{escape(where(found))}, {escape(place(found))}{escape(_writer(found))}</h3>"
        f"<p>{escape(story(found))}</p>{figure}"
        + (f"<p>Likely: {likely}</p>" if likely else "")
        + f'<p class="faint">{escape(place_in_file)}</p></article>'
    )


def _writer(found: Found) -> str:
    if found["producer_id"] is None:
        return ""
    return f": producer {found['producer_id']}, epoch {found['epoch']}, sequence {sequences(found.values)}"
