"""When to save: the threshold rule, the controller, custom policies, formulas, and a simulator that replays failures."""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native as _n
from ._async import AsyncManager
from ._base import _Owned, _timeout_ns
from ._coordinator import Coordinator
from ._state import StateLike
from ._task import CheckpointTask
from .generated import methods as _m, options as _o, values as _v
from .generated.errors import CallbackError, InvalidArgumentError
from .generated.values import ControllerEventKind, Policy, Reason

__all__ = ["Threshold", "PolicyQuestion", "Decision", "Controller", "fit_weibull", "WeibullLaw", "Simulation"]


# ---- The threshold rule ----


class Threshold(_m.ThresholdMethods, _Owned):
    """Saves after tasks that take a large enough share of the longest one, up to a number of slots. Adjusts that share by the time
    that recoveries saved. Use from one thread at a time. adaptive.h lists its weaknesses; Controller has better rules."""


# ---- The controller ----


class Decision(_v.Decision):
    __doc__ = _v.Decision.__doc__
    __slots__ = ()

    def __bool__(self) -> bool:
        return self.checkpoint


class PolicyQuestion(NamedTuple):
    """The argument of a custom policy: the time, and the controller's measurements."""

    now_seconds: float
    since_last_seconds: float
    cost_seconds: float
    durable_seconds: float
    mtbf_seconds: float
    failures: int
    saves: int


_ALWAYS_DUE = 1e-9  # seconds between saves, for custom policies: the callable can only refuse a save
_MESSAGE_BYTES = 1024  # buffer that rank 0 broadcasts: a decision as JSON, or empty


class Controller(_m.ControllerMethods, _Owned):
    """Decides when to save. Measures the cost of saves and the failure rate of the machine. Any thread may use it. Times are
    seconds on any clock that does not go backwards; without `now` the controller reads its own clock.

        controller = ckpt.Controller()
        controller.begin_run()
        for step in range(steps):
            ...
            if controller.should_checkpoint():
                controller.save_async(manager, state, step)
        controller.record_clean_exit()"""

    def __init__(self, policy: Union[int, Callable[[PolicyQuestion], Any], None] = None,
                 **options: _o.controller_options) -> None:
        """policy: a Policy, or a callable that takes a PolicyQuestion and returns whether to save. The callable runs only if
        neither the limits given here (budget, overhead, interval) nor a save in flight nor a preemption notice decides."""
        self._function = policy if callable(policy) else None
        self._max_interval = options.get("max_interval_seconds", 0)
        if callable(policy):
            options.update(policy=Policy.FIXED, interval_seconds=_ALWAYS_DUE)
        elif policy is not None:
            options["policy"] = policy
        self._adopt(_n.ckpt_controller_create(_o.controller_options(**options)))

    def _at(self, now: Optional[float]) -> float:
        return self.now() if now is None else now

    def record(self, kind: ControllerEventKind, **event: _o.controller_event) -> None:
        """Records an event; each kind uses the values that it lists. now_seconds: the controller's clock by default. The methods
        for single kinds are short forms of this one."""
        event.setdefault("now_seconds", self.now())
        _n.ckpt_controller_record(self._h, _o.controller_event(kind, **event))

    def _record(self, kind: ControllerEventKind, now: Optional[float], **values: Any) -> None:
        self.record(kind, now_seconds=self._at(now), **values)

    def should_checkpoint(self, now: Optional[float] = None) -> Decision:
        """Returns whether to save now, and why. Changes nothing."""
        now = self._at(now)
        return self._filtered(Decision._of(_n.ckpt_controller_should_checkpoint(self._h, now)), now)

    def _filtered(self, decision: Decision, now: float) -> Decision:
        """Applies the custom policy to a decision that the limits leave open."""
        if self._function is None or decision.reason not in (Reason.DUE, Reason.FIRST_SAVE):
            return decision
        if 0 < self._max_interval <= decision.since_last_seconds:
            return decision
        info = self.info()
        question = PolicyQuestion(now, decision.since_last_seconds, decision.cost_seconds, info.durable_seconds, info.mtbf_seconds,
                                  info.failures, info.saves)
        if self._function(question):
            return decision._replace(reason=Reason.DUE)
        return decision._replace(checkpoint=False, reason=Reason.NOT_DUE)

    def decide_all(self, coordinator: Coordinator, now: Optional[float] = None, timeout: float = 60.0) -> Decision:
        """Returns the same decision on all ranks, which must all call it. Rank 0 decides; the cost of a save is the longest stall
        of all ranks. A custom policy runs on rank 0 only; when it raises, the other ranks get CallbackError."""
        now = self._at(now)
        decision = Decision._of(_n.ckpt_controller_decide_all(self._h, coordinator._h, now, _timeout_ns(timeout)))
        if self._function is None:
            return decision
        message = bytearray(_MESSAGE_BYTES)
        if coordinator.rank == 0:
            try:
                text = json.dumps(self._filtered(decision, now)).encode()
                message[:len(text)] = text
            except BaseException:
                coordinator.broadcast(message, 0, timeout)
                raise
        coordinator.broadcast(message, 0, timeout)
        text = bytes(message).rstrip(b"\0")
        if not text:
            raise CallbackError("rank 0 could not decide", _n.CKPT_E_CALLBACK)
        return Decision._of(json.loads(text))

    def save_async(self, manager: AsyncManager, state: Union[StateLike, Mapping[str, Any]], step: int = 0, *,
                   now: Optional[float] = None, **options: AsyncManager.save) -> CheckpointTask:
        """Saves in the background like AsyncManager.save, and records the begin, commit and abort of the save with the manager's
        measurements. The controller's state is stored in the checkpoint under ckpt.CONTROLLER."""
        return manager._save(_n.ckpt_controller_save_async, (self._h, self._at(now), manager._h), state, step, **options)

    def restore(self, text: Union[str, Mapping[str, Any]]) -> None:
        """Restores the state that json() returned, or that state[ckpt.CONTROLLER] holds after a load. After a restart call resume
        next. Raises CorruptError when text is not such a state."""
        _n.ckpt_controller_restore(self._h, text if isinstance(text, str) else json.dumps(text))


# ---- Formulas ----


class WeibullLaw(NamedTuple):
    """A Weibull distribution of the gaps between failures."""

    shape: float
    scale_seconds: float


def fit_weibull(gap_seconds: Sequence[float], failed: Optional[Sequence[bool]] = None) -> WeibullLaw:
    """Returns the most likely law. failed: for each gap whether it ended in a failure; None: all did. Needs at least two
    failures."""
    if failed is not None and len(failed) != len(gap_seconds):
        raise InvalidArgumentError(f"failed: expected {len(gap_seconds)} elements as in gap_seconds, found {len(failed)}")
    return WeibullLaw(*_n.ckpt_weibull_fit([float(gap) for gap in gap_seconds], [] if failed is None else list(failed)))


# ---- The simulator ----


class Simulation(_m.SimulationMethods, _Owned):
    """Replays failures against policies, against Daly's interval with the true rate, and against an oracle that knows all
    failures."""

    def __init__(self, *, policies: Union[str, Sequence[str], None] = None, **options: _o.simulation_options) -> None:
        """Runs the simulation. policies: also as a list."""
        joined = policies if policies is None or isinstance(policies, str) else ",".join(policies)
        self._adopt(_n.ckpt_simulation_create(_o.simulation_options(policies=joined, **options)))
