"""The little program of Lamport's "Teaching Concurrency" (SIGACT News, 2009): why does some process end with y = 1?"""

from everystate.checker import Array, Constant, Enum, Int, Record, Spec, action, implies, invariant, reachable, require


class Process(Record):
    """What one process writes, and where in its program it is."""

    x = Int(0, 1)
    y = Int(0, 1)
    at = Enum("write x", "read x", "done")


class Simple(Spec):
    """Each process of a circle sets its x to 1, then reads the x of its neighbour into its y."""

    processes = Constant(5, "processes in the circle")

    def variables(self) -> None:
        self.process = Array(self.processes, Process)

    @action(i="processes")
    def write(self, i: int) -> None:
        mine = self.process[i]
        require(mine.at == "write x")
        mine.x = 1
        mine.at = "read x"

    @action(i="processes")
    def read(self, i: int) -> None:
        mine, neighbour = self.process[i], self.process[i - 1]  # the neighbour of number 0 is the last one
        require(mine.at == "read x")
        mine.y = neighbour.x
        mine.at = "done"

    @action
    def rest(self) -> None:
        """All is done, for ever: a step that changes nothing is no deadlock."""
        require(self.all_done())

    def all_done(self) -> bool:
        """Whether every process has reached its end."""
        return all(process.at == "done" for process in self.process)

    @invariant
    def somebody_reads_one(self) -> bool:
        """when all processes are done, the y of at least one of them is 1"""
        return implies(self.all_done(), any(process.y == 1 for process in self.process))

    @invariant
    def x_is_written_first(self) -> bool:
        """a process that has gone past its first statement has set its x"""
        return all(process.at == "write x" or process.x == 1 for process in self.process)

    @reachable
    def somebody_reads_zero(self) -> bool:
        """the y of a process that is done can also be 0"""
        return any(process.at == "done" and process.y == 0 for process in self.process)
