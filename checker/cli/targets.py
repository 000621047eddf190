"""What TARGET means: a name from `list`, a file, a file with a class, or a module with a class."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import linecache
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ..errors import EverystateError, file_of, from_here, in_a_line, is_library, is_ours, modules_by_name, suggestion
from ..language.declarations import check_no_marks, marked_as, method_place
from ..language.marks import Constant
from ..language.methods import function_of
from ..language.origin import Origin
from ..language.spec import Spec
from .registry import registry


@dataclass(frozen=True)
class Target:
    """A spec that was found; `name` is how reports and trace files call it, `preset` what its name fixes."""

    name: str
    cls: type[Spec]
    preset: dict[str, Any] = field(default_factory=dict)

    def spec(self, constants: dict[str, Any] | None = None) -> Spec:
        """The spec with its preset and the given constants."""
        return self.cls(**{**self.preset, **(constants or {})})

    def declared(self) -> dict[str, Constant[Any]]:
        """The constants."""
        return self.cls._declared_constants()

    def wider(self) -> Target | None:
        """The same with larger domains where they are guesses; None where there are none, or they are large enough."""
        return None

    def called(self, spec: Spec) -> str:
        """The name, with the constants in which a spec is another one than the name alone means."""
        own = {name: self.preset.get(name, constant.default) for name, constant in self.declared().items()}
        others = ", ".join(f"{name}={value!s}" for name, value in spec.constants.items() if value != own[name])
        return f"{self.name} with {others}" if others else self.name


def known(text: str) -> Target:
    """The target of a name from `list`; E406 for any other text, of which nothing is loaded."""
    scenario = registry().find(text)
    if scenario is None:
        named = {"target": text, "quoted": shlex.quote(text)} if text else {"target": "it names none", "quoted": "FILE"}
        raise EverystateError("E406", None, **named)
    module, name = scenario.target.split(":")
    return Target(text, _class_of(importlib.import_module(module), name, text), dict(scenario.constants))


def resolve(text: str, bounds: dict[str, int] | None = None) -> Target:
    """The target that a string names; EverystateError E101..E106 if there is none. `bounds` are for a TLA+ module."""
    place, _, name = text.partition(":")
    if place.endswith(".tla"):
        return TlaTarget(place, name, bounds)
    if place.endswith(".py"):  # before the registry, which loads all models and all of their scenarios
        return _from_file(place, name)
    if name and place:
        return _from_module(place, name, text)
    if registry().find(text) is not None:
        return known(text)
    if os.path.isdir(text) or os.path.isfile(text):
        raise _unknown(text, "; a spec file ends in .py")
    raise _unknown(text, suggestion(text, registry().names()))


def reloaded(text: str, files: Collection[str]) -> Target:
    """The target that a string names, loaded again from files that may have changed. A failure changes nothing."""
    loaded = [(name, module) for name, module in modules_by_name() if file_of(module) in files]
    kept = {name: module for name, module in loaded if not hasattr(module, "__path__") or _of_target(name)}
    for name in kept:
        _forget(name)
        outer, _, last = name.rpartition(".")
        vars(sys.modules.get(outer, ModuleType("none"))).pop(last, None)
    linecache.checkcache()
    importlib.invalidate_caches()
    try:
        return resolve(text)
    except BaseException:
        sys.modules.update(kept)
        raise


def _of_target(name: str) -> bool:
    return name.startswith("everystate_target_")


def _unknown(text: str, hint: str) -> EverystateError:
    return EverystateError("E101", None, target=text, suggestion=hint)


class TlaTarget(Target):
    """A TLA+ module with a configuration, translated for the constants that a spec is asked for."""

    path: str
    config: str
    bounds: dict[str, int] | None

    def __init__(self, path: str, config: str, bounds: dict[str, int] | None) -> None:
        shown = from_here(path)
        given = {"name": f"{shown}:{config}" if config else shown, "preset": {}}
        vars(self).update(given, path=path, config=config, bounds=bounds)

    @property
    def cls(self) -> type[Spec]:
        """The translation with the constants of the configuration."""
        return type(self.spec())

    def spec(self, constants: dict[str, Any] | None = None) -> Spec:
        """The spec with constants that replace those of the configuration."""
        from ..tla import imported

        made = imported(Path(self.path), self.config, self.bounds, constants)
        cls = _from_file(str(made.file), "").cls
        values = {name: Constant(value) for name, value in made.constants.items()}
        cls._origin = Origin(made.notes, tuple(made.guaranteed), tuple(made.guessed), made.counts, values, self.spec)
        return cls(**made.given)

    def wider(self) -> Target | None:
        """The same with guesses that are twice as large, three times."""
        from ..tla import MARGIN

        bounds = self.bounds or {}
        margin = 2 * bounds.get(MARGIN, 1)
        return TlaTarget(self.path, self.config, {**bounds, MARGIN: margin}) if margin <= 8 else None

    def declared(self) -> dict[str, Constant[Any]]:
        """The constants of the module."""
        from ..tla import constants

        return {name: Constant(value) for name, value in constants(Path(self.path), self.config).items()}


def load(target: str, *, constants: dict[str, Any] | None = None, bounds: dict[str, int] | None = None) -> Spec:
    """The spec that a command would check: a file, a file with a class, a TLA+ module, or a name of `everystate list`.

    `constants` are values by name, of a TLA+ module as a configuration file writes them: 3, True, "{a, b}". `bounds`
    are largest numbers or lengths of its variables. EverystateError, E101 to E109 and E460 to E462, if there is none.

        load("Spec.tla", constants={"N": 4})
    """
    return resolve(target, bounds).spec(constants)


def check_counts(spec: Spec, target: str, distinct: int, generated: int) -> None:
    """E463 if a whole search of a translated module has other states than the module."""
    expected = spec._origin.counts
    if expected is not None and expected != (distinct, generated):
        texts = [f"{a:,} distinct and {b:,} generated states" for a, b in ((distinct, generated), expected)]
        raise EverystateError("E463", None, module=target, found=texts[0], expected=texts[1])


def _from_file(path: str, name: str) -> Target:
    if os.path.isdir(path):
        raise EverystateError("E402", None, path=path, reason="is a directory")
    if not os.path.isfile(path):
        raise EverystateError("E102", None, target=path)
    shown = from_here(path)
    module = _execute(path, shown)
    found = {cls.__name__: cls for cls in _specs_in(module)}
    if name:
        return Target(f"{shown}:{name}", _class_of(module, name, shown))
    if not found:
        raise EverystateError("E104", None, target=shown)
    if len(found) > 1:
        first, names = next(iter(found)), ", ".join(found)
        raise EverystateError("E105", None, target=shown, names=names, first=first)
    return Target(shown, next(iter(found.values())))


class _Fresh(SourceFileLoader):
    """Reads a file of the user itself, never its compiled form.

    Python takes that for fresh as long as the second of the last change and the size of the file are the same: a check
    right after an edit, as scripts and editors make it, would judge the spec as it was.
    """

    def get_code(self, fullname: str) -> CodeType:
        found: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return found


class SiblingFinder:
    """Finds modules in the folder of the latest target, and reads them like the target.

    `notify` gets every file on which an import of the user depends, before it is read: existing files, and places where
    a file would have been found. `folders` are on the path because of a target.
    """

    folder = ""
    notify: Callable[[str], None] | None = None

    def __init__(self) -> None:
        self.folders: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path)
        origin = (found and found.origin) or ""
        if self.notify is not None:
            for file in self._depends(name, path, origin):
                self.notify(file)
        if found is None or type(found.loader) is not SourceFileLoader:
            return None
        if self.lies_here(origin) and not name.startswith("everystate."):
            found.loader = _Fresh(found.name, origin)
        return found

    def lies_here(self, path: str) -> bool:
        """Whether a file is in the folder of the latest target, or below it, and is not a library."""
        return bool(self.folder) and path.startswith(self.folder + os.sep) and "site-packages" not in path

    def _depends(self, name: str, path: Sequence[str] | None, origin: str) -> list[str]:
        if is_library(origin) or is_ours(origin):
            return []
        stem = name.rpartition(".")[2]
        places = [os.path.join(folder, stem) for folder in ([self.folder] if path is None else path)]
        files = [file for place in places for file in (f"{place}.py", os.path.join(place, "__init__.py"))]
        return list(dict.fromkeys([file for file in (*files, origin) if file and not is_library(file)]))


def _execute(path: str, shown: str) -> ModuleType:
    """Import a file that finds its neighbours, by `import x` as by `from .x import y`.

    Its folder comes last on the path, so that it hides no other module; and it is a package of which the files beside
    it are the modules.
    """
    full = os.path.abspath(path)
    folder, stem = os.path.dirname(full), os.path.basename(full)[:-3]
    name = f"everystate_target_{stem}"
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == full:
        return known
    _leave(_BESIDE.folders - {folder})
    _BESIDE.folder = folder
    if folder not in sys.path:
        sys.path.append(folder)
        _BESIDE.folders.add(folder)
    _forget(name)
    fresh = _Fresh(name, full)
    found = importlib.util.spec_from_file_location(name, full, loader=fresh, submodule_search_locations=[folder])
    assert found is not None and found.loader is not None, "a .py file has a loader"
    module, loader = importlib.util.module_from_spec(found), found.loader
    sys.modules[name] = module

    def load() -> ModuleType:
        loader.exec_module(module)
        return module

    try:
        _importing(load, shown)
        _check_strays(module)
    except BaseException:
        _forget(name)
        raise
    return module


_BESIDE = SiblingFinder()


def _leave(folders: set[str]) -> None:
    """Forget modules in the folders of other targets: `import sizes` means the file beside the importing one."""
    for folder in folders:
        _BESIDE.folders.discard(folder)
        if folder in sys.path:
            sys.path.remove(folder)
        found = [name for name, module in modules_by_name() if "." not in name and _lies_in(module, folder)]
        for name in found:
            _forget(name)


def _lies_in(module: ModuleType | None, folder: str) -> bool:
    """Whether a module or package is a file or folder directly in a folder."""
    path = file_of(module)
    places = [os.path.dirname(p) for p in getattr(module, "__path__", ())] or [os.path.dirname(path)]
    of_target = getattr(module, "__name__", "").startswith("everystate_target_") and os.path.dirname(path) == folder
    return (folder in places or of_target) and getattr(module, "__name__", "") not in ("__main__", "everystate")


def tell_imports(notify: Callable[[str], None] | None) -> None:
    """From now on `notify` hears of every file on which an import of a target depends, before that is read."""
    _BESIDE.notify = notify


def module_of(path: str) -> ModuleType:
    """A Python file of the user that is no spec, or a module by its dotted name; E102 when there is none, E103 when it
    raises."""
    if not os.path.isfile(path):
        if _exists(path):
            found: ModuleType = _importing(lambda: importlib.import_module(path), path)
            return found
        raise EverystateError("E102", None, target=path)
    with _target_kept():
        return _execute(path, from_here(path))


@contextlib.contextmanager
def _target_kept() -> Iterator[None]:
    """What is loaded within finds its own neighbours, and the latest target has its own again behind it: a spec whose
    modules are forgotten cannot be examined by them."""
    folder, folders = _BESIDE.folder, list(filter(_BESIDE.folders.__contains__, sys.path))
    kept = {name: known for name, known in modules_by_name() if any(_lies_in(known, place) for place in folders)}
    try:
        yield
    finally:
        sys.modules.update(kept)
        later = [place for place in sys.path if place in _BESIDE.folders and place not in folders]
        sys.path[:] = [place for place in sys.path if place not in (*folders, *later)] + folders + later
        _BESIDE.folder = folder
        _BESIDE.folders.update(folders)


def _forget(name: str) -> None:
    """Forget a file that was imported, with its neighbours: another one of the same name has others."""
    for known in [known for known, _ in modules_by_name() if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]


def _from_module(module: str, name: str, text: str) -> Target:
    with contextlib.suppress(FileNotFoundError):  # it is no longer there
        if "" not in sys.path and os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
    if not _exists(module):
        raise _unknown(text, f"; there is no module {module}")
    loaded = _importing(lambda: importlib.import_module(module), module)
    return Target(text, _class_of(loaded, name, module))


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _importing(load: Callable[[], Any], target: str) -> Any:
    """Run an import; what the user's own code raises becomes E103 with the lines of the user."""
    if _BESIDE not in sys.meta_path:
        sys.meta_path.insert(0, _BESIDE)
    try:
        return load()
    except (EverystateError, KeyboardInterrupt):
        raise
    except BaseException as error:
        what, trace = (_without_package(text) for text in (in_a_line(error), own_trace(error)))
        raise EverystateError("E103", None, target=target, error=what, trace=trace) from None


