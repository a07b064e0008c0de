"""Saves and loads in the background, and the one-line form of them."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Union

from . import _native as _n
from . import native as _native
from ._base import (CkptError, ClosedError, ForkedError, InvalidArgumentError, _call_of, _fields, _hand_over,
                    _is_inside, _Owned, _owners_of_threads, _timeout_ns, _wait_in_turns)
from ._listeners import _ManagerListener, _SourceFunction, _TaskListener
from ._oneline import _key, _shared, _state_of
from ._state import Checkpoint, PathLike, State, _load_options, _save_options
from ._storage import Storage
from ._task import AsyncKind, AsyncMode, AsyncResult, AsyncTask, AsyncTaskInfo, Priority, Progress, WhenFull, _info_of

__all__ = ["AsyncManager", "AsyncStats", "save_async", "finish_saves"]

Source = Callable[[str, str, int, int, memoryview], Any]


class AsyncStats(NamedTuple):
    """What a manager does now, and what it has done so far."""

    live: int
    running: int
    completed: int
    failed: int
    cancelled: int
    rejected: int
    in_flight_bytes: int
    written_bytes: int
    staging_bytes: int
    stall_seconds: float
    last_stall_seconds: float


class AsyncManager(_Owned):
    """Background tasks of one Checkpoint. Any thread may use it.

        with ckpt.AsyncManager("run", keep_last=3) as manager:
            task = manager.save({"w": w}, step)      # w may change when it returns
            ...                                      # training goes on
            print(task.wait().name)                  # or: await task

    A with-block ends when all tasks have. The failure of a task that nobody asked about (wait, await, result, future) is raised
    there, or by the next save or load, each once, the oldest first; when the block raised something itself, that is raised with the
    failure as its context. Callables run on threads of the manager, or on the one that cancels or closes; inside them state, cancel,
    end_step and stats may be used, what waits raises InvalidStateError. What they raise goes to sys.unraisablehook."""

    _release = staticmethod(_n.ckpt_async_manager_release)
    _at_exit = "wait"

    def __init__(self, checkpoint: Union[Checkpoint, Storage, PathLike], *, workers: int = 1, capacity: int = 10,
                 history: int = 100, staging_bytes: int = 1 << 30, prepare_bytes: int = 0, bytes_per_second: int = 0,
                 staging_threads: int = 0, nice: int = 0, drain_timeout: Optional[float] = 30.0, at_exit: str = "wait",
                 on_staged: Optional[Callable[[int, float], Any]] = None,
                 on_progress: Optional[Callable[[int, int, int], Any]] = None,
                 on_ended: Optional[Callable[[AsyncResult], Any]] = None, **checkpoint_options: Any) -> None:
        """checkpoint: one, or where to make one with checkpoint_options. workers: threads that write. capacity: tasks that have not
        ended, at most. history: ended ones that can still be asked for. staging_bytes: memory for copies, at most, of which
        prepare_bytes are touched now. bytes_per_second: limit on what is written, 0: none. staging_threads: that copy, 0: a few.
        nice: of the manager's threads. at_exit: "wait" or "cancel": what becomes of tasks when the interpreter exits.
        drain_timeout: seconds for which the exit waits, and Python itself when it frees a manager that was not closed; None: for
        ever. on_staged(id, stall_seconds), on_progress(id, done_bytes, total_bytes),
        on_ended(result): told of every task."""
        if at_exit not in ("wait", "cancel"):
            raise InvalidArgumentError(f"at_exit is '{at_exit}'; 'wait' or 'cancel'", _n.CKPT_E_INVALID_ARGUMENT)
        options = _native.ckpt_async_manager_options()
        options.workers = workers
        options.capacity = capacity
        options.history = history
        options.staging_bytes = staging_bytes
        options.prepare_bytes = prepare_bytes
        options.bytes_per_second = bytes_per_second
        options.staging_threads = staging_threads
        options.nice = nice
        options.drain_timeout_ns = _timeout_ns(drain_timeout)
        self._at_exit = at_exit
        self._drain_timeout = drain_timeout
        listener = None
        if on_staged is not None or on_progress is not None or on_ended is not None:
            listener = _hand_over(_ManagerListener(on_staged, on_progress, on_ended))
        if isinstance(checkpoint, Checkpoint):
            if checkpoint_options:
                raise InvalidArgumentError(f"{', '.join(checkpoint_options)}: options of a Checkpoint that was made already")
            self._adopt(_n.ckpt_async_manager_create(checkpoint._h, options, listener))
        else:
            with Checkpoint(checkpoint, **checkpoint_options) as made:
                self._adopt(_n.ckpt_async_manager_create(made._h, options, listener))
        _owners_of_threads.add(self)

    @property
    def _h(self) -> Any:
        handle = self._slot
        if handle is None:
            raise ClosedError("the AsyncManager is closed")
        return handle

    # ---- Tasks ----

    def save(self, state: Union[State, Mapping[str, Any]], step: int = 0, *, mode: int = AsyncMode.COPY,
             when_full: int = WhenFull.REFUSE, timeout: Optional[float] = None, priority: int = Priority.NORMAL,
             gate_step: Optional[int] = None, progress: Optional[Progress] = None,
             on_staged: Optional[Callable[[float], Any]] = None, on_ended: Optional[Callable[[AsyncResult], Any]] = None,
             source: Optional[Source] = None, group: str = "model", values: Optional[Mapping[str, Any]] = None,
             allow_empty: bool = False, **options: Any) -> AsyncTask:
        """Saves in the background. state: a State, or a dict of arrays (with values and allow_empty) as for ckpt.save.
        mode: how the bytes are taken; with AsyncMode.COPY the arrays may change when this returns. when_full: QueueFullError at
        once, after waiting timeout seconds (None: for ever), or never while an older task can be dropped. gate_step: the writing
        begins after end_step of that step. progress(done_bytes, total_bytes), about every 4 MiB; or a bar with update and total,
        such as tqdm's. on_staged(stall_seconds); on_ended(result), before anybody who waits is told. source(group, name, address,
        offset, buffer): fills buffer with a tensor's bytes, for memory that the library cannot read. options: as for
        Checkpoint.save. Raises the failure of an earlier task that nobody has asked about; then nothing is saved."""
        if not isinstance(state, State):
            with _state_of(state, group, values, allow_empty) as made:
                return self.save(made, step, mode=mode, when_full=when_full, timeout=timeout, priority=priority,
                                 gate_step=gate_step, progress=progress, on_staged=on_staged, on_ended=on_ended, source=source,
                                 **options)
        for key, value in (values or {}).items():
            state[key] = value
        given, _texts = _save_options(step, **options)
        reader = None if source is None else _hand_over(_SourceFunction(source))
        handle = state._h
        return self._start(AsyncKind.SAVE, step, _task_options(when_full, timeout, priority, gate_step, mode), progress, on_staged,
                           on_ended, lambda how, listener: _n.ckpt_async_manager_save(self._h, handle, given, how, listener, reader))

    def load(self, state: State, *, when_full: int = WhenFull.REFUSE, timeout: Optional[float] = None,
             priority: int = Priority.NORMAL, gate_step: Optional[int] = None,
             on_ended: Optional[Callable[[AsyncResult], Any]] = None, **options: Any) -> AsyncTask:
        """Loads into state in the background; nobody else may use it until the task has ended. options: as for Checkpoint.load, the
        rest as for save. Raises the failure of an earlier task, too."""
        given, _texts = _load_options(**options)
        return self._start(AsyncKind.LOAD, -1, _task_options(when_full, timeout, priority, gate_step), None, None, on_ended,
                           lambda how, listener: _n.ckpt_async_manager_load(self._h, state._h, given, how, listener))

    def _start(self, kind: AsyncKind, step: int, how: Any, progress: Optional[Progress],
               on_staged: Optional[Callable[[float], Any]], on_ended: Optional[Callable[[AsyncResult], Any]],
               call: Callable[[Any, Any], int]) -> AsyncTask:
        task = AsyncTask(self, kind, step)
        listener = _TaskListener(task, progress, on_staged, on_ended)
        with _call_of(self):
            task.id = call(how, _hand_over(listener))
        return task

    def end_step(self, step: int) -> None:
        """Tells that a step has ended: tasks whose gate_step is not after it may begin."""
        _n.ckpt_async_manager_end_step(self._h, step)

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits until all tasks that have not ended now have; how they ended their results tell. TimeoutError."""
        _wait_in_turns(self, timeout, lambda handle, ns: _n.ckpt_async_manager_wait(handle, _n.CKPT_CHECKPOINT_TASK_ALL, ns, None))

    def wait_staged(self, timeout: Optional[float] = None) -> None:
        """Returns when all arrays of all saves may be written to. TimeoutError."""
        _wait_in_turns(self, timeout, lambda handle, ns: _n.ckpt_async_manager_wait_staged(handle, _n.CKPT_CHECKPOINT_TASK_ALL, ns))

    # ---- Looking ----

    def info(self, id: int) -> AsyncTaskInfo:
        """A task's state, bytes and times. NotFoundError when it is unknown or no longer in the history."""
        struct = _native.ckpt_checkpoint_task_info()
        _n.ckpt_async_manager_get_task(self._h, id, struct)
        return _info_of(struct)

    def active_tasks(self) -> List[AsyncTaskInfo]:
        """The tasks that have not ended, the oldest first."""
        return self._infos(_n.CKPT_CHECKPOINT_TASK_LIST_LIVE)

    def ended_tasks(self) -> List[AsyncTaskInfo]:
        """Those that have, as far as the history goes, in the order in which they ended."""
        return self._infos(_n.CKPT_CHECKPOINT_TASK_LIST_ENDED)

    def _infos(self, which: int) -> List[AsyncTaskInfo]:
        found = []
        for id in _n.ckpt_async_manager_list(self._h, which):
            try:
                found.append(self.info(id))
            except LookupError:  # left the history meanwhile
                pass
        return found

    def stats(self) -> AsyncStats:
        """Numbers of tasks and bytes."""
        struct = _native.ckpt_async_manager_stats()
        _n.ckpt_async_manager_get_stats(self._h, struct)
        return _fields(AsyncStats, struct)

    # ---- The end ----

    def close(self, cancel: bool = False, timeout: Optional[float] = None) -> None:
        """Ends all tasks and the manager's threads: waits for what is queued, or cancels what is not committed yet. What is not
        done after timeout seconds (None: for ever) is cancelled, with TimeoutError. Raises the oldest failure that nobody has asked
        about; the others are its __context__, one of the other. The manager is given back in any case but one: InvalidStateError
        inside a callback. Closing again does nothing."""
        if self._slot is None:
            return
        if not cancel and timeout is None:
            self.wait()  # obeys Ctrl-C, after which the manager is still open
        try:
            failures = self._end(cancel, timeout)
        except ForkedError:
            super().close()
            raise
        super().close()
        if failures:
            _raise_all(failures)

    def _end(self, cancel: bool, timeout: Optional[float]) -> List[CkptError]:
        """Everything that closing reports, in order. Raises what forbids closing."""
        mode = _n.CKPT_CLOSE_MODE_CANCEL if cancel else _n.CKPT_CLOSE_MODE_DRAIN
        failures: List[CkptError] = []
        while True:
            try:
                with _call_of(self):
                    _n.ckpt_async_manager_close(self._slot, mode, _timeout_ns(timeout))
                return failures
            except CkptError as error:
                if failures and str(error) == str(failures[-1]):  # nothing is reported twice: it is refused
                    raise error from None
                failures.append(error)

    def __exit__(self, *exception: Any) -> None:
        try:
            self.close()
        except CkptError as error:
            raised = exception[1] if len(exception) > 1 else None
            if raised is None:
                raise
            _add_context(raised, error)  # what the block raised goes first

    def __del__(self) -> None:
        if not _Owned._exiting:
            super().close()  # not what waits for ever and raises

    def _end_at_exit(self) -> None:
        """Takes no handle from threads that are inside a call."""
        if self._slot is None:
            return
        try:
            failures = self._end(self._at_exit == "cancel", self._drain_timeout)
        except ForkedError:
            return
        except CkptError as error:
            failures = [error]
        for error in failures:
            print(f"ckpt: a background save failed, and no caller asked for it: {type(error).__name__}: {error}", file=sys.stderr)
        if not _is_inside(self):
            super().close()


