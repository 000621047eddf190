"""Proofs of published protocols with ABC beside IC3, without it, and ABC's `pdr` alone on the same circuits.

python bench/proofs_abc.py [NAME ...] [--seconds S] [--folder DIR]    (all of them: half an hour)

Each run is a process of its own. The CPU seconds are its own and those of what it started, beyond those of a process
that only traces the spec. `--folder` adds the specs of a folder that are named in SHARED. Needs `berkeley-abc`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from everystate.checker.backends.aig import PROPERTY, Machine, Wanted
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.symbolic import abc
from everystate.checker.engines.symbolic.decide import decide
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.ir.traced import Model

HERE = Path(__file__).parent
INSTANCES = [
    "locks:Ticket n=5 most=7",
    "locks:Filter n=6",
    "locks:Burns n=5",
    "locks:RicartAgrawala n=5",
    "locks:TokenRing n=16",
    "locks:EpochLock n=5 epochs=8",
    "locks:ReadersWriters n=8",
    "locks:Philosophers n=8",
    "consensus:Paxos acceptors=4 ballots=4 values=3",
    "consensus:FlexiblePaxos acceptors=5 ballots=3",
    "consensus:NaiveConsensus n=9",
    "consensus:LeaderConsensus n=4",
    "consensus:RaftElection n=4 terms=4",
    "consensus:RingElection n=6",
    "consensus:TwoPhase n=24",
    "consensus:ReliableBroadcast n=5 crashes=4",
    "memory:German n=6",
    "memory:Mesi n=16",
    "memory:Firewall n=5",
    "memory:ClientServer clients=3 requests=3",
    "memory:StopAndWait most=8 capacity=5",
]
SHARED = [
    "bakery.py processes=5 most=5",
    "lockserv.py nodes=40",
    "lock_quant.py nodes=40",
    "mldr.py nodes=3 terms=3 versions=3",
    "sharded_kv.py nodes=4 keys=4 values=4",
    "simple_decentralized_lock.py nodes=12",
    "three.py size=12",
]
NONE, ALONE, BOTH, OTHER = "start-up", "alone", "with ABC", "ABC"


def traced(target: str) -> Model:
    """The model of a line of the lists."""
    name, *constants = target.split()
    spec = resolve(name).spec({key: int(value) for key, value in (c.split("=") for c in constants)})
    return model.build(spec)


def one(target: str, how: str, seconds: float) -> str:
    """Verdict and clauses of one run."""
    found = traced(target)
    if how == NONE:
        return ""
    if how == OTHER:
        return abc_alone(found, seconds)
    result = decide(found, Question(0, seconds=seconds, cross_check=0, deadlock=False)).result
    proof = result.details.get("proof", {})
    by = " by ABC" if "ABC" in result.how else ""
    return f"{result.verdict!s} {proof.get('clauses', '')}{by}"


def abc_alone(found: Model, seconds: float) -> str:
    """What ABC says of the circuit of a model."""
    machine = Machine(found, [Wanted(PROPERTY, i) for i, p in enumerate(found.properties) if p.kind == "invariant"])
    program = next(filter(None, map(shutil.which, abc.PROGRAMS)))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.aig").write_bytes(machine.file)
        commands = f"read_aiger model.aig; pdr -d -T {int(seconds)} -I out.pla"
        said = subprocess.run([program, "-c", commands], cwd=folder, capture_output=True, text=True, check=False).stdout
        if "Property proved" not in said:
            return "VIOLATED" if "was asserted" in said else "UNDECIDED"
        return f"PROVED {sum(line.endswith(' 1') for line in Path(folder, 'out.pla').read_text().splitlines())}"


def measured(target: str, how: str, seconds: float) -> tuple[str, float]:
    """What a process says, and its CPU seconds."""
    environment = dict(os.environ)
    if how == ALONE:
        folders = environment["PATH"].split(os.pathsep)
        environment["PATH"] = os.pathsep.join(
            f for f in folders if not any((Path(f) / p).exists() for p in abc.PROGRAMS)
        )
    command = [sys.executable, __file__, target, "--how", how, "--seconds", str(seconds)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.read().strip()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return said, used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--how", default="")
    given = parser.parse_args()
    if given.how:
        print(one(given.names[0], given.how, given.seconds))
        return
    targets = [f"{HERE / 'proof_specs'}/{line.replace(':', '.py:', 1)}" for line in INSTANCES]
    targets += [f"{given.folder}/{line}" for line in SHARED] if given.folder else []
    ratios: dict[str, list[float]] = {ALONE: [], BOTH: []}
    print(f"load {os.getloadavg()[0]:.1f}; {'instance':<44} {BOTH:>24} {ALONE:>24} {OTHER:>24}")
    for target in targets:
        if given.names and not any(name in target for name in given.names):
            continue
        _, least = measured(target, NONE, given.seconds)
        row = {how: measured(target, how, given.seconds) for how in (BOTH, ALONE, OTHER)}
        cells = [f"{said} {cpu - least:6.1f}" for said, cpu in row.values()]
        print(f"{Path(target).name:<54} " + " ".join(f"{cell:>24}" for cell in cells), flush=True)
        if row[OTHER][0].startswith("PROVED"):
            for how, found in ratios.items():
                if row[how][0].startswith("PROVED"):
                    found.append((row[how][1] - least) / max(0.05, row[OTHER][1] - least))
    for how, found in ratios.items():
        if found:
            print(f"{how}: {len(found)} proved, median ratio of CPU to ABC's {statistics.median(found):.1f}")


if __name__ == "__main__":
    main()
