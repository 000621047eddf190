"""From files to what is assessed: each producer that they have with each topic, on brokers with their settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .reading import Part, Read, merge
from .settings import Files, Problem, Settings, settle
from .values import NEWEST, NEWEST_PATCH, OLDEST, ConfigException, Version, version

NO_PRODUCER = "No file has settings of a producer: the defaults of the Java client are assessed."
MOST = 5
"""Topics with equal settings, at most, that are named."""
WHICH_CLIENT = (
    "the Java client refuses this ({}); librdkafka does not: say which one it is with --client 4.1 or "
    "--client librdkafka"
)


@dataclass(frozen=True)
class Versions:
    """The releases that were asked for; None where the files decide, or the newest release is taken."""

    server: Version | None = None
    client: Version | None = None
    librdkafka: bool = False
    fallback: Version = (*NEWEST, NEWEST_PATCH)


def subjects(found: Sequence[Read], versions: Versions, base: Files) -> Iterator[Files]:
    """What is to be assessed. `base` has the settings of a cluster that was asked, and of options."""
    producers = [part for each in found for part in each.producers]
    topics = _topics(found)
    brokers, differences = merge([part for each in found for part in each.brokers])
    notes = [*differences, *(note for each in found for note in each.notes)]
    notes += [f"line {warning.line}: {warning.text}." for each in found for warning in each.warnings]
    problems = tuple(Problem(each.path, problem.line, problem.text) for each in found for problem in each.problems)
    server, said = _server(found, versions)
    client, more = _client(found, versions)
    notes += [*said, *more]
    versions = replace(versions, client=client)
    if not producers and not problems:
        notes.append(NO_PRODUCER)
    for producer in producers or [Part()]:
        for topic in topics or [Part()]:
            labels = [producer.label if len(producers) > 1 else "", topic.label if len(topics) > 1 else ""]
            yield _files(
                replace(
                    base,
                    topic=topic.texts() | base.topic,
                    broker=brokers.texts() | base.broker,
                    server=server,
                    client=versions.client or server,
                    notes=(*base.notes, *notes, *_form(producer)),
                    problems=problems,
                    label=", ".join(filter(None, labels)),
                ),
                producer,
                versions,
            )


def _topics(found: Sequence[Read]) -> list[Part]:
    """The topics; what several tools or files say of one topic is put together."""
    named: dict[str, Part] = {}
    others = list[Part]()
    for part in (part for each in found for part in each.topics):
        if not part.label:
            others.append(part)
        elif part.label in named:
            named[part.label].given.update(part.given)
        else:
            named[part.label] = replace(part, given=dict(part.given))
    return [*_alike(named.values()), *others]


def _alike(topics: Iterable[Part]) -> list[Part]:
    """Topics with equal settings as one."""
    together: dict[tuple[tuple[str, str], ...], list[Part]] = {}
    for topic in topics:
        together.setdefault(tuple(sorted(topic.texts().items())), []).append(topic)
    found = []
    for each in together.values():
        names = [part.label for part in each]
        more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
        found.append(replace(each[0], label=", ".join(names[:MOST]) + more))
    return found


def _client(found: Sequence[Read], versions: Versions) -> tuple[Version | None, list[str]]:
    """The release of the client: the one that was asked for, or that of a log."""
    for each in found if versions.client is None and not versions.librdkafka else ():
        if each.client_release:
            try:
                return version(each.client_release), [f"The release of the client is that of {each.path}."]
            except ValueError:
                break
    return versions.client, []


def _form(part: Part) -> list[str]:
    """By which form the producer was read, where it is not Kafka's own."""
    known = part.form and part.form not in ("properties", "librdkafka")
    said = f"Read by {part.form}." if part.form.startswith("a prefix") else f"Read as settings of {part.form}."
    return [said] if known and not part.client else []


def _server(found: Sequence[Read], versions: Versions) -> tuple[Version, list[str]]:
    """The release of the brokers: the one that was asked for, that of the files, or the newest."""
    if versions.server is not None:
        return versions.server, []
    for each in found:
        numbers = [int(word) for word in each.release.split(".") if word.isdigit()]
        if len(numbers) > 1 and OLDEST <= (numbers[0], numbers[1]) <= NEWEST:
            release = (numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else NEWEST_PATCH)
            return release, [f"The release of the brokers, {each.release}, is that of {each.path}."]
    return versions.fallback, []


def _files(files: Files, producer: Part, versions: Versions) -> Files:
    """The settings of one producer with its client; a problem where two clients differ in what they allow."""
    library = versions.librdkafka or (producer.client == "librdkafka" and versions.client is None)
    other = producer.client if producer.client not in ("", "librdkafka", "java") and versions.client is None else ""
    files = replace(
        files,
        producer=producer.texts() | files.producer,
        framework=producer.form,
        defaults={} if library or other else dict(producer.defaults),
        librdkafka=library,
        other="" if versions.librdkafka else other,
    )
    bare = producer.form in ("", "properties") or producer.form.startswith("a prefix")
    if versions.client is not None or files.foreign or files.other or files.problems or not bare:
        return files
    try:
        settle(files)
    except ConfigException as error:
        if not _refuses(replace(files, librdkafka=True)):
            line = min((given.line for given in producer.given.values()), default=1)
            return replace(files, librdkafka=True, problems=(Problem("", line, WHICH_CLIENT.format(error)),))
    return files


def _refuses(files: Files) -> bool:
    try:
        settle(files)
    except ConfigException:
        return True
    return False


def settled(files: Files) -> Settings:
    """The settings in force. Where there are problems, a refusal is one more."""
    try:
        return settle(files)
    except ConfigException as error:
        if not files.problems:
            raise
        bare = replace(files, producer={}, topic={}, broker={}, defaults={}, other="")
        return replace(settle(bare), problems=(*files.problems, Problem(files.problems[0].path, 1, str(error))))
