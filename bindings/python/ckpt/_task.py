"""Background tasks: their states and results, and ways to wait for one: wait(), await, or a concurrent.futures.Future."""

from __future__ import annotations

import concurrent.futures
import threading
from typing import Any, Callable, Generator, List, Optional, Union

from . import _native as _n
from ._base import _make_error, _wait_interruptibly
from ._root import CkptError
from .generated import values as _v
from .generated.errors import InvalidStateError
from .generated.values import CheckpointTaskInfo, CheckpointTaskKind, CheckpointTaskState, LoadResult, SaveResult

__all__ = ["CheckpointTaskResult", "CheckpointTask"]


class CheckpointTaskResult(_v.CheckpointTaskResult):
    __doc__ = _v.CheckpointTaskResult.__doc__
    __slots__ = ()

    @property
    def success(self) -> bool:
        """Whether the task completed."""
        return self.state == CheckpointTaskState.COMPLETED

    def exception(self) -> Optional[CkptError]:
        """The exception that awaiting the task raises; None when it completed."""
        return None if self.success else _make_error(self.status, self.error)


class _Future(concurrent.futures.Future[CheckpointTaskResult]):
    """The future of one task."""

    def __init__(self, task: "CheckpointTask") -> None:
        super().__init__()
        self._task = task

    def cancel(self) -> bool:
        """Asks the task to stop: it ends cancelled if it is queued or not yet committed."""
        return (self._task.cancel() and super().cancel()) or self.cancelled()

    def result(self, timeout: Optional[float] = None) -> CheckpointTaskResult:
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
        if result.state == CheckpointTaskState.CANCELLED:
            super().cancel()
        if not self.set_running_or_notify_cancel():
            return
        error = result.exception()
        if error is None:
            self.set_result(result)
        else:
            self.set_exception(error)


class CheckpointTask:
    """A save or load in the background. It can be awaited from any number of event loops at once: `result = await task` raises the
    error of a failed task. Cancelling the coroutine that awaits ends only the waiting: cancel() stops the task."""

    def __init__(self, manager: Any, kind: CheckpointTaskKind, step: int) -> None:
        """Internal: AsyncManager.save and load create tasks."""
        self._manager = manager
        self._guard = threading.Lock()
        self._result: Optional[CheckpointTaskResult] = None
        self._made: Union[SaveResult, LoadResult, None] = None
        self._watchers: List[Callable[[], Any]] = []
        self._future: Optional[_Future] = None
        self._is_seen = False
        self.id = 0
        self.kind = kind
        self.step = step

    # ---- The end of a task ----

    def _end(self, result: CheckpointTaskResult, created: Union[SaveResult, LoadResult, None]) -> None:
        with self._guard:
            self._result, self._made = result, created
            watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher()

    def _watch(self, watcher: Callable[[], Any]) -> None:
        """Calls watcher once, when the task has ended, on any thread; immediately if it has ended already."""
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
        """Marks the failure as retrieved; otherwise close() or the next save() would raise it again."""
        if self._result is None or self._result.state != CheckpointTaskState.FAILED or self._is_seen:
            return
        try:
            _n.ckpt_async_manager_wait(self._manager._h, self.id, -1)
        except CkptError:  # closed, or no longer in the history
            pass
        self._is_seen = True  # only now: another thread that finds it set may save

    def _outcome(self) -> CheckpointTaskResult:
        self._seen()
        assert self._result is not None
        error = self._result.exception()
        if error is not None:
            raise error
        return self._result

    # ---- Waiting ----

    def wait(self, timeout: Optional[float] = None) -> CheckpointTaskResult:
        """Waits until the task has ended, at most timeout seconds (None: no limit), and returns its result, whether it failed or
        not. Raises TimeoutError; InvalidStateError inside a callback of the manager."""
        if self._result is None:
            ended = self._manager._wait_for(self.id, timeout)
            self._is_seen = True
            return self._result or ended
        self._seen()
        return self._result

    def result(self, timeout: Optional[float] = None) -> CheckpointTaskResult:
        """Like wait, but raises the error of a failed task, CancelledError, or QueueFullError when it was dropped."""
        self.wait(timeout)
        return self._outcome()

    def wait_staged(self, timeout: Optional[float] = None) -> None:
        """Returns when the arrays of a save may be written to: they were copied, or it has ended. Raises TimeoutError."""
        if self._result is None:
            _wait_interruptibly(self._manager, timeout, lambda handle, ns: _n.ckpt_async_manager_wait_staged(handle, self.id, ns))

    def __await__(self) -> Generator[Any, None, CheckpointTaskResult]:
        return self._awaited().__await__()

    async def _awaited(self) -> CheckpointTaskResult:
        import asyncio  # imported late: most programs have no event loop, and importing it takes longer than this package

        loop = asyncio.get_running_loop()
        woken = loop.create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)

        def ended() -> None:
            try:
                loop.call_soon_threadsafe(wake)
            except RuntimeError:  # the loop was closed meanwhile: nothing waits
                pass

        self._watch(ended)
        try:
            await woken
        finally:
            self._unwatch(ended)
        return self._outcome()

    def future(self) -> "concurrent.futures.Future[CheckpointTaskResult]":
        """Returns the task as a future, always the same one: for concurrent.futures.wait and as_completed, done callbacks (which
        run on a thread of the manager) and asyncio.wrap_future. Cancelling it cancels the task; a cancelled task is a cancelled
        future."""
        with self._guard:
            if self._future is not None:
                return self._future
            self._future = future = _Future(self)
        self._watch(future._resolve)
        return future

    # ---- Queries and cancellation ----

    def cancel(self) -> bool:
        """Asks the task to stop. Returns True when it ends, or has just ended, cancelled because of this call; then it leaves
        nothing in the storage. Returns False when it had already ended, or can no longer be undone."""
        if self._result is not None:
            return False
        return self._manager._cancel(self.id)

    def done(self) -> bool:
        """Returns whether it has ended."""
        return self._result is not None

    @property
    def state(self) -> CheckpointTaskState:
        """The current state."""
        return self.info().state if self._result is None else self._result.state

    @property
    def staged(self) -> bool:
        """Whether the arrays of a save may be written to now."""
        return self._result is not None or self.info().staged

    def info(self) -> CheckpointTaskInfo:
        """Returns state, bytes and times. Raises NotFoundError when the task has ended and left the manager's history."""
        return self._manager.info(self.id)

    def saved(self) -> SaveResult:
        """Waits for a save and returns its SaveResult, as CheckpointManager.save does. Raises the error of a failed task."""
        return self._product(SaveResult)

    def loaded(self) -> LoadResult:
        """Waits for a load and returns its LoadResult, as CheckpointManager.load does. Raises the error of a failed task."""
        return self._product(LoadResult)

    def _product(self, kind: Any) -> Any:
        self.result()
        if not isinstance(self._made, kind):
            raise InvalidStateError(f"the task is a {self.kind.name.lower()}")
        return self._made

    def __repr__(self) -> str:
        end = "" if self._result is None else f", {self._result.state.name}"
        return f"CheckpointTask({self.kind.name}, id={self.id}{end})"
