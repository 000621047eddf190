"""What the lock service says, in the words of lock.py."""

ACTIONS = {"granted": "acquire", "released": "release"}
unseen = {"expire"}


def event(entry):
    return {
        "action": ACTIONS[entry["event"]],
        "arguments": {"client": entry["client"]},
        "after": {"token": entry["token"]},
    }
