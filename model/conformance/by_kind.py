"""Stand-ins for objects of Kafka, and conversion of values to its Java or Scala signatures.

Over the releases signatures have changed from Scala's collections, options and functions to Java's, and have got
further parameters. So arguments are given by the kind of a parameter, and the declaration of a method selects them.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from .classes import has, has_class, java, kafka

HANDLER = "everystate"
"""The field with the implementation."""
Answers = Mapping[str, Callable[..., Any]]
"""By the name of a method its implementation."""


def stand_in(kind: Any, answers: Answers, others: bool = True) -> Any:
    """An object of a class or interface without running any of its own code, not even its constructor.

    A method without an implementation is an AttributeError. Default arguments of Scala come from the class itself; so
    do all other missing methods, without `others`.
    """
    import jpype

    def invoke(_: Any, method: Any, arguments: Any) -> Any:
        name = str(method.getName())
        if name in ("hashCode", "equals", "toString") and name not in answers:
            return _of_every_object(name)
        if name not in answers:
            raise AttributeError(f"{kind.class_.getName()}.{name} is asked for, and nobody answers")
        try:
            return as_declared(answers[name](*(arguments or ())), method.getReturnType())
        except Exception:
            if os.environ.get("EVERYSTATE_DEBUG"):
                traceback.print_exc()
            raise

    made = _subclass(kind, () if others else tuple(answers))
    nothing = java("java.lang.Object").class_.getDeclaredConstructor()
    factory = java("sun.reflect.ReflectionFactory").getReflectionFactory()
    found = factory.newConstructorForSerialization(made, nothing).newInstance()
    made.getField(HANDLER).set(found, jpype.JProxy("java.lang.reflect.InvocationHandler", dict={"invoke": invoke}))
    return found


@cache
def _subclass(kind: Any, names: tuple[str, ...]) -> Any:
    """A subclass whose methods, all or some, are passed to the handler of the object."""
    buddy, modifiers = "net.bytebuddy.", java("java.lang.reflect.Modifier")
    matchers, strategy = java(f"{buddy}matcher.ElementMatchers"), java(f"{buddy}dynamic.loading.ClassLoadingStrategy")
    constructors = java(f"{buddy}dynamic.scaffold.subclass.ConstructorStrategy")
    return (
        java(f"{buddy}ByteBuddy")()
        .subclass(kind.class_, constructors.Default.NO_CONSTRUCTORS)
        .defineField(HANDLER, java("java.lang.reflect.InvocationHandler").class_, modifiers.PUBLIC)
        .method(matchers.namedOneOf(*names) if names else matchers.not_(matchers.nameContains("$default$")))
        .intercept(java(f"{buddy}implementation.InvocationHandlerAdapter").toField(HANDLER))
        .make()
        .load(kind.class_.getClassLoader(), strategy.Default.WRAPPER)
        .getLoaded()
    )


def _of_every_object(name: str) -> Any:
    import jpype

    if name == "hashCode":
        return jpype.JInt(1)
    return jpype.JBoolean(False) if name == "equals" else "a stand-in"


def as_declared(value: Any, kind: Any) -> Any:
    """A value converted to a return type or a parameter: options, numbers and results of either language."""
    import jpype

    name = str(kind.getName())
    if name == "scala.Option":
        return some(value)
    if name == "java.util.Optional":
        return java(name).ofNullable(value)
    if name == "scala.util.Try":
        return java("scala.util.Success")(jpype.JLong(value))
    for box, primitive in (("Long", "long"), ("Integer", "int"), ("Short", "short")):
        if name in (primitive, f"java.lang.{box}"):
            return java(f"java.lang.{box}").valueOf(getattr(jpype, f"J{primitive.capitalize()}")(value))
    return java("java.lang.Boolean").valueOf(bool(value)) if name == "boolean" else value


def some(value: Any) -> Any:
    """A value as an option of Scala, None as the empty one."""
    return java("scala.Option").apply(value)


def function(body: Callable[..., Any], arguments: int) -> Any:
    """A function of Scala."""
    import jpype

    return jpype.JProxy(f"scala.Function{arguments}", dict={"apply": body})


CONVERTERS = "scala.jdk.javaapi.CollectionConverters"
"""Conversion of collections, from Scala 2.13 on."""


def as_java(found: Any) -> Any:
    """A collection or map of either language as one of Java."""
    if isinstance(found, java("scala.collection.Map")):
        return java(CONVERTERS).asJava(found) if _is_new() else _older().mapAsJavaMap(found)
    if isinstance(found, java("scala.collection.Iterable")):
        return java(CONVERTERS).asJavaCollection(found) if _is_new() else _older().asJavaCollection(found)
    return found


def as_scala(found: Any, kind: Any) -> Any:
    """A set of Java, or a mutable map, as the type that a parameter declares."""
    name = str(kind.getName())
    if not name.startswith("scala."):
        return found
    made = java(CONVERTERS).asScala(found) if _is_new() else _older().asScalaSet(found)
    return made.toSet() if "immutable" in name else made


def _older() -> Any:
    """Conversion of collections up to Scala 2.12."""
    return java("scala.collection.JavaConverters")


@cache
def _is_new() -> bool:
    import jpype

    try:
        return bool(jpype.JClass(CONVERTERS))
    except TypeError:
        return False


def part(of: Any, name: str) -> Any:
    """A part of an object, which Java keeps in a field and a class of Scala behind a method."""
    import jpype

    found = getattr(of, name)
    return found if isinstance(found, jpype.JObject) else found()


def optional(found: Any) -> Any:
    """What an option of either language holds, or None."""
    if found is None:
        return None
    if isinstance(found, java("scala.Option")):
        return None if found.isEmpty() else found.get()
    return found.orElse(None)


@cache
def declared(kind: Any, name: str) -> Any:
    """The public method of a class by its name, the one with most parameters; the constructor for `new`."""
    if name == "new":
        found = list(kind.class_.getConstructors())
    else:
        found = [each for each in kind.class_.getMethods() if str(each.getName()) == name and not each.isBridge()]
    return max(found, key=lambda each: len(each.getParameterTypes()))


def call(target: Any, kind: Any, name: str, given: Mapping[str, Any]) -> Any:
    """Call a method, or construct with `new`: each parameter gets the next value of its kind.

    `given` holds lists of values by the simple names of types; a value of a list with one element serves all of a kind.
    """
    import jpype

    member = declared(kind, name)
    left = {each: list(values) if isinstance(values, list) else [values] for each, values in given.items()}
    arguments = []
    for parameter in member.getParameterTypes():
        simple = str(parameter.getSimpleName())
        if simple not in left:
            raise AttributeError(f"{kind.class_.getName()}.{name} wants a {parameter.getName()}")
        values = left[simple]
        value = values.pop(0) if len(values) > 1 else values[0]
        value = value() if callable(value) and not hasattr(value, "getClass") else value
        arguments.append(_typed(value, parameter))
    made = jpype.JArray(jpype.JClass("java.lang.Object"))(arguments)
    return member.newInstance(made) if name == "new" else member.invoke(target, made)


def _typed(value: Any, kind: Any) -> Any:
    name = str(kind.getName())
    if name in ("long", "int", "short", "boolean"):
        return as_declared(value, kind)
    if value is not None and isinstance(value, (java("java.util.Set"), java("java.util.Map"))):
        return as_scala(value, kind)
    return value


def request_local() -> Any:
    """The thread-local storage of a request: empty."""
    kind = kafka("RequestLocal")
    return kind.noCaching() if has("RequestLocal", "noCaching") else kind.NoCaching()


def newest_version() -> Any:
    """The newest version of metadata in a release; before 3.7 including unreleased ones.

    Before 3.3 the version of requests among brokers.
    """
    if not has_class("MetadataVersion"):
        return getattr(kafka("ApiVersion$"), "MODULE$").latestVersion()
    kind = kafka("MetadataVersion")
    return kind.latestProduction() if has("MetadataVersion", "latestProduction") else kind.latest()


def client_response(api: str, body: Any, disconnected: bool) -> Any:
    """The answer to a request of a broker, or the loss of its connection."""
    shortest = min(kafka("ClientResponse").class_.getConstructors(), key=lambda each: len(each.getParameterTypes()))
    import jpype

    arguments: list[Any] = []
    for kind in shortest.getParameterTypes():
        name = str(kind.getSimpleName())
        header = kafka("RequestHeader")(getattr(kafka("ApiKeys"), api), jpype.JShort(1), "coordinator", 0)
        values = {
            "RequestHeader": header,
            "long": 0,
            "String": "broker",
            "boolean": disconnected,
            "AbstractResponse": body,
        }
        value = values.get(name)
        arguments.append(jpype.JLong(0) if name == "long" else jpype.JBoolean(value) if name == "boolean" else value)
    return shortest.newInstance(jpype.JArray(jpype.JClass("java.lang.Object"))(arguments))
