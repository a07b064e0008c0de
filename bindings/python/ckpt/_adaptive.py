"""When to save: the controller, policies of your own, and the threshold rule."""

from __future__ import annotations

from enum import IntEnum
import json
import struct as _struct
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Union

from . import _native as _n
from . import native as _native
from ._async import AsyncManager, Source, _task_options
from ._base import CallbackError, _fields, _hand_over, _handle, _Owned, _timeout_ns
from ._common import Clock
from ._coordinator import Coordinator
from ._listeners import _SourceFunction
from ._oneline import _state_of
from ._state import State, _save_options
from ._task import AsyncKind, AsyncMode, AsyncResult, AsyncTask, Priority, Progress, WhenFull

__all__ = ["Threshold", "ThresholdInfo", "ObservedTask", "Policy", "PolicyQuestion", "Reason", "Decision", "Controller",
           "ControllerInfo"]


# ---- The threshold rule ----


class ObservedTask(NamedTuple):
    """A task that was observed."""

    name: str
    seconds: float
    checkpointed: bool
    failed: bool


def _observed(fetch: Callable[..., Any], handle: Any, count: int) -> List[ObservedTask]:
    found = []
    for index in range(count):
        task = _native.ckpt_task_observation()
        fetch(handle, index, task)
        found.append(ObservedTask(task.name, task.seconds, bool(task.checkpointed), bool(task.failed)))
    return found


class ThresholdInfo(NamedTuple):
    """How a threshold rule stands."""

    threshold: float
    longest_seconds: float
    budget: int
    used: int
    tasks: int


class Threshold(_Owned):
    """Saves after tasks that take a large enough share of the longest one, while it has slots; moves that share by what recoveries
    saved. One thread at a time. adaptive.h names its weaknesses: Controller knows better rules."""

    _release = staticmethod(_n.ckpt_threshold_release)

    def __init__(self, threshold: float = 0.35, learning_rate: float = 0.1, budget: int = 3) -> None:
        options = _native.ckpt_threshold_options()
        options.threshold = threshold
        options.learning_rate = learning_rate
        options.budget = budget
        self._adopt(_n.ckpt_threshold_create(options))

    def observe_task(self, name: str, seconds: float) -> None:
        """A task took this long."""
        _n.ckpt_threshold_observe_task(self._h, name, seconds)

    def should_checkpoint(self, name: str, cost_seconds: float) -> bool:
        """Whether to save; a yes consumes a slot."""
        return bool(_n.ckpt_threshold_should_checkpoint(self._h, name, cost_seconds))

    def adjust_policy(self, recovery_seconds_saved: float, checkpoint_overhead_seconds: float) -> None:
        """Lowers the threshold when saving paid, raises it when it did not."""
        _n.ckpt_threshold_adjust_policy(self._h, recovery_seconds_saved, checkpoint_overhead_seconds)

    def begin_run(self) -> None:
        """All slots are free again."""
        _n.ckpt_threshold_begin_run(self._h)

    def info(self) -> ThresholdInfo:
        """Threshold, longest task and slots now."""
        struct = _native.ckpt_threshold_info()
        _n.ckpt_threshold_get_info(self._h, struct)
        return _fields(ThresholdInfo, struct)

    def tasks(self) -> List[ObservedTask]:
        """The last 256 that were observed, the oldest first."""
        return _observed(_n.ckpt_threshold_task, self._h, self.info().tasks)


# ---- The controller ----


class Policy(IntEnum):
    """How a controller chooses the time between saves. AUTO weighs the others by what each would have cost so far."""

    AUTO = _n.CKPT_POLICY_AUTO
    THRESHOLD = _n.CKPT_POLICY_THRESHOLD
    EXPECTED_VALUE = _n.CKPT_POLICY_EXPECTED_VALUE
    YOUNG = _n.CKPT_POLICY_YOUNG
    DALY = _n.CKPT_POLICY_DALY
    BAYES = _n.CKPT_POLICY_BAYES
    WEIBULL = _n.CKPT_POLICY_WEIBULL
    FIXED = _n.CKPT_POLICY_FIXED