def _without_package(text: str) -> str:
    """What Python says of `from .x import y`, without our name of the package that a target is."""
    return re.sub(r"'everystate_target_[^'.]*\.", "'.", text)


def own_trace(error: BaseException) -> str:
    """The traceback of an exception, only the frames of the user's files, indented for the catalogue."""
    found = traceback.TracebackException.from_exception(error, compact=True)
    _trim(found)
    lines = "".join(found.format()).rstrip().splitlines()
    return "\n".join(f"      {line}" for line in lines if not line.startswith("Traceback"))


def _trim(found: traceback.TracebackException) -> None:
    kept = [f for f in found.stack if not is_ours(f.filename) and not f.filename.startswith("<frozen")]
    kept = [f for f in kept if f"{os.sep}importlib{os.sep}" not in f.filename]
    for frame in kept:
        frame.filename = _relative(frame.filename)
    if isinstance(getattr(found, "filename", None), str):
        found.filename = _relative(found.filename)
    found.stack = traceback.StackSummary.from_list(kept)
    for cause in (found.__cause__, found.__context__):
        if cause is not None:
            _trim(cause)


def _relative(path: str) -> str:
    relative = from_here(path)
    return path if relative.startswith("..") else relative


def _specs_in(module: ModuleType) -> Sequence[type[Spec]]:
    own = [v for v in vars(module).values() if _is_spec(v) and v.__module__ == module.__name__]
    return list({id(cls): cls for cls in own if not cls.__name__.startswith("_")}.values())


