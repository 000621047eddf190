"""Pins the jars of a Kafka release: coordinates and SHA-256 of what its classes need, as the package keeps them.

    python bench/kafka_jars.py VERSION [VERSION ...]        adds releases to model/conformance/jars.toml
    python bench/kafka_jars.py                              makes the file anew for the releases that it holds
    python bench/kafka_jars.py --brokers [VERSION ...]      the same for whole brokers: model/cluster/jars.toml
    python bench/kafka_jars.py --coordinators [VERSION ...] the same for coordinators of transactions:
                                                            model/conformance/transactions/jars.toml

Needs Maven. It resolves each release as Maven's own rules say, with the checksums of the repository enforced. A
coordinate that is pinned already must have the hash that it had: a repository that changes a jar is an error.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from everystate.model.cluster.releases import FILE as BROKERS
from everystate.model.conformance.fetch import POM, dependency, plugin
from everystate.model.conformance.transactions.releases import FILE as COORDINATORS
from everystate.model.conformance.versions import FILE, JAVA_LOGS, Jar, order, read

CODECS = {"com.github.luben", "org.lz4", "at.yawk.lz4", "org.xerial.snappy"}
"""Compression that no step uses (splits compress with gzip, which Java has): 9 of some 25 MB a release."""
NEEDLESS = CODECS | {
    "com.101tec",
    "com.thoughtworks.paranamer",
    "commons-beanutils",
    "commons-cli",
    "commons-collections",
    "commons-digester",
    "commons-io",
    "commons-logging",
    "io.dropwizard.metrics",
    "io.netty",
    "javax.xml.bind",
    "net.sourceforge.argparse4j",
    "org.apache.yetus",
    "org.apache.zookeeper",
    "org.bitbucket.b_c",
    "org.rocksdb",
}
"""What a broker needs and a log of its own does not: servers, tools, and compression."""
NEEDLESS_ARTIFACTS = ("kafka-group-coordinator", "kafka-share", "kafka-tools", "slf4j-log4j12", "scala-reflect")
ABSENT = "kafka-tools-api"
"""What kafka_2.13 wants for its tools, and what Maven Central does not have of every release; no broker uses it."""
HEAD = """\
# The jars of Maven Central that Kafka's producer and logs are made of, by release.
# Made by: python bench/kafka_jars.py VERSION ...
"""
STAND_INS = Jar("net.bytebuddy", "byte-buddy", "1.15.11")
"""What makes a subclass of a class of Kafka, for what is played around a coordinator."""
HEAD_OF_COORDINATORS = """\
# The jars of Maven Central that Kafka's coordinator of transactions is made of, and what makes stand-ins, by release.
# Made by: python bench/kafka_jars.py --coordinators VERSION ...
"""
HEAD_OF_BROKERS = """\
# The jars of Maven Central that a broker of Kafka is made of, by release.
# Made by: python bench/kafka_jars.py --brokers VERSION ...
"""


def closure(version: str) -> dict[Jar, str]:
    """What a release needs at run time, with the hash of each jar."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        root = Jar(
            "org.apache.kafka", "kafka-storage" if order(version)[:2] >= JAVA_LOGS else scala_jar(version), version
        )
        found = resolve(folder / "kafka", [root])
        logging = next(jar for jar in found if jar.artifact == "slf4j-api")
        found |= resolve(folder / "logging", [Jar(logging.group, "slf4j-simple", logging.version)])
    return {jar: found[jar] for jar in sorted(found) if not is_needless(jar)}


def is_needless(jar: Jar) -> bool:
    """Whether no log and no producer needs a jar."""
    return jar.group in NEEDLESS or jar.artifact.startswith(NEEDLESS_ARTIFACTS)


def scala_jar(version: str) -> str:
    """The jar with a log in Scala: of Scala 2.13 from 2.4 on, before of 2.12."""
    return "kafka_2.13" if order(version) >= (2, 4) else "kafka_2.12"


def closure_of_broker(version: str) -> dict[Jar, str]:
    """What a broker and its clients need at run time, compression included."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        found = resolve(folder / "kafka", [Jar("org.apache.kafka", "kafka_2.13", version)])
        logging = next(jar for jar in found if jar.artifact == "slf4j-api")
        found |= resolve(folder / "logging", [Jar(logging.group, "slf4j-simple", logging.version)])
    return {jar: found[jar] for jar in sorted(found)}


def closure_of_coordinator(version: str) -> dict[Jar, str]:
    """What a coordinator needs: all of a broker but the compression, and what makes stand-ins."""
    with tempfile.TemporaryDirectory() as made:
        found = closure_of_broker(version) | resolve(Path(made) / "stand-ins", [STAND_INS])
    return {jar: found[jar] for jar in sorted(found) if jar.group not in CODECS}


def resolve(folder: Path, roots: list[Jar]) -> dict[Jar, str]:
    """The jars that some need, themselves included."""
    folder.mkdir()
    wanted = "".join(dependency(jar, alone=False) for jar in roots)
    absent = f"<exclusion><groupId>org.apache.kafka</groupId><artifactId>{ABSENT}</artifactId></exclusion>"
    wanted = wanted.replace("</dependency>", f"<exclusions>{absent}</exclusions></dependency>")
    (folder / "pom.xml").write_text(POM.format(dependencies=wanted))
    layout = ["-Dmdep.useRepositoryLayout=true", "-DincludeScope=runtime", f"-DoutputDirectory={folder / 'jars'}"]
    subprocess.run(
        ["mvn", "-B", "-q", "--strict-checksums", plugin("copy-dependencies"), *layout], cwd=folder, check=True
    )
    found = {}
    for path in folder.glob("jars/**/*.jar"):
        *group, artifact, version, _ = path.relative_to(folder / "jars").parts
        found[Jar(".".join(group), artifact, version)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def text(head: str, releases: dict[str, list[Jar]], hashes: dict[Jar, str]) -> str:
    """The file: releases, then hashes."""
    parts = [head]
    for version in sorted(releases, key=order):
        names = "".join(f'    "{jar}",\n' for jar in releases[version])
        parts.append(f'[kafka."{version}"]\njars = [\n{names}]\n')
    parts.append("[sha256]\n" + "".join(f'"{jar}" = "{hashes[jar]}"\n' for jar in sorted(hashes)))
    return "\n".join(parts)


KINDS = {
    "": (FILE, HEAD, closure),
    "--brokers": (BROKERS, HEAD_OF_BROKERS, closure_of_broker),
    "--coordinators": (COORDINATORS, HEAD_OF_COORDINATORS, closure_of_coordinator),
}


def main(arguments: list[str]) -> None:
    kind = next((each for each in arguments if each in KINDS), "")
    added = [version for version in arguments if version != kind]
    file, head, closure_of = KINDS[kind]
    pinned = read(file)
    before = {jar: jar_hash for kafka in pinned.values() for jar, jar_hash in kafka.jars.items()}
    releases, hashes = {}, {}
    for version in {*pinned, *added}:
        kept = added and version not in added
        found = pinned[version].jars if kept else closure_of(version)
        changed = [str(jar) for jar in found if before.get(jar, found[jar]) != found[jar]]
        if changed:
            sys.exit(f"the repository has another {', '.join(changed)} than was pinned")
        releases[version] = list(found)
        hashes |= found
    file.write_text(text(head, releases, hashes), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