class Reason(IntEnum):
    """Why a decision is what it is."""

    NOT_DUE = _n.CKPT_REASON_NOT_DUE
    DUE = _n.CKPT_REASON_DUE
    FIRST_SAVE = _n.CKPT_REASON_FIRST_SAVE
    TASK_IS_LONG = _n.CKPT_REASON_TASK_IS_LONG
    TASK_IS_SHORT = _n.CKPT_REASON_TASK_IS_SHORT
    SAVE_IN_FLIGHT = _n.CKPT_REASON_SAVE_IN_FLIGHT
    BUDGET_IS_SPENT = _n.CKPT_REASON_BUDGET_IS_SPENT
    PREEMPTION = _n.CKPT_REASON_PREEMPTION
    PREEMPTION_SHORT = _n.CKPT_REASON_PREEMPTION_SHORT
    PREEMPTION_SAVED = _n.CKPT_REASON_PREEMPTION_SAVED


class Decision(NamedTuple):
    """An answer, true when it says to save now. interval_seconds: wanted between saves; risk: of a failure within that time;
    cost_seconds: of a save, measured, given, or assumed; since_last_seconds: since the last save or the begin of work;
    due_seconds: when a save is wanted, on the caller's clock."""

    checkpoint: bool
    reason: Reason
    policy: Policy
    interval_seconds: float
    risk: float
    cost_seconds: float
    since_last_seconds: float
    due_seconds: float

    def __bool__(self) -> bool:
        return self.checkpoint


def _decision_of(struct: Any) -> Decision:
    values = _fields(Decision, struct)
    return values._replace(checkpoint=bool(values.checkpoint), reason=Reason(values.reason), policy=Policy(values.policy))


class PolicyQuestion(NamedTuple):
    """What a policy of yours is asked: the time, and what the controller knows."""

    now_seconds: float
    since_last_seconds: float
    cost_seconds: float
    durable_seconds: float
    mtbf_seconds: float
    failures: int
    saves: int


class ControllerInfo(NamedTuple):
    """What a controller knows now."""

    running: bool
    save_in_flight: bool
    failures: int
    saves: int
    cost_seconds: float
    durable_seconds: float
    unjudged_overhead_seconds: float
    last_seen_seconds: float
    mtbf_seconds: float
    threshold: float
    threshold_used: int
    tasks: int


_ALWAYS_DUE = 1e-9  # seconds between saves, for policies of the caller's: the callable says no
_WIRE = _struct.Struct("=iiidddddi")