def _raise_all(errors: List[CkptError]) -> None:
    """Raises the first one; a traceback shows the others, too, and what was being handled."""
    try:
        raise errors[0]
    except CkptError as first:
        handled = first.__context__
        for error, later in zip(errors, errors[1:]):
            error.__context__ = later
        errors[-1].__context__ = handled
        raise


def _add_context(raised: BaseException, error: BaseException) -> None:
    """Puts error, with what it brings, behind all that a traceback of raised shows."""
    last = error
    while last.__context__ is not None and last.__context__ is not raised:
        last = last.__context__
    last.__context__ = None
    while True:
        behind = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
        if behind is None:
            break
        raised = behind
    raised.__context__ = error
    raised.__suppress_context__ = False


def _task_options(when_full: int, timeout: Optional[float], priority: int, gate_step: Optional[int],
                  mode: int = AsyncMode.COPY) -> Any:
    how = _native.ckpt_checkpoint_task_options()
    how.mode = mode
    how.when_full = when_full
    how.priority = priority
    how.timeout_ns = _timeout_ns(timeout)
    how.gate_step = -1 if gate_step is None else gate_step
    return how


# ---- One line ----

_shared_guard = threading.Lock()
_of_parent: List[Any] = []  # in a forked child: never freed, because the parent uses it


