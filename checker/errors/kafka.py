"""Kafka's own classes, and real brokers (E7)."""

from __future__ import annotations

from .entry import NOT_INSTALLED, Entry

ENTRIES: dict[str, Entry] = {
    "E701": Entry(
        "no Kafka {version} is pinned{suggestion}",
        "the jars of a release are taken by version and SHA-256; these are known: {known}",
        "name one of them, or hold jars of your own against the model: --jars DIR",
        2,
    ),
    "E702": Entry(
        "there is no tool to fetch the jars of Kafka with",
        "they come from Maven Central by Maven, or where it is not installed by Ivy, which PySpark brings",
        "install Maven, or {command}, or name a folder with the jars: --jars DIR",
        NOT_INSTALLED,
    ),
    "E703": Entry(
        "{tool} could not fetch the jars of Kafka: {reason}",
        "they are fetched once, with the settings of {tool}; this is the first thing that it complained of",
        "fix that and try again, or name a folder with the jars: --jars DIR",
        255,
    ),
    "E704": Entry(
        "{path} is not the {jar} that is pinned: its SHA-256 is {found}",
        "what is compared with the model must be the classes that were released; pinned is {pinned}",
        "{mend}",
        255,
    ),
    "E705": Entry(
        "{folder} lacks {names} of Kafka {version}",
        "with --jars or EVERYSTATE_KAFKA_JARS nothing is fetched; jars are looked for by name, below the folder too",
        "put them there, or leave out --jars to have them fetched",
        2,
    ),
    "E706": Entry(
        "the jars of Kafka cannot be kept in {folder}: {reason}",
        "they are fetched once and kept in the user's cache folder, some {size} a release",
        "make room, set EVERYSTATE_CACHE to another place, or name a folder with the jars: --jars DIR",
        255,
    ),
    "E707": Entry(
        "{folder} holds {found}",
        "a folder of jars that are not pinned is one build of Kafka: its class path is all of the folder",
        "name a folder with one kafka-clients-VERSION.jar, such as the libs folder of a release",
        2,
    ),
    "E709": Entry(
        "the Java of Kafka {version} ended {how}",
        "its last words were:\n{log}",
        "fix what they report; another Java can be had by JAVA_HOME",
        255,
    ),
    "E710": Entry(
        "Kafka {version} has no {wanted}",
        "its classes are called by the signatures of the releases that are pinned; declared there: {there}",
        "choose another version, or report it: the release is newer than this table",
        255,
    ),
    "E711": Entry(
        "there is no room for the logs of Kafka in {folder}: {reason}",
        "they are written at every step, a few kilobytes for each trace, and are gone when it has ended",
        "make room there; where there is no /dev/shm, TMPDIR names another folder",
        255,
    ),
    "E712": Entry(
        "the driver of Kafka failed in step {step}: {error}",
        "that is a mistake of Everystate, so nothing is said of Kafka or of the model",
        "report it, with the command",
        255,
    ),
    "E721": Entry(
        "the graph of {target} has more than {most} states",
        "a cover takes every step of it",
        "{remedy}",
        2,
    ),
    "E731": Entry(
        "node {node} of the cluster did not start; it ended {how}",
        "it complained of:\n{log}",
        "fix what it reports; all that had been started is ended, and its files are deleted",
        255,
    ),
    "E732": Entry(
        "node {node} of the cluster ended by itself, {how}",
        "nothing had stopped it; its last output was:\n{log}",
        "fix what it reports; the rest of the cluster is ended, and its files are deleted",
        255,
    ),
    "E733": Entry(
        "the folder of node {node} of the cluster could not be formatted",
        "Kafka's own StorageTool said:\n{log}",
        "fix what it reports; all files of the cluster are deleted",
        255,
    ),
    "E734": Entry(
        "{folder} has {free} MB left for the cluster",
        "its servers keep logs, indexes and snapshots there, and die where the disk is full; {room} MB are enough",
        "make room, or name another place: TMPDIR",
        255,
    ),
    "E736": Entry(
        "there are not {count} free ports between {first} and {last}",
        "each server of the cluster listens at three",
        "end what listens there",
        255,
    ),
    "E735": Entry(
        "{target} has {what} to replay",
        "a replay takes the steps of a violation on real brokers",
        "name a scenario that is violated (`everystate list`), or a trace of `everystate check --out`; or --walks N",
        2,
    ),
}
