"""Kafka's own classes, and real brokers (E7)."""

from __future__ import annotations

from ..checker.errors import NOT_INSTALLED, Entry

ENTRIES: dict[str, Entry] = {
    "E701": Entry(
        "Kafka {version} is not one of the supported releases{suggestion}",
        "jars are identified by version and SHA-256; these releases are known: {known}",
        "name one of them, or use your own jars: --jars DIR",
        2,
    ),
    "E702": Entry(
        "no tool is installed that can fetch the jars of Kafka",
        "they are fetched from Maven Central with Maven, or with Ivy, which PySpark contains",
        "install Maven, or {command}, or use --jars DIR",
        NOT_INSTALLED,
    ),
    "E703": Entry(
        "{tool} could not fetch the jars of Kafka: {reason}",
        "they are fetched once, with the settings of {tool}; this is its first error",
        "fix the error and try again, or use --jars DIR",
        255,
    ),
    "E704": Entry(
        "{path} is not the expected {jar}: its SHA-256 is {found}",
        "only released classes may be compared with the model; expected is {pinned}",
        "{mend}",
        255,
    ),
    "E705": Entry(
        "{folder} lacks {names} of Kafka {version}",
        "with --jars or EVERYSTATE_KAFKA_JARS nothing is fetched; the jars are searched by name, in subfolders too",
        "put them there, or omit --jars to fetch them",
        2,
    ),
    "E706": Entry(
        "the jars of Kafka cannot be stored in {folder}: {reason}",
        "they are fetched once and stored in the user's cache folder, about {size} for each release",
        "free some space, set EVERYSTATE_CACHE, or name a folder with the jars: --jars DIR",
        255,
    ),
    "E707": Entry(
        "{folder} contains {found}",
        "a folder of your own jars must contain exactly one build of Kafka: all its jars are on the class path",
        "name a folder with one kafka-clients-VERSION.jar, such as the libs folder of a release",
        2,
    ),
    "E709": Entry(
        "the Java of Kafka {version} ended {how}",
        "its last output was:\n{log}",
        "fix what it reports; JAVA_HOME selects another Java",
        255,
    ),
    "E710": Entry(
        "Kafka {version} has no {wanted}",
        "classes are called by the signatures of the supported releases; declared there: {there}",
        "choose another version, or report it: the release is newer than this table",
        255,
    ),
    "E711": Entry(
        "there is no space for the logs of Kafka in {folder}: {reason}",
        "they are written at every step, a few kilobytes for each trace, and deleted after the trace",
        "free some space; without /dev/shm, TMPDIR names another folder",
        255,
    ),
    "E712": Entry(
        "the driver of Kafka failed in step {step}: {error}",
        "this is a mistake in Everystate; nothing was learned about Kafka or the model",
        "please report it with the command",
        255,
    ),
    "E731": Entry(
        "node {node} of the cluster did not start; it ended {how}",
        "its output was:\n{log}",
        "fix what it reports; all servers were stopped",
        255,
    ),
    "E732": Entry(
        "node {node} of the cluster ended unexpectedly, {how}",
        "Everystate did not stop it; its last output was:\n{log}",
        "fix what it reports; all servers were stopped",
        255,
    ),
    "E733": Entry(
        "the folder of node {node} of the cluster could not be formatted",
        "the output of Kafka's StorageTool was:\n{log}",
        "fix what it reports",
        255,
    ),
    "E734": Entry(
        "{folder} has only {free} MB of space for the cluster",
        "its servers store logs, indexes and snapshots there, and end when the disk is full; {room} MB are enough",
        "free some space, or name another place: TMPDIR",
        255,
    ),
    "E736": Entry(
        "there are not {count} free ports between {first} and {last}",
        "each server of the cluster listens on three ports",
        "stop a process that listens there",
        255,
    ),
    "E735": Entry(
        "{target} has {what} to replay",
        "a replay takes the steps of a violation on real brokers",
        "name a violated scenario (`everystate list`), a trace, or --walks N",
        2,
    ),
}
