"""Drives a schedule for another framework: calls back to keep, drop, recompute and run backward, in the schedule's order."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

from . import _native as _n
from ._base import _Owned
from ._plan import Schedule
from .generated import methods as _m
from .generated.values import DriveCall

__all__ = ["Driver", "DriveFailure"]


class DriveFailure(NamedTuple):
    """The call that made the last step fail.

    call: the piece of work
    error: the exception of its callback; None when it returned invalid data (None instead of an object, or a live object) or is
        missing
    """

    call: DriveCall
    error: Optional[BaseException]


def _taking(function: Any) -> Any:
    """Returns a function that passes its only reference to the item on to the callback."""
    return function and (lambda call, take: function(call, take()))


class Driver(_m.DriverMethods, _Owned):
    """Runs the steps of one schedule over opaque objects of the caller: tensors, graphs, records.

    callbacks: an object with some of these methods, or the functions by name:

        forward(call, input) -> output                  runs layers call.first .. call.last-1 and records nothing
        record(call, input) -> (output, tape)           runs one layer and records; output may be None with DriveFlag.NO_OUTPUT
        backward(call, input, output, tape, grad_output) -> grad_input
        forward_n(call, inputs) -> output               the same three for a layer of a graph, with a list of its inputs;
        record_n(call, inputs) -> (output, tape)        sums: a list of the inputs' gradients so far, None for the first layer
        backward_n(call, inputs, output, tape,          that adds to one; gradients: a sequence of them with the layer's part,
                   grad_output, sums) -> gradients      where the same object is a sum in place
        turn(call, output) -> grad_output               only for run
        store(call, item)                               begins to copy an object into (call.tier, call.slot)
        load(call) -> item                              begins to copy it back; used only after the wait for it
        wait(call)                                      waits for transfer call.transfer, exactly once for each
        drop(call, item)                                releases an object, or with call.tier >= 1 a slot's contents; optional

    call is a DriveCall. With DriveFlag.AGAIN the layers ran before in this step: restore the state in which their first run began.
    With TAKE_INPUT and TAKE_OUTPUT, and for the tape and grad_output of a backward, the driver holds no reference any more: when
    the callback drops the object, its memory is free; the lists of a graph's layer hold the only reference to such inputs and to
    the sums, so a callback may empty them. Every object is dropped or taken by a callback exactly once, also when a
    callback raises, when the step is cancelled, and when backward is never called. Objects in memory at the same time differ by
    identity; a tape and a gradient may be None. include/ckpt/drive.h has each rule. An exception of a callback ends the step, and
    forward, backward or run raises it unchanged. Use from one thread at a time, except cancel."""

    def __init__(self, schedule: Schedule, callbacks: Any = None, *, forward: Optional[Callable[..., Any]] = None,
                 record: Optional[Callable[..., Any]] = None, backward: Optional[Callable[..., Any]] = None,
                 turn: Optional[Callable[..., Any]] = None, store: Optional[Callable[..., Any]] = None,
                 load: Optional[Callable[..., Any]] = None, wait: Optional[Callable[..., Any]] = None,
                 drop: Optional[Callable[..., Any]] = None, forward_n: Optional[Callable[..., Any]] = None,
                 record_n: Optional[Callable[..., Any]] = None, backward_n: Optional[Callable[..., Any]] = None) -> None:
        given = {"forward": forward, "record": record, "backward": backward, "turn": turn, "store": store, "load": load,
                 "wait": wait, "drop": drop, "forward_n": forward_n, "record_n": record_n, "backward_n": backward_n}
        given = {name: method if method is not None else getattr(callbacks, name, None) for name, method in given.items()}
        for name, method in given.items():
            if method is not None and not callable(method):
                raise TypeError(f"{name}: expected a callable, found {method!r}")
        run_backward: Any = given["backward"]
        if run_backward is not None:
            given["backward"] = lambda call, take: run_backward(call, take(), take(), take(), take())
        run_graph_backward: Any = given["backward_n"]
        if run_graph_backward is not None:
            given["backward_n"] = lambda call, take: run_graph_backward(call, take(), take(), take(), take(), take())
        self._schedule, self._error = schedule, None
        self._functions = (*given.values(), _taking(given["forward"]), _taking(given["record"]), DriveCall._of)
        handle, self._state = _n.ckpt_driver_create(schedule._h, self._functions)
        self._adopt(handle)

    def forward(self, x0: Any) -> Any:
        """Begins a step and runs it up to TURN. Takes over x0. Returns the chain's output, which may be read until the next
        call."""
        box = [x0]
        del x0
        return self._run(_n.ckpt_driver_forward, box)

    def backward(self, gn: Any) -> Any:
        """Runs the step that forward paused to its end. Takes over gn, the gradient of the chain's output or None. Returns the
        gradient of x0, or None."""
        box = [gn]
        del gn
        return self._run(_n.ckpt_driver_backward, box)

    def run(self, x0: Any) -> Any:
        """Runs a whole step; the callback turn returns the gradient of the chain's output. Returns the gradient of x0, or None."""
        box = [x0]
        del x0
        return self._run(_n.ckpt_driver_run, box)

    def _run(self, function: Callable[[Any, int, Any], Any], box: Any) -> Any:
        try:
            return function(self._h, self._state, box)
        except BaseException as error:
            self._error = error
            raise

    @property
    def failure(self) -> Optional[DriveFailure]:
        """The call that made the last step fail; None when the last step did not fail in a callback."""
        failure = _n.ckpt_driver_get_failure(self._h)
        return failure and DriveFailure(DriveCall._of(failure[0]), self._error if failure[1] == 1 else None)

    def _again(self, callbacks: Any) -> "Driver":
        """Returns another driver of the same schedule."""
        return Driver(self._schedule, callbacks)
