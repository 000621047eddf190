"""Everystate's model checker: the language of specs, and the engines that explore them."""

from .errors import EverystateError, is_as_files

if not is_as_files(__file__):
    raise EverystateError("E515", None, path=__file__)

# isort: split
from .language import *  # noqa: F403
from .language import __all__ as __all__
