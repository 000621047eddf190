"""Spark (E6)."""

from __future__ import annotations

from .entry import Entry

ENTRIES: dict[str, Entry] = {
    "E603": Entry(
        "Spark's Java process ended before it could be used",
        "its last output was:\n{log}",
        "fix what it reports; SPARK_HOME and SPARK_CONF_DIR may name another version",
        255,
    ),
    "E604": Entry(
        "no Spark session on {master}: {reason}",
        "the driver must reach the master, and the master must accept it",
        "check the URL and the cluster; without --master Spark runs on this machine",
        255,
    ),
    "E605": Entry(
        "{master!r} is not a master URL",
        "a master is spark://HOST:PORT, yarn, k8s://https://HOST:PORT, or local[N] for this machine",
        "write for example --master spark://localhost:7077",
        2,
    ),
    "E606": Entry(
        "{place} cannot take the results: {reason}",
        "Spark writes results to a new folder, on any file system that it knows",
        "name a new folder in a writable place",
        2,
    ),
    "E607": Entry(
        "Spark gave up: {reason}",
        "a task that fails is tried again, four times in all, before the run ends",
        "fix what it reports; see the logs of the executors, or `spark.log` in the work folder",
        255,
    ),
    "E620": Entry(
        "the work folder {work} cannot be used: {reason}",
        "a search stores its levels there; one run at a time uses the folder, on any file system that Hadoop knows",
        "name a folder that the run and all executors can write to, as in --work hdfs:///me/run1",
        255,
    ),
    "E621": Entry(
        "the work folder {work} already contains a run",
        "the levels of two runs would be mixed",
        "add --resume to continue that run, or name another folder",
        2,
    ),
    "E622": Entry(
        "the work folder {work} is not empty: it contains {name}",
        "a run creates and removes folders in it, so nothing else may be there",
        "name a folder that does not exist yet",
        2,
    ),
    "E623": Entry(
        "there is no run to resume in {work}",
        "a run writes a file run.json to its work folder, and a level when it is complete",
        "check the folder of --work, or omit --resume",
        2,
    ),
    "E624": Entry(
        "the run in {work} cannot be resumed: {what} differ{before}{now}",
        "its levels were built with other values, so the result would mix both",
        "repeat the command that started the run, or use another folder",
        2,
    ),
    "E625": Entry(
        "Spark failed: {reason}",
        "a task failed four times, or Spark itself ended; complete levels are kept in the folder of --work",
        "fix what it reports, and repeat the command with --resume",
        255,
    ),
    "E626": Entry(
        "a disk is full: {reason}",
        "levels are written to the folder of --work, and with Spark every executor keeps states in its scratch folder",
        "free some space, or add executors, and repeat the command with --resume",
        255,
    ),
    "E627": Entry(
        "level {level} is damaged: {reason}",
        "the files do not match the recorded content of this level",
        "start again in another folder; these files cannot be used",
        255,
    ),
    "E628": Entry(
        "a search on {master} needs a work folder",
        "the driver and all executors must have access to the levels",
        "name one on a shared file system, for example --work hdfs:///user/me/run1",
        2,
    ),
    # E64: the log audit ------------------------------------------------------------------------------------
    "E640": Entry(
        "{path} cannot be audited: {reason}",
        "a path is a segment, a dump of a segment, or a folder of them, on this machine or on a file system of Spark",
        "check the path; a URI needs the connector of its file system among Spark's jars",
        2,
    ),
    "E641": Entry(
        "there is nothing to audit in {paths}",
        "in a folder, all files are read whose names end in .log, .txt or .dump, or in one of these and .gz; "
        "subfolders too",
        "name the files themselves, or the data folder of a broker (log.dirs)",
        2,
    ),
}
