"""Everystate's model checker: the language of specs, and the engines that explore them."""

from .language import *  # noqa: F403
from .language import __all__ as __all__
