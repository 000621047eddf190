"""Names of annotations, without their values: Python 3.14 evaluates them on use, and their names may be undefined."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection
from typing import Any

if sys.version_info >= (3, 14):
    from annotationlib import Format, get_annotations

    def annotated(cls: type) -> Collection[str]:
        """The names that the body of a class annotates."""
        return get_annotations(cls, format=Format.STRING).keys()

    def signature_of(function: Callable[..., Any]) -> inspect.Signature:
        """The parameters of a function, with annotations as texts."""
        return inspect.signature(function, annotation_format=Format.STRING)

else:

    def annotated(cls: type) -> Collection[str]:
        """The names that the body of a class annotates."""
        found: dict[str, Any] = getattr(cls, "__annotations__", {})
        return found.keys()

    signature_of = inspect.signature
