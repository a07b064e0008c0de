"""Background tasks: their states and results, and how a program waits for one: wait(), await, or a concurrent.futures.Future."""

from __future__ import annotations

import asyncio
import concurrent.futures
from enum import IntEnum
import threading
from typing import Any, Callable, Generator, List, NamedTuple, Optional, Union

from . import _native as _n
from . import native as _native
from ._base import CkptError, InvalidStateError, NotFoundError, _call_of, _fields, _make_error, _wait_in_turns
from ._state import LoadResult, SaveResult

__all__ = ["AsyncState", "AsyncKind", "AsyncMode", "WhenFull", "Priority", "AsyncResult", "AsyncTaskInfo", "AsyncTask"]

Progress = Union[Callable[[int, int], Any], Any]


class AsyncState(IntEnum):
    """How a task stands. The last four are ends, which never change."""

    QUEUED = _n.CKPT_CHECKPOINT_TASK_STATE_QUEUED
    RUNNING = _n.CKPT_CHECKPOINT_TASK_STATE_RUNNING
    COMPLETED = _n.CKPT_CHECKPOINT_TASK_STATE_COMPLETED
    FAILED = _n.CKPT_CHECKPOINT_TASK_STATE_FAILED
    CANCELLED = _n.CKPT_CHECKPOINT_TASK_STATE_CANCELLED
    REJECTED = _n.CKPT_CHECKPOINT_TASK_STATE_REJECTED


class AsyncKind(IntEnum):
    """What a task does."""

    SAVE = _n.CKPT_CHECKPOINT_TASK_KIND_SAVE
    LOAD = _n.CKPT_CHECKPOINT_TASK_KIND_LOAD


class AsyncMode(IntEnum):
    """How a save takes the tensors' bytes. COPY: copied before save() returns. BORROW: never copied as a whole, and nobody may
    write to the arrays until the task is staged, shortly before its end. DEFERRED: copied in the background; nobody may write to
    the arrays until the task is staged, which is soon. The library keeps the arrays alive as long as it reads them."""

    COPY = _n.CKPT_STAGING_MODE_COPY
    BORROW = _n.CKPT_STAGING_MODE_BORROW
    DEFERRED = _n.CKPT_STAGING_MODE_DEFERRED


class WhenFull(IntEnum):
    """What a save or load does when the queue has no place. REFUSE: QueueFullError. WAIT: waits for one, then QueueFullError.
    DROP_OLDEST: the oldest task that no worker has begun ends REJECTED."""

    REFUSE = _n.CKPT_WHEN_FULL_REFUSE
    WAIT = _n.CKPT_WHEN_FULL_WAIT
    DROP_OLDEST = _n.CKPT_WHEN_FULL_DROP_OLDEST


class Priority(IntEnum):
    """Tasks of a higher one begin first."""

    LOW = _n.CKPT_PRIORITY_LOW
    NORMAL = _n.CKPT_PRIORITY_NORMAL
    HIGH = _n.CKPT_PRIORITY_HIGH


class AsyncResult(NamedTuple):
    """How a task ended. status: 0, or the CkptError subclass's. bytes and name (the checkpoint's directory): 0 and "" unless it
    completed. retries: operations that were tried again. Seconds: at work; that the call which made it took; from that call until
    it was durable."""

    id: int
    kind: AsyncKind
    state: AsyncState
    status: int
    step: int
    name: str
    bytes: int
    retries: int
    duration_seconds: float
    stall_seconds: float
    durable_seconds: float
    error: str

    @property
    def success(self) -> bool:
        """Whether it completed."""
        return self.state == AsyncState.COMPLETED

    def exception(self) -> Optional[CkptError]:
        """What awaiting the task raises; None when it completed."""
        return None if self.success else _make_error(self.status, self.error)


class AsyncTaskInfo(NamedTuple):
    """How a task stands at one moment. step: -1 for a load. Times in nanoseconds of monotonic_ns(); 0 for what was not yet."""

    id: int
    kind: AsyncKind
    state: AsyncState
    staged: bool
    step: int
    done_bytes: int
    total_bytes: int
    queued_at_ns: int
    started_at_ns: int
    ended_at_ns: int


def _result_of(struct: Any) -> AsyncResult:
    values = _fields(AsyncResult, struct)
    return values._replace(kind=AsyncKind(values.kind), state=AsyncState(values.state))


def _info_of(struct: Any) -> AsyncTaskInfo:
    values = _fields(AsyncTaskInfo, struct)
    return values._replace(kind=AsyncKind(values.kind), state=AsyncState(values.state), staged=bool(values.staged))


class _Future(concurrent.futures.Future):  # type: ignore[type-arg]
    """The future of one task."""

    def __init__(self, task: "AsyncTask") -> None:
        super().__init__()
        self._task = task

    def cancel(self) -> bool:
        """Asks the task to stop: what is queued or not yet committed ends cancelled."""
        return (self._task.cancel() and super().cancel()) or self.cancelled()

    def result(self, timeout: Optional[float] = None) -> AsyncResult:
        try:
            return super().result(timeout)
        finally:
            self._task._seen()

    def exception(self, timeout: Optional[float] = None) -> Optional[BaseException]:
        try:
            return super().exception(timeout)
        finally:
            self._task._seen()

    def _resolve(self) -> None:
        result = self._task._result
        assert result is not None
        if result.state == AsyncState.CANCELLED:
            super().cancel()
        if not self.set_running_or_notify_cancel():
            return
        error = result.exception()
        if error is None:
            self.set_result(result)
        else:
            self.set_exception(error)


