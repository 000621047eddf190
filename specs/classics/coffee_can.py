"""The coffee can problem (Scholten, Dijkstra 1979; told by Gries in "The Science of Programming", 1981).

Take two beans out of the can. If they differ, the white one goes back; if not, a black one goes in. Repeat.
"""

from typing import Self

from everystate.checker import AnyOf, Constant, Int, Spec, action, initial, reachable, require, step_invariant


class CoffeeCan(Spec):
    """Take beans out of a can by twos until one is left: what colour is it?"""

    beans = Constant(100, "beans in the can at the start, at most")

    def variables(self) -> None:
        self.black = Int(0, self.beans, init=AnyOf())
        self.white = Int(0, self.beans, init=AnyOf())

    @initial
    def some_beans(self) -> None:
        require(1 <= self.black + self.white <= self.beans)

    @action
    def take_two_black(self) -> None:
        require(self.black >= 2)
        self.black -= 1

    @action
    def take_two_white(self) -> None:
        require(self.white >= 2)
        self.white -= 2
        self.black += 1

    @action
    def take_one_of_each(self) -> None:
        require(self.black >= 1 and self.white >= 1)
        self.black -= 1

    @action
    def look_at_the_last_bean(self) -> None:
        require(self.black + self.white == 1)

    @step_invariant
    def one_bean_less(self, before: Self) -> bool:
        """every step takes away exactly one bean, until one is left"""
        left, left_before = self.black + self.white, before.black + before.white
        return left == left_before - 1 or left_before == 1

    @step_invariant
    def white_parity_stays(self, before: Self) -> bool:
        """white beans stay odd or even in number, so the last bean is white just if they were odd at the start"""
        return self.white % 2 == before.white % 2

    @reachable
    def last_is_white(self) -> bool:
        """the last bean can be a white one"""
        return self.black == 0 and self.white == 1
