"""All versions of Python have their instructions in the words that the border asks for, and none that nobody knows."""

from __future__ import annotations

import ast
import dis
import opcode
import sys
from pathlib import Path
from types import CodeType

import pytest

from everystate.checker.border import bytecode
from everystate.checker.language.instructions import instructions

PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))
ROOT = Path(__file__).parents[2]

TRANSLATED = """
    CACHE EXTENDED_ARG LOAD_CLASSDEREF LOAD_COMMON_CONSTANT LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW
    LOAD_FAST_LOAD_FAST LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_SMALL_INT NOP NOT_TAKEN PRECALL
    STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST
"""
"""Those that `instructions` says in other words, or leaves out."""
ASKED_FOR = """
    BINARY_OP BINARY_SUBSCR BUILD_SET BUILD_STRING BUILD_TUPLE CALL CALL_FUNCTION_EX CALL_KW CHECK_EXC_MATCH
    COMPARE_OP CONTAINS_OP CONVERT_VALUE COPY COPY_FREE_VARS DELETE_ATTR DELETE_DEREF DELETE_GLOBAL DELETE_SUBSCR
    END_FOR FORMAT_SIMPLE FORMAT_VALUE FORMAT_WITH_SPEC FOR_ITER GET_ITER IMPORT_FROM IMPORT_NAME IS_OP JUMP
    KW_NAMES LOAD_ASSERTION_ERROR LOAD_ATTR LOAD_BUILD_CLASS LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_FAST_CHECK
    LOAD_GLOBAL LOAD_METHOD LOAD_NAME LOAD_SUPER_ATTR MAKE_FUNCTION MATCH_CLASS POP_EXCEPT POP_TOP PUSH_EXC_INFO
    PUSH_NULL RAISE_VARARGS RESUME RETURN_CONST RETURN_VALUE SET_ADD SET_FUNCTION_ATTRIBUTE SET_UPDATE STORE_ATTR
    STORE_DEREF STORE_FAST STORE_GLOBAL STORE_NAME STORE_SLICE STORE_SUBSCR SWAP TO_BOOL UNARY_NEGATIVE UNARY_NOT
    UNPACK_SEQUENCE WITH_EXCEPT_START
"""
HARMLESS = """
    ANNOTATIONS_PLACEHOLDER ASYNC_GEN_WRAP BEFORE_ASYNC_WITH BEFORE_WITH BINARY_SLICE BUILD_CONST_KEY_MAP
    BUILD_INTERPOLATION BUILD_LIST BUILD_MAP BUILD_SLICE BUILD_TEMPLATE CALL_INTRINSIC_1 CALL_INTRINSIC_2 CHECK_EG_MATCH
    CLEANUP_THROW DELETE_FAST DELETE_NAME DICT_MERGE DICT_UPDATE END_ASYNC_FOR END_SEND ENTER_EXECUTOR EXIT_INIT_CHECK
    GET_AITER GET_ANEXT GET_AWAITABLE GET_LEN GET_YIELD_FROM_ITER IMPORT_STAR INTERPRETER_EXIT JUMP_BACKWARD
    JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD JUMP_IF_FALSE JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE JUMP_IF_TRUE_OR_POP
    JUMP_NO_INTERRUPT LIST_APPEND LIST_EXTEND LIST_TO_TUPLE LOAD_CLOSURE LOAD_FAST_AND_CLEAR
    LOAD_LOCALS LOAD_SPECIAL LOAD_SUPER_METHOD LOAD_ZERO_SUPER_ATTR LOAD_ZERO_SUPER_METHOD MAKE_CELL MAP_ADD MATCH_KEYS
    MATCH_MAPPING MATCH_SEQUENCE POP_BLOCK POP_ITER POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_NONE
    POP_JUMP_BACKWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE
    POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
    POP_JUMP_IF_TRUE PREP_RERAISE_STAR PRINT_EXPR RERAISE RESERVED RETURN_GENERATOR SEND SETUP_ANNOTATIONS SETUP_CLEANUP
    SETUP_FINALLY SETUP_WITH STORE_FAST_MAYBE_NULL UNARY_INVERT UNARY_POSITIVE UNPACK_EX YIELD_VALUE
"""
"""Nobody asks for these: they ask the values themselves, only move them, or lead from one place to another."""
KNOWN = {*TRANSLATED.split(), *ASKED_FOR.split(), *HARMLESS.split()}
SIGNS = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
OPERATORS = {*SIGNS, *(f"{sign}=" for sign in SIGNS), "[]"}
OF_OTHERS = {
    "_common_constants": {AssertionError, NotImplementedError, tuple, all, any},
    "_intrinsic_1_descs": {
        *("INTRINSIC_1_INVALID", "INTRINSIC_PRINT", "INTRINSIC_IMPORT_STAR", "INTRINSIC_STOPITERATION_ERROR"),
        *("INTRINSIC_ASYNC_GEN_WRAP", "INTRINSIC_UNARY_POSITIVE", "INTRINSIC_LIST_TO_TUPLE", "INTRINSIC_TYPEVAR"),
        *("INTRINSIC_PARAMSPEC", "INTRINSIC_TYPEVARTUPLE", "INTRINSIC_SUBSCRIPT_GENERIC", "INTRINSIC_TYPEALIAS"),
    },
    "_intrinsic_2_descs": {
        *("INTRINSIC_2_INVALID", "INTRINSIC_PREP_RERAISE_STAR", "INTRINSIC_TYPEVAR_WITH_BOUND"),
        *(
            "INTRINSIC_TYPEVAR_WITH_CONSTRAINTS",
            "INTRINSIC_SET_FUNCTION_TYPE_PARAMS",
            "INTRINSIC_SET_TYPEPARAM_DEFAULT",
        ),
    },
    "_special_method_names": {"__enter__", "__exit__", "__aenter__", "__aexit__"},
}
"""What an instruction may be asked to do by its argument."""


