"""The static site: Sphinx reads the same Markdown files that are read in the repository. `make site` builds it.

The source folder is the repository. Only this file knows of Sphinx: the pages are plain Markdown, so the navigation is
made from the lists of links in docs/index.md, and links to files outside of the site lead to the repository.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils.nodes import raw
from docutils.nodes import section as section_node
from docutils.transforms import Transform

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FILES = f"{PROJECT['urls']['Repository']}/blob/main/"

project = html_title = "Everystate"
release = version = PROJECT["version"]
author = "the authors of Everystate"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = [".venv", "out", "build"]
myst_heading_anchors = 4
html_theme = "furo"
html_static_path, templates_path = ["static"], ["templates"]
html_css_files = ["site.css"]
html_show_sphinx = html_copy_source = html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "default", "monokai"

LINK = re.compile(r"(?<!\!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
ENTRY = re.compile(r"\]\(([^)#\s]+)\.md\)")
OPEN_PAGE = "docs/pictures/frontier.html"


def prepare(app: Any, name: str, source: list[str]) -> None:
    """Lead links to what is not on the site to the repository, and add the navigation."""
    folder = os.path.dirname(name)

    def led(link: re.Match[str]) -> str:
        text, target, fragment = link.groups()
        path = os.path.normpath(os.path.join(folder, target))
        if "://" in target or not (ROOT / path).exists():
            return link[0]
        if path == OPEN_PAGE:
            return f'<a href="{target}">{text}</a>'
        known = path.removesuffix(".md") in app.env.found_docs if path.endswith(".md") else (ROOT / path).is_file()
        if known:
            return link[0]
        return text if "/OWNER/" in FILES else f"[{text}]({FILES}{path}{fragment or ''})"

    text = "".join(
        part if part.startswith("```") else LINK.sub(led, part)
        for part in re.split(r"(^```.*?^```$)", source[0], flags=re.MULTILINE | re.DOTALL)
    )
    source[0] = text + "".join(navigation(app, name, source[0]))


def navigation(app: Any, name: str, text: str) -> list[str]:
    """Hidden tables of contents: of docs/index.md one for each section, of another page what its own folder has."""
    if name != root_doc:
        below = sorted(page for page in app.env.found_docs if page.startswith(f"{name}/"))
        return [contents("", [f"/{page}" for page in below])] if below else []
    found = []
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        found.append(contents(title.partition(":")[0], ENTRY.findall(body)))
    return found


def contents(caption: str, entries: list[str]) -> str:
    """One table of contents."""
    head = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return "\n\n```{toctree}\n" + head + "\n" + "\n".join(entries) + "\n```\n"


class Anchors(Transform):
    """Makes `<a id="...">` a target of links, as it is in the repository."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        for node in self.document.findall(raw):
            for anchor in re.findall(r'<a id="([^"]+)">', node.astext()):
                self.document.myst_slugs[anchor] = (node.line or 0, anchor, anchor)


def sections_of(app: Any) -> Iterator[dict[str, str]]:
    """Every section of every page, with its own text, for the search."""
    for name in sorted(app.env.found_docs):
        title = app.env.titles[name].astext()
        for found in app.env.get_doctree(name).findall(section_node):
            own = [child.astext() for child in found.children if not isinstance(child, section_node)]
            text = " ".join(" ".join(own[1:]).split())
            yield {"page": title, "title": own[0], "text": text, "link": f"{name}.html#{found['ids'][0]}"}


def finish(app: Any, exception: Exception | None) -> None:
    """Add the interactive page, and an entry page at the top."""
    if exception is None:
        out = Path(app.outdir)
        (out / OPEN_PAGE).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / OPEN_PAGE, out / OPEN_PAGE)
        sections = f"const SECTIONS = {json.dumps(list(sections_of(app)), ensure_ascii=False)};\n"
        (out / "_static" / "sections.js").write_text(sections, "utf-8")
        (out / "index.html").write_text(
            '<!doctype html><meta charset="utf-8"><title>Everystate</title>'
            '<meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">Everystate</a>\n',
            "utf-8",
        )


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", prepare)
    app.connect("build-finished", finish)
    app.add_transform(Anchors)
