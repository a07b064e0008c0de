"""Calls the library's verifier through its C API alone: structs are laid out by hand from include/ckpt/plan.h, without a
binding."""

import re
import struct
from ctypes import (CDLL, POINTER, Structure, byref, c_char_p, c_double, c_int32, c_int64, c_uint32, c_void_p, create_string_buffer,
                    memset, sizeof)

from replayer import END, TIERS, Action

OK, INVALID_ARGUMENT, OUT_OF_RANGE, INVALID_SCHEDULE = 0, -1, -3, -20


class LayerProfile(Structure):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("output_bytes", c_int64), ("ambient_bytes", c_int64),
                ("dtype", c_int32), ("ndim", c_int32), ("shape", c_int64 * 8)]


class OptionProfile(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("tape_bytes", c_int64), ("forward_workspace_bytes", c_int64),
                ("backward_workspace_bytes", c_int64), ("forward_seconds", c_double), ("backward_seconds", c_double),
                ("record_workspace_bytes", c_int64), ("record_seconds", c_double), ("has_record", c_int32), ("reserved2", c_uint32),
                ("backward_peak_bytes", c_int64)]


class TierProfile(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("capacity_bytes", c_int64),
                ("write_bytes_per_second", c_double), ("read_bytes_per_second", c_double), ("latency_seconds", c_double)]


class PlanReport(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("actions", c_int64), ("forwards", c_int64),
                ("recomputed_forwards", c_int64), ("step_seconds", c_double), ("recomputed_seconds", c_double),
                ("peak_action", c_int64), ("peak_bytes", c_int64 * TIERS), ("wait_seconds", c_double),
                ("peak_items", c_int64 * TIERS), ("peak_inputs", c_int64 * TIERS), ("stored_bytes", c_int64 * TIERS),
                ("loaded_bytes", c_int64 * TIERS)]


ACTION = struct.Struct("=iiqqiiiiqqq")  # ckpt_schedule_action
assert ACTION.size == 64


def sized(struct_type, values):
    """A struct with the values of a named tuple that has the struct's field names."""
    return struct_type(struct_size=sizeof(struct_type), **values._asdict())


def numbers(values):
    return (c_int64 * len(values))(*values)


