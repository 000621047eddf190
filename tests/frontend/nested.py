"""A spec with collections in collections, for the bodies in `bodies/nested.txt`."""

HEAD = '''"""A spec with collections in collections."""

import copy, itertools, functools, math, collections
from everystate.checker import *
class R(Record):
    x = Int(0, 3)
    y = Bool()
    def bump(self):
        if self.x < 3:
            self.x += 1
class Q(Record):
    items = Seq(Int(0, 2), 2)
    tags = Set(range(3))
    o = Option(Int(0, 2))
    r = R.of()
class Generated(Spec):
    may_terminate = True
    def variables(self):
        self.mq = Map(range(2), Seq(Int(0, 3), 3))
        self.az = Array(2, Set(range(3)))
        self.qs = Seq(Q, 2)
        self.q1 = Q.of()
        self.mm = Map(range(2), Map(["a", "b"], Int(0, 2)))
        self.opt = Option(R)
        self.ao = Array(2, Option(Int(0, 2)))
        self.i = Int(0, 1)
        self.n = Int(0, 5)
        self.b = Bool()
        self.pairs = Set(Product(Int(0, 1), Int(0, 2)))
        self.log = Seq(Product(Int(0, 1), Int(0, 2)), 3)
'''
