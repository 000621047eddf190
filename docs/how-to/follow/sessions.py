"""A log in which a line means something only after the one that opened its session."""


def log(lines):
    session = {}
    for line in lines:
        number, verb, *rest = line.split()
        if verb == "opens":
            session[number] = int(rest[0])
        elif verb == "gets":
            client = session[number]
            yield {"action": "acquire", "arguments": {"client": client}, "after": {f"alone({client})": True}}


def alone(spec, client):
    return spec.holder == client


observes = [alone]