class Controller(_Owned):
    """Decides when to save, and learns what saves cost and how often the machine fails. Any thread may use it. Times are seconds on
    any clock that does not go backwards; without `now` the controller's own clock is asked.

        controller = ckpt.Controller()
        controller.begin_run()
        for step in range(steps):
            ...
            if controller.should_checkpoint():
                controller.save_async(manager, state, step)
        controller.record_clean_exit()"""

    _release = staticmethod(_n.ckpt_controller_release)

    def __init__(self, policy: Union[int, Callable[[PolicyQuestion], Any]] = Policy.AUTO, *, mtbf_seconds: float = 0.0,
                 interval_seconds: float = 0.0, keep: float = 1.0, initial_cost_seconds: float = 0.0, first_seconds: float = 600.0,
                 poll_seconds: float = 0.0, min_interval_seconds: float = 0.0, max_interval_seconds: float = 0.0,
                 max_overhead_share: float = 1.0, budget_saves: int = 2**63 - 1, budget_window_seconds: float = 0.0,
                 threshold: float = 0.35, threshold_learning_rate: float = 0.1, threshold_budget: int = 3,
                 clock: Optional[Clock] = None) -> None:
        """policy: a Policy, or a callable that gets a PolicyQuestion and says whether to save; it is asked only when the limits
        here (budget, overhead, interval), a save in flight and preemption notices leave the choice. mtbf_seconds: for YOUNG and
        DALY. interval_seconds: for FIXED. keep: share of what is known that a failure leaves, for BAYES and EXPECTED_VALUE.
        initial_cost_seconds: of a save, until one was measured; without, the first comes no later than first_seconds. The rest as
        in ckpt_controller_options (adaptive.h)."""
        self._function = policy if callable(policy) else None
        self._max_interval = max_interval_seconds
        options = _native.ckpt_controller_options()
        options.policy = _n.CKPT_POLICY_FIXED if callable(policy) else policy
        options.interval_seconds = _ALWAYS_DUE if callable(policy) else interval_seconds
        options.mtbf_seconds = mtbf_seconds
        options.keep = keep
        options.initial_cost_seconds = initial_cost_seconds
        options.first_seconds = first_seconds
        options.poll_seconds = poll_seconds
        options.min_interval_seconds = min_interval_seconds
        options.max_interval_seconds = max_interval_seconds
        options.max_overhead_share = max_overhead_share
        options.budget_saves = budget_saves
        options.budget_window_seconds = budget_window_seconds
        options.threshold = threshold
        options.threshold_learning_rate = threshold_learning_rate
        options.threshold_budget = threshold_budget
        options.clock = _handle(clock)
        self._adopt(_n.ckpt_controller_create(options))

    def now(self) -> float:
        """Seconds on the controller's clock."""
        return _n.ckpt_controller_get_now(self._h)

    def _at(self, now: Optional[float]) -> float:
        return self.now() if now is None else now

    # ---- A run ----

    def begin_run(self, now: Optional[float] = None) -> None:
        """A run begins. InvalidStateError while one is going on."""
        _n.ckpt_controller_begin_run(self._h, self._at(now))

    def resume(self, now: Optional[float] = None) -> None:
        """A process goes on with what it loaded by from_json: a run that was going on there has failed. Without one: begin_run."""
        _n.ckpt_controller_resume(self._h, self._at(now))

    def should_checkpoint(self, now: Optional[float] = None) -> Decision:
        """Whether to save now, and why. Changes nothing."""
        now = self._at(now)
        struct = _native.ckpt_decision()
        _n.ckpt_controller_should_checkpoint(self._h, now, struct)
        return self._filtered(_decision_of(struct), now)

    def _filtered(self, decision: Decision, now: float) -> Decision:
        """What a policy of the caller's says where the limits leave the choice."""
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
        """The same answer for all processes, which must all call it: rank 0 decides. A policy of yours is asked there only; when it
        raises, the other ranks get CallbackError."""
        now = self._at(now)
        if self._function is None:
            struct = _native.ckpt_decision()
            _n.ckpt_controller_decide_all(self._h, coordinator._h, now, _timeout_ns(timeout), struct)
            return _decision_of(struct)
        message = bytearray(_WIRE.size)
        if coordinator.rank == 0:
            try:
                decision = self.should_checkpoint(now)
                _WIRE.pack_into(message, 0, *decision, 1)
            except BaseException:
                coordinator.broadcast(message, 0, timeout)
                raise
        coordinator.broadcast(message, 0, timeout)
        *values, valid = _WIRE.unpack(message)
        if not valid:
            raise CallbackError("rank 0 could not decide", _n.CKPT_E_CALLBACK)
        decision = Decision._make(values)
        return decision._replace(checkpoint=bool(decision.checkpoint), reason=Reason(decision.reason),
                                 policy=Policy(decision.policy))

    # ---- Saves ----

    def begin(self, now: Optional[float] = None) -> None:
        """A save starts. Until commit or abort no other one is asked for."""
        _n.ckpt_controller_begin(self._h, self._at(now))

    def commit(self, stall_seconds: float, durable_seconds: float, now: Optional[float] = None) -> None:
        """The save is durable. stall_seconds: that work stood still for it; durable_seconds: from its begin until it was
        durable."""
        _n.ckpt_controller_commit(self._h, self._at(now), stall_seconds, durable_seconds)

    def abort(self, now: Optional[float] = None) -> None:
        """The save came to nothing."""
        _n.ckpt_controller_abort(self._h, self._at(now))

    def save_async(self, manager: AsyncManager, state: Union[State, Mapping[str, Any]], step: int = 0, *,
                   now: Optional[float] = None, mode: int = AsyncMode.COPY, when_full: int = WhenFull.REFUSE,
                   timeout: Optional[float] = None, priority: int = Priority.NORMAL, gate_step: Optional[int] = None,
                   progress: Optional[Progress] = None, on_staged: Optional[Callable[[float], Any]] = None,
                   on_ended: Optional[Callable[[AsyncResult], Any]] = None, source: Optional[Source] = None, group: str = "model",
                   values: Optional[Mapping[str, Any]] = None, allow_empty: bool = False, **options: Any) -> AsyncTask:
        """Saves in the background; the save begins, commits and aborts by itself, with what the manager measured. What the
        controller knows goes into the checkpoint under ckpt.CONTROLLER. Arguments as for AsyncManager.save."""
        if not isinstance(state, State):
            with _state_of(state, group, values, allow_empty) as made:
                return self.save_async(manager, made, step, now=now, mode=mode, when_full=when_full, timeout=timeout,
                                       priority=priority, gate_step=gate_step, progress=progress, on_staged=on_staged,
                                       on_ended=on_ended, source=source, **options)
        for key, value in (values or {}).items():
            state[key] = value
        given, _texts = _save_options(step, **options)
        reader = None if source is None else _hand_over(_SourceFunction(source))
        what, time = state._h, self._at(now)
        return manager._start(AsyncKind.SAVE, step, _task_options(when_full, timeout, priority, gate_step, mode), progress,
                              on_staged,
                              on_ended, lambda how, listener: _n.ckpt_controller_save_async(self._h, time, manager._h, what, given,
                                                                                            how, listener, reader))

    # ---- Learning ----

    def observe_task(self, name: str, seconds: float) -> None:
        """A task took this long. Its mean also stands for poll_seconds when that is 0."""
        _n.ckpt_controller_observe_task(self._h, name, seconds)

    def record_failure(self, now: Optional[float] = None) -> None:
        """The machine failed, and what was not saved is lost. The run goes on."""
        _n.ckpt_controller_record_failure(self._h, self._at(now))

    def record_recovery(self, seconds_saved: float, overhead_seconds: float, now: Optional[float] = None) -> None:
        """Work goes on after a failure. seconds_saved: work that the loaded checkpoint made it needless to do again;
        overhead_seconds: what that checkpoint had cost."""
        _n.ckpt_controller_record_recovery(self._h, self._at(now), seconds_saved, overhead_seconds)

    def record_clean_exit(self, now: Optional[float] = None) -> None:
        """The run ends without a failure."""
        _n.ckpt_controller_record_clean_exit(self._h, self._at(now))

    def preemption_notice(self, seconds_left: float, now: Optional[float] = None) -> None:
        """The process will be ended: a save is asked for at once if it would be durable in time."""
        _n.ckpt_controller_notify_preemption(self._h, self._at(now), seconds_left)

    # ---- Looking, keeping ----

    def info(self) -> ControllerInfo:
        """What it knows now."""
        struct = _native.ckpt_controller_info()
        _n.ckpt_controller_get_info(self._h, struct)
        info = _fields(ControllerInfo, struct)
        return info._replace(running=bool(info.running), save_in_flight=bool(info.save_in_flight))

    def tasks(self) -> List[ObservedTask]:
        """The last 256 that were observed, the oldest first."""
        return _observed(_n.ckpt_controller_task, self._h, self.info().tasks)

    def json(self) -> str:
        """Everything that it knows, for from_json in this or another process. save_async puts it into the checkpoint by itself."""
        return _n.ckpt_controller_get_json(self._h)

    def from_json(self, text: Union[str, Mapping[str, Any]]) -> None:
        """Takes over what json() gave, or what state[ckpt.CONTROLLER] holds after a load. After a restart call resume next.
        CorruptError when it is no such text."""
        _n.ckpt_controller_restore(self._h, text if isinstance(text, str) else json.dumps(text))