class AsyncTask:
    """A save or load in the background. It is awaitable, from any number of event loops at once: `result = await task` raises what
    the task failed of. Cancelling the coroutine that awaits ends the waiting only: cancel() stops the task."""

    def __init__(self, manager: Any, kind: AsyncKind, step: int) -> None:
        """Made by AsyncManager.save and load."""
        self._manager = manager
        self._guard = threading.Lock()
        self._result: Optional[AsyncResult] = None
        self._made: Union[SaveResult, LoadResult, None] = None
        self._watchers: List[Callable[[], Any]] = []
        self._future: Optional[_Future] = None
        self._is_seen = False
        self.id = 0
        self.kind = kind
        self.step = step

    # ---- Ends ----

    def _end(self, result: AsyncResult, made: Union[SaveResult, LoadResult, None]) -> None:
        with self._guard:
            self._result, self._made = result, made
            watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher()

    def _watch(self, watcher: Callable[[], Any]) -> None:
        """Calls watcher once, when the task has ended, on any thread; at once when it has."""
        with self._guard:
            if self._result is None:
                self._watchers.append(watcher)
                return
        watcher()

    def _unwatch(self, watcher: Callable[[], Any]) -> None:
        with self._guard:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

    def _seen(self) -> None:
        """Tells the manager that somebody knows of a failure: else close() or the next save() would raise it once more."""
        if self._result is None or self._result.state != AsyncState.FAILED or self._is_seen:
            return
        self._is_seen = True
        try:
            _n.ckpt_async_manager_wait(self._manager._h, self.id, -1, _native.ckpt_checkpoint_task_result())
        except CkptError:  # closed, or no longer in the history
            pass

    def _outcome(self) -> AsyncResult:
        self._seen()
        assert self._result is not None
        error = self._result.exception()
        if error is not None:
            raise error
        return self._result

    # ---- Waiting ----

    def wait(self, timeout: Optional[float] = None) -> AsyncResult:
        """Waits until the task has ended, at most timeout seconds (None: for ever), and gives its result, however it ended.
        TimeoutError. InvalidStateError inside a callback of the manager."""
        if self._result is None:
            struct = _native.ckpt_checkpoint_task_result()
            _wait_in_turns(self._manager, timeout, lambda handle, ns: _n.ckpt_async_manager_wait(handle, self.id, ns, struct))
            self._is_seen = True
            return self._result or _result_of(struct)
        self._seen()
        return self._result

    def result(self, timeout: Optional[float] = None) -> AsyncResult:
        """Like wait, but raises what the task failed of, CancelledError, or QueueFullError when it was dropped."""
        self.wait(timeout)
        return self._outcome()

    def wait_staged(self, timeout: Optional[float] = None) -> None:
        """Returns when the arrays of a save may be written to, because they were copied or because it has ended. TimeoutError."""
        if self._result is None:
            _wait_in_turns(self._manager, timeout, lambda handle, ns: _n.ckpt_async_manager_wait_staged(handle, self.id, ns))

    def __await__(self) -> Generator[Any, None, AsyncResult]:
        return self._awaited().__await__()

    async def _awaited(self) -> AsyncResult:
        loop = asyncio.get_running_loop()
        woken = loop.create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)

        def ended() -> None:
            try:
                loop.call_soon_threadsafe(wake)
            except RuntimeError:  # the loop was closed meanwhile: nobody waits
                pass

        self._watch(ended)
        try:
            await woken
        finally:
            self._unwatch(ended)
        return self._outcome()

    def future(self) -> "concurrent.futures.Future[AsyncResult]":
        """The task as a future, always the same one: for concurrent.futures.wait and as_completed, done callbacks (which run on a
        thread of the manager) and asyncio.wrap_future. Cancelling it cancels the task; a cancelled task is a cancelled future."""
        with self._guard:
            if self._future is not None:
                return self._future
            self._future = future = _Future(self)
        self._watch(future._resolve)
        return future

    # ---- Looking and stopping ----

    def cancel(self) -> bool:
        """Asks the task to stop. True when it ends, or has just ended, cancelled because of this call; then nothing of it stays.
        False when it had ended, or cannot be undone any more."""
        if self._result is not None:
            return False
        try:
            with _call_of(self._manager):
                return bool(_n.ckpt_async_manager_cancel(self._manager._h, self.id))
        except NotFoundError:
            return False

    def done(self) -> bool:
        """Whether it has ended."""
        return self._result is not None

    @property
    def state(self) -> AsyncState:
        """How it stands now."""
        return self.info().state if self._result is None else self._result.state

    @property
    def staged(self) -> bool:
        """Whether the arrays of a save may be written to."""
        return self._result is not None or self.info().staged

    def info(self) -> AsyncTaskInfo:
        """State, bytes and times. NotFoundError when the task has ended and left the manager's history."""
        return self._manager.info(self.id)

    def saved(self) -> SaveResult:
        """What a save made, as Checkpoint.save gives it; waits, and raises what the task failed of."""
        return self._product(SaveResult)

    def loaded(self) -> LoadResult:
        """What a load found, as Checkpoint.load gives it; waits, and raises what the task failed of."""
        return self._product(LoadResult)

    def _product(self, kind: Any) -> Any:
        self.result()
        if not isinstance(self._made, kind):
            raise InvalidStateError(f"the task is a {self.kind.name.lower()}")
        return self._made

    def __repr__(self) -> str:
        end = "" if self._result is None else f", {self._result.state.name}"
        return f"AsyncTask({self.kind.name}, id={self.id}{end})"
