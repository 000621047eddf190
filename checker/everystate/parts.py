"""What the packages of this distribution add to the checker, by name; nothing is loaded before it is used.

The checker imports no model and no scenario: it finds commands, scenarios, errors and forms of traces here.
"""

CHECKER, MODEL = "everystate.checker.cli.commands", "everystate.model.commands"
COMMANDS = {
    "list": (f"{CHECKER}.listing", "List the specs and scenarios that can be checked."),
    "import": (f"{CHECKER}.import_", "Translate a TLA+ module into a Python spec."),
    "check": (f"{CHECKER}.check", "Visit every reachable state: prove the properties or find violations."),
    "watch": (f"{CHECKER}.watch", "Check a spec at every save and report changes of the verdict."),
    "walk": (f"{CHECKER}.walk", "Check random walks: a sample of a large state space."),
    "matrix": (f"{CHECKER}.matrix", "Check many variants and report what is not as expected."),
    "frontier": (f"{CHECKER}.frontier", "Map the safe values of two constants; every cell is a check."),
    "prove": (f"{CHECKER}.prove", "Prove the properties with z3, or find a shortest violation."),
    "review": (f"{MODEL}.review", "Compare a variant of a model with the model itself."),
    "conform": (f"{MODEL}.conform", "Compare the Kafka model with Kafka's own classes."),
    "replay": (f"{MODEL}.replay", "Replay a counterexample of the Kafka model on real brokers."),
    "follow": (f"{CHECKER}.follow", "Check whether the log of a real system is a trace of the spec."),
    "cases": (f"{CHECKER}.cases", "Generate test cases for a real system from a spec."),
    "throughput": (f"{MODEL}.throughput", "Measure and predict throughput by requests in flight."),
    "assess": (f"{MODEL}.assess", "Assess what the settings of a Kafka producer can do to its records."),
    "audit": (f"{MODEL}.audit", "Find duplicates and gaps in the logs of Kafka brokers."),
    "show": (f"{CHECKER}.show", "Show a trace file as text, diagram, graph or path."),
    "explain": (f"{CHECKER}.explain", "Explain what a violation requires, and the nearest safe setting."),
    "explore": (f"{CHECKER}.explore", "Explore the states of a spec in the browser."),
    "graph": (f"{CHECKER}.graph", "Build the state graph, whole or around a trace."),
    "schema": (f"{CHECKER}.schema", "Print the JSON Schema of a report or of a matrix file."),
    "rules": (f"{MODEL}.rules", "Print the rules of Kafka, such as B4.4."),
    "explain-check": (f"{MODEL}.explain_check", "Show which check of a Kafka broker decides about a batch."),
    "errors": (f"{CHECKER}.errors", "Explain an error code."),
}
"""The commands in the order of `everystate --help`: the module of each, and what it does."""
REGISTRY = "everystate.specs.registry"
"""The module that lists what can be checked by name (`checker/cli/registry.py`)."""
ERRORS = ("everystate.model.errors",)
"""Modules with the `ENTRIES` of more errors."""
FORMS = {"dump-log": "everystate.model.commands.dump_log"}
"""Forms of `everystate show --as` that only traces of some spec have: the module of each, with a function `shown`."""
FOLLOWED = {"producer-log": "everystate.model.follow.window:ProducerLog"}
"""Short names of specs that are only followed: the log of a producer of Kafka."""