def save_async(place: Union[Storage, PathLike], tensors: Mapping[str, Any], step: int = 0, *,
               values: Optional[Mapping[str, Any]] = None, group: str = "model", keep_last: int = 0, **options: Any) -> AsyncTask:
    """Like ckpt.save, but writes in the background: task = ckpt.save_async("run", {"w": w}, 7). The arrays may change when it
    returns. options: as for AsyncManager.save. The first call opens one manager below the path, which is used until finish_saves or
    the end of the interpreter, when it writes what is queued; until then no other writer can open the path (ckpt.save can, by the
    same manager). keep_last is that of the first call."""
    key = _key(place)
    with _shared_guard:
        if key not in _shared:
            checkpoint = Checkpoint(place, keep_last=keep_last)
            _shared[key] = (place, checkpoint, AsyncManager(checkpoint))
        manager = _shared[key][2]
    return manager.save(tensors, step, values=values, group=group, **options)


def finish_saves(place: Union[Storage, PathLike, None] = None, timeout: Optional[float] = None) -> None:
    """Waits for what save_async has begun, below one path or everywhere, and closes it as AsyncManager.close does; other writers
    may open the path then. Raises the first failure that nobody has asked about, with the others as its context."""
    with _shared_guard:
        keys = list(_shared) if place is None else [key for key in (_key(place),) if key in _shared]
        entries = [_shared.pop(key) for key in keys]
    failure: Optional[CkptError] = None
    for _, checkpoint, manager in entries:
        try:
            manager.close(timeout=timeout)
        except CkptError as error:
            if failure is None:
                failure = error
            else:
                _add_context(failure, error)
        checkpoint.close()
    if failure is not None:
        raise failure


def _forget_in_child() -> None:
    _of_parent.append(dict(_shared))
    _shared.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
