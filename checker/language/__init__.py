"""The language: what an author of a spec writes."""

from typing import TYPE_CHECKING

from .declarations import ActionInstance, Property
from .decorators import (
    action,
    action_constraint,
    always_reachable,
    assumption,
    constraint,
    display,
    eventually,
    eventually_always,
    fair,
    infinitely_often,
    initial,
    invariant,
    leads_to,
    lemma,
    reachable,
    refines,
    step_invariant,
    strongly_fair,
    temporal,
    temporal_assumption,
    view,
)
from .domains import AnyOf, Domain
from .formulas import Formula, always, until
from .marks import Constant
from .record import Record
from .spec import Spec
from .state import State
from .statements import (
    choose,
    implies,
    narrate,
    require,
    subsets,
)

if TYPE_CHECKING:
    from .typed_domains import Array, Bag, Bool, Enum, Int, Interchangeable, Map, Option, Product, Seq, Set
else:
    from .bag import Bag
    from .composite_domains import Array, Map, Option, Seq, Set
    from .domains import Bool, Enum, Int, Product
    from .symmetry import Interchangeable

__all__ = [
    "ActionInstance",
    "AnyOf",
    "Array",
    "Bag",
    "Bool",
    "Constant",
    "Domain",
    "Enum",
    "Formula",
    "Int",
    "Interchangeable",
    "Map",
    "Option",
    "Product",
    "Property",
    "Record",
    "Seq",
    "Set",
    "Spec",
    "State",
    "action",
    "action_constraint",
    "always",
    "always_reachable",
    "assumption",
    "choose",
    "constraint",
    "display",
    "eventually",
    "eventually_always",
    "fair",
    "implies",
    "infinitely_often",
    "initial",
    "invariant",
    "leads_to",
    "lemma",
    "narrate",
    "reachable",
    "refines",
    "require",
    "step_invariant",
    "strongly_fair",
    "subsets",
    "temporal",
    "temporal_assumption",
    "until",
    "view",
]
