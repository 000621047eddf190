"""Where a follower cuts its log: each defect of leader epochs in the releases that had it, and without it."""

from __future__ import annotations

from ...checker.language.scenario import Scenario

EPOCHS = "everystate.model.truncation:LeaderEpochs"


def epochs(name: str, title: str, text: str, expected: dict[str, int] | None = None, **constants: int) -> Scenario:
    """A scenario of one partition; how logs are cut is the part of the name before the slash."""
    generation = name.split("/")[0].removeprefix("epochs-")
    return Scenario(name, EPOCHS, title, {"generation": generation, **constants}, expected or {}, text)


SCENARIOS = [
    epochs(
        "epochs-high-watermark/three-elections",
        "Until 0.10 a follower cuts at its high watermark, which lags behind: a committed record is lost (KIP-101)",
        "A follower hears of the high watermark with its next fetch (D1). It cuts a record that all have, and leads.",
        {"LogsAgree": 10, "CommittedIsKept": 7, "FollowersCatchUp": 8},
        elections=3,
    ),
    epochs(
        "epochs-kip-101/two-elections",
        "Leadership moves away and back before the first leader cuts its log: two logs differ for ever (KAFKA-6361)",
        "The follower asks for its last epoch, which the leader does not have. The answer is the end of an earlier "
        "one, and does not say so: the follower keeps a record that the leader has never had.",
        {"LogsAgree": 8, "FollowersCatchUp": 9},
    ),
    epochs(
        "epochs-kip-279/two-elections",
        "The same when the answer says of which epoch it is (KIP-279)",
        "The follower cuts where its own log has that epoch's end.",
    ),
    epochs(
        "epochs-kip-279/three-elections",
        "A leader that has written nothing does not know its own epoch: a committed record is lost (KAFKA-7415)",
        "The follower's last epoch is above all that the leader knows, so it cuts at its high watermark, and leads.",
        {"LogsAgree": 12, "CommittedIsKept": 8, "FollowersCatchUp": 10},
        elections=3,
    ),
    epochs(
        "epochs-kafka-7415/three-elections",
        "A leader notes its epoch at once: nothing is lost, but a follower asks the same for ever (KAFKA-10706)",
        "The follower has an epoch without records at the end of its log. It cuts there, which changes nothing.",
        {"FollowersCatchUp": 4},
        elections=3,
    ),
    epochs(
        "epochs-kafka-10706/three-elections",
        "The same when the epochs are cut although the log has nothing to cut",
        "The follower asks for an earlier epoch the next time.",
        elections=3,
    ),
    epochs(
        "epochs-kip-595/two-elections",
        "Logs are compared with each fetch, and a fetch behind records that differ counts (KAFKA-13141)",
        "The high watermark of the leader moves over a record that the follower does not have. The follower leads.",
        {"CommittedIsKept": 5},
    ),
    epochs(
        "epochs-kafka-13141/three-elections",
        "The same when such a fetch does not count, with three replicas: every promise holds",
        "What 3.0 and later do.",
        replicas=3,
        elections=3,
    ),
]
