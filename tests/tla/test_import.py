"""What `import` writes: comments as docstrings, names that are used, and sets as their author wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.cli.main import main

MODULE = r"""---- MODULE Words ----
EXTENDS Naturals, Sequences
VARIABLES q, n
vars == <<q, n>>
Texts == UNION {[1..k -> 0..2] : k \in 0..3}

Init ==
  (* Any text, at its initial place. *)
  /\ q \in Texts
  /\ n = 0

(* The actions. *)
Next ==
  (* One place further. *)
  (* At the end it stops. *)
  /\ n < Len(q)
  /\ n' = n + 1
  /\ UNCHANGED q

Spec == Init /\ [][Next]_vars
Within == n <= Len(q)  \* never beyond the end
====
"""
BODY = '''
from everystate.checker import AnyOf, Int, Seq, Spec, action, invariant, require


class Words(Spec):
    may_terminate = True

    def variables(self):
        self.q = Seq(Int(0, 2), 3, init=AnyOf())
        self.n = Int(0, 3)

    @action
    def Next(self):
        """One place further.
        At the end it stops.
        """
        require(self.n < len(self.q))
        self.n += 1

    @invariant
    def Within(self):
        """never beyond the end"""
        return self.n <= len(self.q)
'''


def test_it_reads_like_its_author_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Words.tla").write_text(MODULE)
    Path("Words.cfg").write_text("SPECIFICATION Spec\nINVARIANT Within\nCHECK_DEADLOCK FALSE\n")
    assert main(["import", "Words.tla", "-o", "words.py"]) == 0
    assert Path("words.py").read_text().endswith(BODY)
    capsys.readouterr()
    assert main(["check", "Words.tla"]) == 0
    assert "142 distinct, 142 generated" in capsys.readouterr().out