def _check_strays(module: ModuleType) -> None:
    """E130 when a file marks something that belongs to none of the specs in it."""
    own = [v for v in vars(module).values() if getattr(v, "__module__", "") == module.__name__]
    classes = [v for v in own if isinstance(v, type)]
    specs = [cls for cls in classes if _is_spec(cls)]
    if not specs:
        return
    seen = {base for cls in specs for base in cls.__mro__}
    for cls in classes:
        if cls not in seen:
            check_no_marks(cls, f"in {cls.__name__}, from which no spec here derives")
    methods = [function_of(value) for cls in seen for value in vars(cls).values()]
    for function in own:
        if isinstance(function, FunctionType) and marked_as(function) and function not in methods:
            place, kind = "outside every class", marked_as(function)
            raise EverystateError("E130", method_place(function), name=function.__name__, kind=kind, place=place)


def _is_spec(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Spec) and value is not Spec


def _class_of(module: ModuleType, name: str, target: str) -> type[Spec]:
    found: Any = getattr(module, name, None)
    if _is_spec(found):
        cls: type[Spec] = found
        return cls
    names = [cls.__name__ for cls in _specs_in(module)]
    if not names:
        raise EverystateError("E104", None, target=target)
    hint = suggestion(name, names)
    raise EverystateError("E106", None, target=target, name=name, suggestion=hint, names=", ".join(names))