class Library:
    """Loads libckpt.so from a path."""

    def __init__(self, path):
        self.lib = lib = CDLL(path)
        lib.ckpt_last_error.restype = c_char_p
        for name in ("ckpt_profile_release", "ckpt_schedule_release", "ckpt_cursor_release"):
            getattr(lib, name).argtypes = [c_void_p]
            getattr(lib, name).restype = None
        lib.ckpt_profile_create.argtypes = [c_int64, POINTER(c_void_p)]
        lib.ckpt_profile_add_layer.argtypes = [c_void_p, c_char_p, POINTER(LayerProfile)]
        lib.ckpt_profile_add_option.argtypes = [c_void_p, POINTER(OptionProfile)]
        lib.ckpt_profile_create_uniform.argtypes = [c_int64, POINTER(LayerProfile), POINTER(OptionProfile), POINTER(c_void_p)]
        lib.ckpt_profile_set_tier.argtypes = [c_void_p, c_int32, POINTER(TierProfile)]
        lib.ckpt_profile_set_flags.argtypes = [c_void_p, c_uint32]
        lib.ckpt_profile_set_inputs.argtypes = [c_void_p, c_int64, POINTER(c_int64), c_int64, POINTER(c_int64), c_int64]
        lib.ckpt_profile_set_outputs.argtypes = [c_void_p, POINTER(c_int64), c_int64]
        lib.ckpt_schedule_create_list.argtypes = [c_int64, c_char_p, c_int64, POINTER(c_void_p)]
        lib.ckpt_schedule_create.argtypes = [c_void_p, c_char_p, POINTER(c_void_p)]
        lib.ckpt_schedule_verify.argtypes = [c_void_p, c_void_p, POINTER(PlanReport)]
        lib.ckpt_schedule_place.argtypes = [c_void_p, c_void_p, c_int32, POINTER(c_int64)]
        lib.ckpt_cursor_create.argtypes = [c_void_p, POINTER(c_void_p)]
        lib.ckpt_cursor_next_many.argtypes = [c_void_p, c_void_p, c_int64, POINTER(c_int64)]

    def message(self):
        return self.lib.ckpt_last_error().decode()

    def must(self, status):
        if status != OK:
            raise AssertionError(f"status {status}: {self.message()}")

    def profile(self, profile):
        """Returns a handle of a replayer.Profile; the caller releases it."""
        handle = c_void_p()

        def layer_of(layer):
            return LayerProfile(sizeof(LayerProfile), layer.flags, layer.output_bytes, layer.ambient_bytes)

        if profile.uniform:
            layer, option = layer_of(profile.layers[0]), sized(OptionProfile, profile.layers[0].options[0])
            self.must(self.lib.ckpt_profile_create_uniform(len(profile.layers), byref(layer), byref(option), byref(handle)))
        else:
            self.must(self.lib.ckpt_profile_create(profile.input_bytes, byref(handle)))
            for index, layer in enumerate(profile.layers):
                self.must(self.lib.ckpt_profile_add_layer(handle, b"layer %d" % index, byref(layer_of(layer))))
                for option in layer.options:
                    self.must(self.lib.ckpt_profile_add_option(handle, byref(sized(OptionProfile, option))))
        for tier in range(1, TIERS):
            record = sized(TierProfile, profile.tiers[tier])
            self.must(self.lib.ckpt_profile_set_tier(handle, tier, byref(record)))
        self.must(self.lib.ckpt_profile_set_flags(handle, profile.flags))
        for index, (inputs, needed) in enumerate(profile.reads):
            self.must(self.lib.ckpt_profile_set_inputs(handle, index, numbers(inputs), len(inputs), numbers(needed), len(needed)))
        if profile.outputs:
            self.must(self.lib.ckpt_profile_set_outputs(handle, numbers(profile.outputs), len(profile.outputs)))
        return handle

    def release_profile(self, handle):
        self.lib.ckpt_profile_release(handle)

    def planned(self, profile_handle, planner):
        """Returns the actions of a planner's schedule."""
        schedule, cursor, count = c_void_p(), c_void_p(), c_int64()
        self.must(self.lib.ckpt_schedule_create(profile_handle, planner.encode(), byref(schedule)))
        self.must(self.lib.ckpt_cursor_create(schedule, byref(cursor)))
        actions, block = [], create_string_buffer(64 * ACTION.size)
        while not actions or actions[-1].kind != END:
            self.must(self.lib.ckpt_cursor_next_many(cursor, block, 64, byref(count)))
            for kind, micro_batch, *fields in ACTION.iter_unpack(block[: count.value * ACTION.size]):
                actions.append(Action(kind, *fields[:7], micro_batch))
        self.lib.ckpt_cursor_release(cursor)
        self.lib.ckpt_schedule_release(schedule)
        return actions

    def smallest_budget(self, profile_handle, planner):
        """Returns the bytes from which on the planner has a schedule, as named by its error message."""
        schedule = c_void_p()
        if self.lib.ckpt_schedule_create(profile_handle, f"{planner}:1".encode(), byref(schedule)) == OK:
            self.lib.ckpt_schedule_release(schedule)
            return 1
        return int(self.message().rsplit(" ", 1)[1])

    def verify(self, profile_handle, layer_count, actions):
        """Returns (status, message, report, reserved bytes by tier) of a schedule; the last two are None unless the status is
        OK."""
        packed = b"".join(ACTION.pack(a.kind, a.micro_batch, a.first, a.last, a.option, a.item, a.tier, a.slot, a.transfer, 0, 0)
                          for a in actions)
        schedule = c_void_p()
        status = self.lib.ckpt_schedule_create_list(layer_count, packed, len(actions), byref(schedule))
        if status != OK:
            return status, self.message(), None, None
        report = PlanReport()
        memset(byref(report), 0x5A, sizeof(report))
        report.struct_size, report.reserved = sizeof(report), 0
        before = bytes(report)
        status = self.lib.ckpt_schedule_verify(schedule, profile_handle, byref(report))
        message = self.message() if status != OK else ""
        reserved = self.placed(schedule, profile_handle) if status == OK else None
        self.lib.ckpt_schedule_release(schedule)
        if status != OK and bytes(report) != before:
            raise AssertionError(f"a call that failed changed the report: {message}")
        return status, message, report if status == OK else None, reserved

    def placed(self, schedule, profile_handle):
        """Returns the result of ckpt_schedule_place for each tier; None if it exceeds INT64_MAX."""
        reserved = [c_int64() for _ in range(TIERS)]
        statuses = [self.lib.ckpt_schedule_place(schedule, profile_handle, tier, byref(reserved[tier])) for tier in range(TIERS)]
        for status in statuses:
            if status != OUT_OF_RANGE:
                self.must(status)
        return [bytes_.value if status == OK else None for status, bytes_ in zip(statuses, reserved)]


def index_of(message):
    """Returns the index of the action that a message names; None if there is none."""
    found = re.search(r"\baction (\d+)|\bactions\[(\d+)\]", message)
    return int(found.group(1) or found.group(2)) if found else None
