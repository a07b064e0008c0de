"""The library's verifier through its C API alone: structs laid out by hand from include/ckpt/plan.h, so that no binding is between."""

import re
import struct
from ctypes import (CDLL, POINTER, Structure, byref, c_char_p, c_double, c_int32, c_int64, c_uint32, c_void_p, memset, sizeof)

from replayer import TIERS

OK, INVALID_ARGUMENT, OUT_OF_RANGE, INVALID_SCHEDULE = 0, -1, -3, -20


class LayerProfile(Structure):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("output_bytes", c_int64), ("ambient_bytes", c_int64), ("dtype", c_int32),
                ("ndim", c_int32), ("shape", c_int64 * 8)]


class OptionProfile(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("tape_bytes", c_int64), ("forward_workspace_bytes", c_int64),
                ("backward_workspace_bytes", c_int64), ("forward_seconds", c_double), ("backward_seconds", c_double),
                ("record_workspace_bytes", c_int64), ("record_seconds", c_double), ("has_record", c_int32), ("reserved2", c_uint32)]


class TierProfile(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("capacity_bytes", c_int64), ("write_bytes_per_second", c_double),
                ("read_bytes_per_second", c_double), ("latency_seconds", c_double)]


class PlanReport(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("actions", c_int64), ("forwards", c_int64),
                ("recomputed_forwards", c_int64), ("step_seconds", c_double), ("recomputed_seconds", c_double), ("peak_action", c_int64),
                ("peak_bytes", c_int64 * TIERS), ("wait_seconds", c_double), ("peak_items", c_int64 * TIERS),
                ("peak_inputs", c_int64 * TIERS), ("stored_bytes", c_int64 * TIERS), ("loaded_bytes", c_int64 * TIERS)]


ACTION = struct.Struct("=iiqqiiiiqqq")  # ckpt_schedule_action
assert ACTION.size == 64


def sized(record, fields):
    """A struct with the values of a named tuple's fields that it has."""
    return record(struct_size=sizeof(record), **fields)


class Library:
    def __init__(self, path):
        self.lib = lib = CDLL(path)
        lib.ckpt_last_error.restype = c_char_p
        for name in ("ckpt_profile_release", "ckpt_schedule_release"):
            getattr(lib, name).argtypes = [c_void_p]
            getattr(lib, name).restype = None
        lib.ckpt_profile_create.argtypes = [c_int64, POINTER(c_void_p)]
        lib.ckpt_profile_add_layer.argtypes = [c_void_p, c_char_p, POINTER(LayerProfile)]
        lib.ckpt_profile_add_option.argtypes = [c_void_p, POINTER(OptionProfile)]
        lib.ckpt_profile_create_uniform.argtypes = [c_int64, POINTER(LayerProfile), POINTER(OptionProfile), POINTER(c_void_p)]
        lib.ckpt_profile_set_tier.argtypes = [c_void_p, c_int32, POINTER(TierProfile)]
        lib.ckpt_schedule_create_list.argtypes = [c_int64, c_char_p, c_int64, POINTER(c_void_p)]
        lib.ckpt_schedule_verify.argtypes = [c_void_p, c_void_p, POINTER(PlanReport)]

    def message(self):
        return self.lib.ckpt_last_error().decode()

    def must(self, status):
        if status != OK:
            raise AssertionError(f"status {status}: {self.message()}")

    def profile(self, profile):
        """A handle of a chain of replayer.Profile; the caller releases it."""
        handle = c_void_p()

        def layer_of(layer):
            return sized(LayerProfile, {"flags": layer.flags, "output_bytes": layer.output_bytes, "ambient_bytes": layer.ambient_bytes})

        if profile.uniform:
            layer = profile.layers[0]
            option = sized(OptionProfile, layer.options[0]._asdict())
            self.must(self.lib.ckpt_profile_create_uniform(len(profile.layers), byref(layer_of(layer)), byref(option), byref(handle)))
        else:
            self.must(self.lib.ckpt_profile_create(profile.input_bytes, byref(handle)))
            for index, layer in enumerate(profile.layers):
                self.must(self.lib.ckpt_profile_add_layer(handle, b"layer %d" % index, byref(layer_of(layer))))
                for option in layer.options:
                    self.must(self.lib.ckpt_profile_add_option(handle, byref(sized(OptionProfile, option._asdict()))))
        for tier in range(1, TIERS):
            record = sized(TierProfile, profile.tiers[tier]._asdict())
            self.must(self.lib.ckpt_profile_set_tier(handle, tier, byref(record)))
        return handle

    def release_profile(self, handle):
        self.lib.ckpt_profile_release(handle)

    def verify(self, profile_handle, layer_count, actions):
        """(status, message, report) of a schedule, where it can be created; the report is None unless the status is OK."""
        packed = b"".join(ACTION.pack(a.kind, a.micro_batch, a.first, a.last, a.option, a.item, a.tier, a.slot, a.transfer, 0, 0)
                          for a in actions)
        schedule = c_void_p()
        status = self.lib.ckpt_schedule_create_list(layer_count, packed, len(actions), byref(schedule))
        if status != OK:
            return status, self.message(), None
        report = PlanReport()
        memset(byref(report), 0x5A, sizeof(report))
        report.struct_size, report.reserved = sizeof(report), 0
        before = bytes(report)
        status = self.lib.ckpt_schedule_verify(schedule, profile_handle, byref(report))
        message = self.message() if status != OK else ""
        self.lib.ckpt_schedule_release(schedule)
        if status != OK and bytes(report) != before:
            raise AssertionError(f"a call that failed changed the report: {message}")
        return status, message, report if status == OK else None


def index_of(message):
    """The index of the action that a message names; None when it names none."""
    found = re.search(r"\baction (\d+)|\bactions\[(\d+)\]", message)
    return int(found.group(1) or found.group(2)) if found else None
