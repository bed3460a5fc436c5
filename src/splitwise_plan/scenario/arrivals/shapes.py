"""Shapes of a rate over time: bursts, days, a spike, pieces. Each is relative to the rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GRID = 4096
"""Points a day's curve is drawn through: within 1e-7 of a period of the exact one."""

Knots = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Times in seconds, and the integral of the rate over its mean until then; both (K,), from 0."""


@dataclass(frozen=True, slots=True)
class Bursts:
    """A Markov-modulated Poisson process of two states, whose mean rate is the rate.

    In bursts the rate is `ratio` times that outside of them. They take `share` of the time, and
    last `length_s` on average; times in a state are exponential.
    """

    ratio: float
    share: float
    length_s: float

    def knots(self, duration_s: float, rng: np.random.Generator) -> Knots:
        """A path of the two states until `duration_s` or later, begun in its steady state."""
        outside_s = self.length_s * (1.0 - self.share) / self.share
        low = 1.0 / (1.0 - self.share + self.share * self.ratio)
        bursting = bool(rng.random() < self.share)
        cycles = int(duration_s / (outside_s + self.length_s)) + 16
        holds: list[NDArray[np.float64]] = []
        lasting = 0.0
        while lasting < duration_s:
            first, second = (outside_s, self.length_s)[:: -1 if bursting else 1]
            pairs = rng.exponential([first, second], size=(cycles, 2))
            holds.append(pairs.ravel())
            lasting += float(pairs.sum())
        held_s = np.concatenate(holds)
        factors = np.tile([low, low * self.ratio][:: -1 if bursting else 1], len(held_s) // 2)
        return _integral(held_s, factors)

    def mean_factor(self, duration_s: float) -> float:
        """Mean rate over the rate."""
        return 1.0


@dataclass(frozen=True, slots=True)
class Days:
    """A sine: least at the beginning of a period, most in its middle, the rate on average.

    It goes `amplitude` (0 to 1) times the rate up and down.
    """

    amplitude: float
    period_s: float

    def knots(self, duration_s: float, rng: np.random.Generator) -> Knots:
        """The curve until `duration_s` or later."""
        turns = np.linspace(0.0, 1.0, GRID + 1)
        wave = self.amplitude * np.sin(2 * np.pi * turns) / (2 * np.pi)
        periods = int(np.ceil(duration_s / self.period_s))
        times, through = (
            (np.arange(periods)[:, None] + one[None, :-1]).ravel() for one in (turns, turns - wave)
        )
        ends = (np.append(times, periods), np.append(through, periods))
        return ends[0] * self.period_s, ends[1] * self.period_s

    def mean_factor(self, duration_s: float) -> float:
        """Mean rate over the rate, in whole periods."""
        return 1.0


@dataclass(frozen=True, slots=True)
class Spike:
    """The rate, but `ratio` times as much from `start_s` on for `length_s`."""

    ratio: float
    start_s: float
    length_s: float

    def knots(self, duration_s: float, rng: np.random.Generator) -> Knots:
        """Three pieces."""
        rest_s = max(duration_s - self.start_s - self.length_s, 0.0)
        lasting = np.array([self.start_s, self.length_s, rest_s])
        return _integral(lasting, np.array([1.0, self.ratio, 1.0]))

    def mean_factor(self, duration_s: float) -> float:
        """Mean rate over the rate."""
        return 1.0 + (self.ratio - 1.0) * self.length_s / duration_s


@dataclass(frozen=True, slots=True)
class Pieces:
    """Rates one after another, over and over; in relation to each other, the rate on average.

    `lasts_s`: how long each lasts; `rates_rps`: requests per second, at least one above 0.
    """

    lasts_s: tuple[float, ...]
    rates_rps: tuple[float, ...]

    @property
    def period_s(self) -> float:
        return float(sum(self.lasts_s))

    @property
    def mean_rps(self) -> float:
        return float(np.dot(self.lasts_s, self.rates_rps)) / self.period_s

    def knots(self, duration_s: float, rng: np.random.Generator) -> Knots:
        """The pieces until `duration_s` or later."""
        periods = int(np.ceil(duration_s / self.period_s))
        factors = np.array(self.rates_rps) / self.mean_rps
        return _integral(np.tile(self.lasts_s, periods), np.tile(factors, periods))

    def mean_factor(self, duration_s: float) -> float:
        """Mean rate over the rate, in whole periods."""
        return 1.0


Shape = Bursts | Days | Spike | Pieces


def _integral(lasting_s: NDArray[np.float64], factors: NDArray[np.float64]) -> Knots:
    """Knots of a rate that is constant for each of some times."""
    return (
        np.concatenate(([0.0], np.cumsum(lasting_s))),
        np.concatenate(([0.0], np.cumsum(lasting_s * factors))),
    )
