"""The cigarette smokers problem of Suhas Patil (1971): three smokers each own one ingredient, a dealer offers two."""

import enum

from everystate.checker import AnyOf, Set, Spec, action, invariant, reachable, require


class Ingredient(enum.Enum):
    """What a cigarette needs; each smoker is known by the one ingredient that he owns."""

    MATCHES = "matches"
    PAPER = "paper"
    TOBACCO = "tobacco"


def all_but(withheld: Ingredient) -> set[Ingredient]:
    """The dealer's offer that leaves one ingredient out."""
    return {ingredient for ingredient in Ingredient if ingredient != withheld}


class CigaretteSmokers(Spec):
    """A dealer offers two ingredients, and whoever owns the third one smokes."""

    def variables(self) -> None:
        self.offered = Set(Ingredient, init=AnyOf([all_but(withheld) for withheld in Ingredient]))
        self.smoking = Set(Ingredient)

    @action
    def start_smoking(self) -> None:
        require(len(self.offered) > 0)
        for owned in Ingredient:
            if owned not in self.offered:
                self.smoking.add(owned)
        self.offered = set()

    @action(withheld=Ingredient)
    def stop_smoking_and_offer(self, withheld: Ingredient) -> None:
        require(len(self.offered) == 0)
        self.smoking = set()
        self.offered = all_but(withheld)

    @invariant
    def at_most_one_smokes(self) -> bool:
        """no two smokers smoke at the same time"""
        return len(self.smoking) <= 1

    @reachable
    def tobacco_owner_smokes(self) -> bool:
        """the smoker who owns the tobacco gets to smoke"""
        return Ingredient.TOBACCO in self.smoking
