"""Pins the jars of a Kafka release: coordinates and SHA-256 of what its classes need, as the package keeps them.

    python bench/kafka_jars.py VERSION [VERSION ...]        adds releases to model/conformance/jars.toml
    python bench/kafka_jars.py                              makes the file anew for the releases that it holds

Needs Maven. It resolves each release as Maven's own rules say, with the checksums of the repository enforced. A
coordinate that is pinned already must have the hash that it had: a repository that changes a jar is an error.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from everystate.model.conformance.fetch import POM, dependency, plugin
from everystate.model.conformance.versions import FILE, PINNED, WHOLE, Jar, order

CODECS = {"com.github.luben", "org.lz4", "at.yawk.lz4", "org.xerial.snappy"}
"""Compression that no step uses (splits compress with gzip, which Java has): 9 of some 25 MB a release."""
HEAD = """\
# The jars of Maven Central that real Kafka is made of, by release; `whole`: with the log layer, else the client alone.
# Made by: python bench/kafka_jars.py VERSION ...
"""


def closure(version: str, whole: bool) -> dict[Jar, str]:
    """What a release needs at run time, with the hash of each jar."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        root = Jar("org.apache.kafka", "kafka-storage" if whole else "kafka-clients", version)
        found = resolve(folder / "kafka", [root])
        logging = next(jar for jar in found if jar.artifact == "slf4j-api")
        found |= resolve(folder / "logging", [Jar(logging.group, "slf4j-simple", logging.version)])
    return {jar: found[jar] for jar in sorted(found) if jar.group not in CODECS}


def resolve(folder: Path, roots: list[Jar]) -> dict[Jar, str]:
    """The jars that some need, themselves included."""
    folder.mkdir()
    (folder / "pom.xml").write_text(POM.format(dependencies="".join(dependency(jar, alone=False) for jar in roots)))
    layout = ["-Dmdep.useRepositoryLayout=true", "-DincludeScope=runtime", f"-DoutputDirectory={folder / 'jars'}"]
    subprocess.run(
        ["mvn", "-B", "-q", "--strict-checksums", plugin("copy-dependencies"), *layout], cwd=folder, check=True
    )
    found = {}
    for path in folder.glob("jars/**/*.jar"):
        *group, artifact, version, _ = path.relative_to(folder / "jars").parts
        found[Jar(".".join(group), artifact, version)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def text(releases: dict[str, tuple[bool, list[Jar]]], hashes: dict[Jar, str]) -> str:
    """The file: releases, then hashes."""
    parts = [HEAD]
    for version in sorted(releases, key=order):
        whole, jars = releases[version]
        names = "".join(f'    "{jar}",\n' for jar in jars)
        parts.append(f'[kafka."{version}"]\nwhole = {str(whole).lower()}\njars = [\n{names}]\n')
    parts.append("[sha256]\n" + "".join(f'"{jar}" = "{hashes[jar]}"\n' for jar in sorted(hashes)))
    return "\n".join(parts)


def main(added: list[str]) -> None:
    before = {jar: jar_hash for kafka in PINNED.values() for jar, jar_hash in kafka.jars.items()}
    releases, hashes = {}, {}
    for version in {*PINNED, *added}:
        whole = order(version)[:2] >= WHOLE
        found = PINNED[version].jars if added and version not in added else closure(version, whole)
        changed = [str(jar) for jar in found if before.get(jar, found[jar]) != found[jar]]
        if changed:
            sys.exit(f"the repository has another {', '.join(changed)} than was pinned")
        releases[version] = whole, list(found)
        hashes |= found
    FILE.write_text(text(releases, hashes), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