def test_every_instruction_of_this_python_is_known() -> None:
    assert sys.version_info[:2] in PYTHONS, "read its bytecode, its library's TRUSTED modules and its news first"
    assert {name for name in dis.opmap if not name.startswith("INSTRUMENTED_")} - KNOWN == set()
    assert {sign for _, sign in vars(opcode)["_nb_ops"]} - OPERATORS == set()
    assert {name for name, known in OF_OTHERS.items() if not known.issuperset(vars(opcode).get(name, ()))} == set()


def test_whoever_asks_for_an_instruction_asks_for_one_that_is_said() -> None:
    said = {*ASKED_FOR.split(), "LOAD_COMMON_CONSTANT"}
    asked = set[str]()
    for path in (*ROOT.glob("checker/border/*.py"), ROOT / "checker/language/misspellings.py"):
        words = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
        asked.update(word for word in words if isinstance(word, str) and word in KNOWN | dis.opmap.keys())
    assert asked - said == set()


BODY = """
def f(self, x, y):
    assert x, "a"
    a = self.held[x]
    b, c = a
    self.held = x
    d = x + 3
    g(b, c)
    return [z for z in y]
"""
WORDS = [
    *("LOAD_ASSERTION_ERROR None", "LOAD_CONST a"),
    *("LOAD_FAST self", "LOAD_ATTR held", "LOAD_FAST x", "BINARY_SUBSCR None", "STORE_FAST a"),
    *("LOAD_FAST a", "UNPACK_SEQUENCE 2", "STORE_FAST b", "STORE_FAST c"),
    *("LOAD_FAST x", "LOAD_FAST self", "STORE_ATTR held"),
    *("LOAD_FAST x", "LOAD_CONST 3", "BINARY_OP +", "STORE_FAST d"),
    *("LOAD_GLOBAL g", "LOAD_FAST b", "LOAD_FAST c", "CALL 2", "POP_TOP None"),
]


def test_all_versions_say_the_same() -> None:
    code = function(BODY)
    said = [f"{s.opname} {s.argrepr if s.opname == 'BINARY_OP' else s.argval}" for s in bytecode.steps_of(code)]
    begin = said.index(WORDS[0])
    found = [word for word in said[begin:] if not word.startswith(("CALL 0", "RAISE_VARARGS"))]
    assert found[: len(WORDS)] == WORDS


def test_the_second_of_two_variables_has_no_place_in_the_source() -> None:
    """What stands there is the first one's: it would be taken for the left operand."""
    code = function("def f(x, y):\n    return x % y\n")
    first = [s for s in instructions(code) if s.opname == "LOAD_FAST" and bytecode.range_of(s) == ((2, 11), (2, 12))]
    assert [s.argval for s in first] == ["x"]


LONG = "\n".join(f"    g{i}.a{i}" for i in range(300))


def test_what_stands_in_a_long_function_stands_beside_its_operand() -> None:
    code = function(f"def f(self, c):\n{LONG}\n    box.value = c\n    return self.first if c else self.second\n")
    assert [h.expression for h in bytecode.hazards(code, False, True)] == ["the assignment of box.value"]
    assert "EXTENDED_ARG" not in {step.opname for step in instructions(code)}


@pytest.mark.parametrize("before", ["", LONG])
def test_a_jump_leads_where_it_led(before: str) -> None:
    text = "def f(c):\n{}\n    if c:\n        g.first\n    g.second\n    return 0\n"
    steps = instructions(function(text.format(before)))
    at = max(i for i, step in enumerate(steps) if step.opname == "LOAD_GLOBAL" and step.argval == "g")
    assert (steps[at].is_jump_target, steps[at + 1].argval) == (True, "second")


def function(text: str) -> CodeType:
    """The code of the only function in a text."""
    return next(c for c in compile(text, "f", "exec", dont_inherit=True).co_consts if isinstance(c, CodeType))
