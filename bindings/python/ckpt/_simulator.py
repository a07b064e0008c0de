"""How often to save, by formulas; and a simulator that replays failures against policies."""

from __future__ import annotations

import json
from typing import Any, Dict, NamedTuple, Optional, Sequence, Union

from . import _native as _n
from ._base import _Owned
from .made import options as _o
from .made.errors import InvalidArgumentError

__all__ = ["young_interval", "daly_interval", "expected_value_interval", "weibull_interval", "fit_weibull", "WeibullLaw",
           "Simulation"]


# ---- Formulas ----


def young_interval(cost_seconds: float, mtbf_seconds: float) -> float:
    """Seconds of work between saves that cost this much each, on a machine with this mean time between failures, by Young's
    formula."""
    return _n.ckpt_interval_young(cost_seconds, mtbf_seconds)


def daly_interval(cost_seconds: float, mtbf_seconds: float) -> float:
    """The same by Daly's formula, of a higher order."""
    return _n.ckpt_interval_daly(cost_seconds, mtbf_seconds)


def expected_value_interval(cost_seconds: float, mtbf_seconds: float) -> float:
    """The work whose expected loss is the expected cost of saving it."""
    return _n.ckpt_interval_expected_value(cost_seconds, mtbf_seconds)


def weibull_interval(cost_seconds: float, shape: float, scale_seconds: float, age_seconds: float) -> float:
    """By the hazard of a Weibull law at an age since the last failure."""
    return _n.ckpt_interval_weibull(cost_seconds, shape, scale_seconds, age_seconds)


class WeibullLaw(NamedTuple):
    """How gaps between failures are distributed."""

    shape: float
    scale_seconds: float


def fit_weibull(gap_seconds: Sequence[float], failed: Optional[Sequence[bool]] = None) -> WeibullLaw:
    """The most likely law. failed: for each gap whether it ended in a failure; None: all did. At least two must have."""
    if failed is not None and len(failed) != len(gap_seconds):
        raise InvalidArgumentError(f"failed has {len(failed)} elements, gap_seconds {len(gap_seconds)}")
    return WeibullLaw(*_n.ckpt_weibull_fit([float(gap) for gap in gap_seconds], [] if failed is None else list(failed)))


# ---- The simulator ----


class Simulation(_Owned):
    """Replays failures against policies, against Daly's interval with the true rate, and against one who knows the future."""

    _release = staticmethod(_n.ckpt_simulation_release)

    def __init__(self, *, policies: Union[str, Sequence[str], None] = None, **options: _o.simulation_options) -> None:
        """policies: also as a list. Runs when it is made."""
        joined = policies if policies is None or isinstance(policies, str) else ",".join(policies)
        self._adopt(_n.ckpt_simulation_create(_o.simulation_options(policies=joined, **options)))

    def results(self) -> Dict[str, Any]:
        """For each policy its efficiency, and its extra time against Daly's interval, over all failures, the first 10, the first
        100, and those after 100."""
        return json.loads(_n.ckpt_simulation_get_json(self._h))
