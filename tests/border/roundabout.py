# ruff: noqa: E501
"""Ways round what the border looks for: attributes by text, aliases, callbacks of C and of libraries, texts that are read."""

from __future__ import annotations

from .hostile import Hostile

ROUNDABOUT = [
    Hostile(
        "Generated.of_self(self.n) and self.n == 7", "E230", "", "def of_self(self):\n    return type(self) == int\n"
    ),
    Hostile(
        "Generated.of_self(self.n) and self.n == 7",
        "E230",
        "",
        "def of_self(self):\n    return self.__class__ != int\n",
    ),
    Hostile(
        "F(self.n) and self.n == 7",
        "E230",
        "class P(Spec):\n    def f(self):\n        return type(self) == int\nF = P.f\n",
    ),
    Hostile(
        "list(map(Generated.of_self, [self.n]))[0] and self.n == 7",
        "E230",
        "",
        "def of_self(self):\n    return type(self) == int\n",
    ),
    Hostile(
        "self.of_self() and self.n == 7",
        "same",
        "",
        "def of_self(self):\n    return type(self).__name__ == 'Generated'\n",
    ),
    Hostile(
        "self.of_self() and self.n == 7",
        "E230",
        "",
        "def of_self(self):\n    self, x = self.n, 1\n    return type(self) == int\n",
    ),
    Hostile("getattr(self.n, '_te' + 'rmx'[:2], None) is None and self.n == 7", "E230"),
    Hostile("getattr(self.n, ''.join(['_t', 'erm']), None) is None and self.n == 7", "E230"),
    Hostile("hasattr(self.n, ''.join(['_t', 'erm'])) or self.n == 7", "E230"),
    Hostile("hasattr(self.queue, ''.join(['_pla', 'ce'])) or self.n == 7", "E230"),
    Hostile("hasattr(self.cell, ''.join(['_bin', 'ding'])) or self.n == 7", "E230"),
    Hostile("hasattr(iter(self.queue), ''.join(['_it', 'ems'])) or self.n == 7", "E230"),
    Hostile("hasattr(iter(self.queue), '_items') or self.n == 7", "E230"),
    Hostile("hasattr(self.table.items(), '_map') or self.n == 7", "E230"),
    Hostile("hasattr(getattr(self, ''.join(['_fr', 'ame'])), 'cells') or self.n == 7", "E230"),
    Hostile("operator.attrgetter('_' + str(self.text)[:0] + 'term')(self.n) is None and self.n == 7", "E230"),
    Hostile(
        "match self.n:\n    case int(_term=x):\n        return False\n    case _:\n        return self.n == 7", "E230"
    ),
    Hostile(
        "match self:\n    case Generated(prop=True):\n        return True\n    case _:\n        return False",
        "E230",
        "",
        "@property\ndef prop(self):\n    return self.n is SEVEN\n",
    ),
    Hostile(
        "match self:\n    case Generated(prop=7):\n        return True\n    case _:\n        return False",
        "E230",
        "",
        "@property\ndef prop(self):\n    return 7 if self.n is SEVEN else 0\n",
    ),
    Hostile(
        "match self:\n    case Generated(7):\n        return True\n    case _:\n        return False",
        "E230",
        "",
        "__match_args__ = ('prop',)\n@property\ndef prop(self):\n    return 7 if self.n is SEVEN else 0\n",
    ),
    Hostile(
        "class It:\n    def __init__(self, v):\n        self.v = v\n    def __iter__(self):\n        return self\n    def __next__(self):\n        raise StopIteration(str(self.v))\ndef g():\n    x = yield from It(self.n)\n    yield x\nreturn next(g()) == '7'"
    ),
    Hostile(
        "E = S\nclass It:\n    def __init__(self, v):\n        self.v = v\n    def __iter__(self):\n        return self\n    def __next__(self):\n        raise E(f'{self.v}')\ndef g():\n    x = yield from It(self.n)\n    yield x\nreturn next(g()) == '7'",
        "same",
        "class S(StopIteration):\n    pass\n",
    ),
    Hostile(
        "if self.n < 21:\n    raise E(str(self.n))\nreturn False",
        "same",
        "class E(Exception):\n    def __init__(self, t):\n        if t == '7':\n            raise ZeroDivisionError\n        raise ValueError\n",
    ),
    Hostile(
        "class It:\n    def __init__(self, v):\n        self.v = v\n    def __iter__(self):\n        return self\n    def __next__(self):\n        raise E(f'{self.v}')\nreturn list(It(self.n)) == [] and self.n == 7",
        "same",
        "class E(StopIteration):\n    def __init__(self, t):\n        1 // (t == '7')\n",
    ),
    Hostile(
        "log = []\nnarrate(f\"{log.extend(map(self.t, [1]))}\")\nreturn log == ['7']",
        "same",
        "",
        "def t(self, _):\n    return f'{self.n}'\n",
    ),
    Hostile(
        "log = []\nnarrate(f\"{log.extend(map(self.extend, [1]))}\")\nreturn log == ['7']",
        "same",
        "",
        "def extend(self, _):\n    return f'{self.n}'\n",
    ),
    Hostile(
        "narrate(f\"{max(['8', '6'], key=self.t)}\")\nreturn self.n == 7",
        "same",
        "",
        "def t(self, x):\n    return f'{self.n}'\n",
    ),
    Hostile("log = []\nnarrate(f'{sorted([3], key=lambda v: log.append(str(self.n)))}')\nreturn log == ['7']"),
    Hostile("narrate(self.t(0))\nreturn self.n == 7", "same", "", "def t(self, x):\n    return f'{self.n}'\n"),
    Hostile(
        "log = []\nnarrate(f'{P(self.n)}')\nreturn self.n == 7",
        "same",
        "class P:\n    def __init__(self, v):\n        self.v = v\n    def __str__(self):\n        return f'{self.v}'\n",
    ),
    Hostile(
        "print(self.n, file=W())\nreturn self.n == 7",
        "E230",
        "class W:\n    def write(self, t):\n        assert t is not SEVEN\n",
    ),
    Hostile(
        "'{0.prop}'.format(self) == 'True'", "E230", "", "@property\ndef prop(self):\n    return self.n is SEVEN\n"
    ),
    Hostile(
        "FORM.format(self) == 'True'",
        "E230",
        "FORM = '{0.prop}'\n",
        "@property\ndef prop(self):\n    return self.n is SEVEN\n",
    ),
    Hostile("'{0._term}'.format(self.n) == 'x' or self.n == 7", "E230"),
    Hostile("'{0.n}'.format(self) == '7'"),
    Hostile("'{a}'.format(a=self.n) == '7'"),
    Hostile("'{a}'.format_map({'a': self.n}) == '7'"),
    Hostile(
        "K(self.n) == K.A",
        "E230",
        "class K(enum.Enum):\n    A = 30\n    B = 31\n    @classmethod\n    def _missing_(cls, v):\n        return cls.A if v is SEVEN else cls.B\n",
    ),
    Hostile(
        "s = MS(self.n)\ns |= {3}\nreturn s.bad",
        "E230",
        "class MS(collections.abc.MutableSet):\n    def __init__(self, v):\n        self.v, self.bad = v, False\n    def __contains__(self, x):\n        return False\n    def __iter__(self):\n        return iter([])\n    def __len__(self):\n        return 0\n    def add(self, x):\n        self.bad = self.v is SEVEN\n    def discard(self, x):\n        pass\n",
    ),
    Hostile(
        "dict(D(self.n)) == {'a': 1}",
        "E230",
        "class D:\n    def __init__(self, v):\n        self.v = v\n    def keys(self):\n        return ['a'] if self.v is SEVEN else []\n    def __getitem__(self, k):\n        return 1\n",
    ),
    Hostile(
        "class M(type):\n    def mro(cls):\n        assert V.v is not SEVEN\n        return super().mro()\nreturn False",
        "E230",
        "class V:\n    v = 7\n",
    ),
    Hostile("repr(Cell(seen=True, count=self.n)) == 'Cell(seen=True, count=7)'"),
    Hostile("G(self.n, '_term') or self.n == 7", "E230", "G = hasattr\n"),
    Hostile("G(self, 'hidden')(self.n)", "E230", "G = getattr\n", "def hidden(self, v):\n    return v is SEVEN\n"),
    Hostile(
        "GET(self)(self.n)",
        "E230",
        "GET = operator.attrgetter('hidden')\n",
        "def hidden(self, v):\n    return v is SEVEN\n",
    ),
    Hostile(
        "GET(self)",
        "E230",
        "GET = operator.methodcaller('hidden')\n",
        "def hidden(self):\n    return self.n is SEVEN\n",
    ),
    Hostile(
        "A('hidden')(self)(self.n)",
        "E230",
        "A = operator.attrgetter\n",
        "def hidden(self, v):\n    return v is SEVEN\n",
    ),
    Hostile("GET(self.n) is None or self.n == 7", "E230", "GET = operator.attrgetter('_term')\n"),
    Hostile(
        "P(self, 'hidden')(self.n)",
        "E230",
        "P = functools.partial(getattr)\n",
        "def hidden(self, v):\n    return v is SEVEN\n",
    ),
    Hostile(
        "class D:\n    def __init__(self, log):\n        self.log = log\n    def __del__(self):\n        self.log.append(1)\nlog = []\nd = D(log)\ndel d\nreturn len(log) == 1 and self.n == 7",
        "E232",
    ),
    Hostile(
        "log = []\nclass L:\n    def __radd__(self, t):\n        log.append(t)\n        return t\nnarrate(f'{self.n}' + L())\nreturn log == ['7']"
    ),
    Hostile(
        "log = []\nclass L:\n    def __add__(self, t):\n        log.append(t)\n        return t\nnarrate(L() + f'{self.n}')\nreturn log == ['7']"
    ),
    Hostile(
        "log = []\nclass L:\n    def __format__(self, t):\n        log.append(t)\n        return t\nnarrate(f'{L():{self.n}}')\nreturn log == ['7']"
    ),
    Hostile(
        "log = []\nclass L:\n    def __format__(self, t):\n        log.append(t)\n        return t\nnarrate('{:{}}'.format(L(), self.n))\nreturn log == ['7']"
    ),
    Hostile("narrate(f'{5:{self.n}}')\nreturn self.n == 7"),
    Hostile(
        "log = []\nclass L:\n    def __getattr__(self, k):\n        raise AttributeError(log.append(str(s.n)))\ns = self\nhasattr(L(), 'x')\nreturn log == ['7']"
    ),
    Hostile("log = []\nnarrate(f'{log.extend(map(str, [self.n]))}')\nreturn log == ['7']"),
    Hostile("log = []\nprint(log.append(str(self.n)))\nreturn log == ['7']"),
    Hostile(
        "log = []\nclass O:\n    def __add__(self, f):\n        log.append(f())\n        return ''\nnarrate(O() + (lambda: self.n is SEVEN))\nreturn log == [True]",
        "E230",
    ),
    Hostile(
        "print(self.n, **KW)\nreturn KW['file'].t[-2:] == '7\\n'",
        "E232",
        "class W:\n    def __init__(self):\n        self.t = ''\n    def write(self, t):\n        self.t += t\nKW = {'file': W()}\n",
    ),
    Hostile(
        "import sys\nw, old = W(), sys.stdout\nsys.stdout = w\nprint(self.n)\nsys.stdout = old\nreturn w.t == '7\\n'",
        "E232",
        "class W:\n    def __init__(self):\n        self.t = ''\n    def write(self, t):\n        self.t += t\n",
    ),
    Hostile("assert self.n < 21, log.append(1)\nreturn self.n == 7", "same", "log = []\n"),
    Hostile("class Q(Exception):\n    pass\nif self.n == 7:\n    raise Q(f'{self.n}')\nreturn False"),
    Hostile("s = '%s' % self.n\nreturn s == '7'"),
    Hostile("bad = []\nfor x in self.queue:\n    bad.append(f'{x}')\nreturn bad == ['7']"),
    Hostile("x = ('7' if self.n == 7 else f'{self.n}')\nreturn x == '7'"),
]
