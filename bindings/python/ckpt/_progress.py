"""The argument progress= of long calls: a callable that takes bytes, or a bar such as tqdm's."""

from __future__ import annotations

import threading
from typing import Any, Callable, Collection, Optional, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks

__all__ = ["Progress"]

Progress = Optional[Union[Callable[[int, int], Any], Any]]  # None: no reports


class _Bar:
    """Moves a progress bar that has update and total, such as tqdm's."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self.last = 0

    def __call__(self, done_bytes: int, total_bytes: int) -> None:
        if self.bar.total != total_bytes:
            self.bar.total = total_bytes
        self.bar.update(done_bytes - self.last)
        self.last = done_bytes


def _function_of(progress: Any) -> Callable[[int, int], Any]:
    return _Bar(progress) if hasattr(progress, "update") else progress


class _Meter:
    """While entered, observes the long calls that this thread makes in the library and reports them to progress as one. Without a
    progress it does nothing: an outer meter observes them."""

    _of_thread = threading.local()

    def __init__(self, progress: Progress) -> None:
        self.report = None if progress is None else _function_of(progress)
        self.before = 0  # bytes of the calls that have ended
        self.now = 0  # bytes of the current call
        self.total: Optional[int] = None
        self.reported = (-1, -1)

    def expect(self, reader: Any, groups: Optional[Collection[str]] = None) -> None:
        """Announces that the tensors of these groups, or all, are read next, one by one."""
        if self.report is not None:
            self.before, self.now = self.before + self.now, 0
            self.total = self.before + sum(info.bytes for info in reader if groups is None or info.group in groups)

    def hear(self, done_bytes: int, total_bytes: int) -> None:
        if done_bytes == 0:  # the next call
            self.before, self.now = self.before + self.now, 0
        self.now = done_bytes
        self.tell(self.before + done_bytes, self.before + total_bytes if self.total is None else self.total)

    def tell(self, done_bytes: int, total_bytes: int) -> None:
        reported = (min(done_bytes, total_bytes), total_bytes)
        if self.report is not None and reported != self.reported:
            self.reported = reported
            self.report(*reported)

    def __enter__(self) -> "_Meter":
        if self.report is not None:
            self.outer = getattr(self._of_thread, "innermost", None)
            self._listen(self)
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        if self.report is None:
            return
        self._listen(self.outer)
        if kind is None and self.total is not None:
            self.tell(self.total, self.total)

    @classmethod
    def _listen(cls, meter: Optional["_Meter"]) -> None:
        cls._of_thread.innermost = meter
        _n.ckpt_set_progress(None if meter is None else _callbacks(_native.ProgressListener, report=meter.hear))


def _with_progress(progress: Progress, call: Callable[..., Any], *arguments: Any) -> Any:
    """Makes one long call of the library that reports to progress."""
    with _Meter(progress):
        return call(*arguments)
