"""Random schedules on random chains as programs, through the C API: every buffer has the position and length documented in
include/ckpt/program.h, and for every copy speed no operation reads missing data.

    python3 program_test.py LIBRARY [--schedules N] [--seed S]
"""

import argparse
import os
import random
import sys
from collections import Counter
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_void_p, create_string_buffer
from typing import NamedTuple
import json
import struct

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from chains import keeping, random_profile  # noqa: E402
from library import ACTION, Library  # noqa: E402
from replayer import (AWAIT, BACKWARD, FORWARD, FORWARD_TAPE, GRAD, INPUT, KEEPS_INPUT, KEEPS_OUTPUT, KIND_NAMES,  # noqa: E402
                      LOAD_BEGIN, NEEDS_INPUT, NEEDS_OUTPUT, RECORD, STORE_BEGIN, TAPE, TIERS, TURN)

AGAIN, IN_PLACE = 1, 2
ITEM_NAMES = {0: "NONE", INPUT: "INPUT", TAPE: "TAPE", GRAD: "GRAD"}
LEAST_SEEN = 20


class Buffer(NamedTuple):
    bytes: int
    offset: int
    first: int
    last: int
    index: int
    item: int
    tier: int
    option: int
    micro_batch: int
    slot: int
    reserved: int


class Operation(NamedTuple):
    kind: int
    flags: int
    layer: int
    option: int
    micro_batch: int
    stream: int
    reserved: int
    transfer: int
    input: int
    output: int
    tape: int
    workspace: int
    grad_output: int
    grad_input: int
    ambient: int
    present_ambient: int
    action: int
    reserved2: int
    reserved3: int


BUFFER, OPERATION = struct.Struct("=5q6i"), struct.Struct("=iIqiiii12q")
assert BUFFER.size == 64 and OPERATION.size == 128
OPERANDS = ("input", "output", "tape", "workspace", "grad_output", "grad_input", "ambient", "present_ambient")


class Wrong(Exception):
    pass


def must(condition, *what):
    if not condition:
        raise Wrong(" ".join(str(each) for each in what))


class Program:
    """The library's program of a schedule."""

    def __init__(self, library, profile_handle, layer_count, actions):
        lib = library.lib
        lib.ckpt_program_create.argtypes = [c_void_p, c_void_p, POINTER(c_void_p)]
        lib.ckpt_program_get_arena_bytes.argtypes = [c_void_p, c_int32, POINTER(c_int64)]
        lib.ckpt_program_get_buffers.argtypes = lib.ckpt_program_get_operations.argtypes = [c_void_p, c_void_p, c_int64, POINTER(c_int64)]
        lib.ckpt_program_get_json.argtypes = [c_void_p, c_char_p, c_int64, POINTER(c_int64)]
        lib.ckpt_program_release.argtypes, lib.ckpt_program_release.restype = [c_void_p], None
        packed = b"".join(ACTION.pack(a.kind, a.micro_batch, a.first, a.last, a.option, a.item, a.tier, a.slot, a.transfer, 0, 0)
                          for a in actions)
        schedule, program, number = c_void_p(), c_void_p(), c_int64()
        library.must(lib.ckpt_schedule_create_list(layer_count, packed, len(actions), byref(schedule)))
        library.must(lib.ckpt_program_create(schedule, profile_handle, byref(program)))
        self.reserved = library.placed(schedule, profile_handle)
        lib.ckpt_schedule_release(schedule)
        self.arena_bytes = []
        for tier in range(TIERS):
            library.must(lib.ckpt_program_get_arena_bytes(program, tier, byref(number)))
            self.arena_bytes.append(number.value)
        self.buffers = [Buffer(*each) for each in BUFFER.iter_unpack(self.fetched(library, lib.ckpt_program_get_buffers, program, 64))]
        self.operations = [Operation(*each) for each in
                           OPERATION.iter_unpack(self.fetched(library, lib.ckpt_program_get_operations, program, 128))]
        library.must(lib.ckpt_program_get_json(program, None, 0, byref(number)))
        text = create_string_buffer(number.value + 1)
        library.must(lib.ckpt_program_get_json(program, text, number.value + 1, byref(number)))
        self.json = json.loads(text.value.decode())
        lib.ckpt_program_release(program)

    @staticmethod
    def fetched(library, get, program, size):
        count = c_int64()
        library.must(get(program, None, 0, byref(count)))
        records = create_string_buffer(count.value * size)
        library.must(get(program, records, count.value, byref(count)))
        return records.raw


def reads_and_writes(operation):
    """Returns the numbers of the buffers that it reads, and of those that it writes after reading."""
    o = operation
    if o.kind in (FORWARD, FORWARD_TAPE, RECORD):
        again = o.flags & AGAIN
        reads, writes = [o.input], [o.output, o.tape, o.workspace, o.present_ambient]
        (reads if again else writes).append(o.ambient)
    elif o.kind == BACKWARD:
        reads, writes = [o.input, o.output, o.tape, o.grad_output], [o.grad_input, o.workspace]
    elif o.kind == TURN:
        reads, writes = [o.input], [o.grad_output]
    else:
        reads, writes = [o.input], [o.output]
    return [n for n in reads if n >= 0], [n for n in writes if n >= 0]


def check_operands(program, profile):
    """Checks that every operand is the item that the operation is for."""
    def is_item(number, *item):
        buffer = program.buffers[number]
        must((buffer.item, buffer.index, buffer.option) == item, "buffer", number, "is not", item)

    n = len(profile.layers)
    for o in program.operations:
        if o.kind in (FORWARD, FORWARD_TAPE, RECORD, BACKWARD):
            layer = profile.layers[o.layer]
            ran_forward = o.kind != BACKWARD
            must((o.input >= 0) == bool(ran_forward or layer.flags & NEEDS_INPUT), o)
            must((o.tape >= 0) == (o.kind != FORWARD), o)
            if o.input >= 0:
                is_item(o.input, INPUT, o.layer, 0)
            if o.tape >= 0:
                is_item(o.tape, TAPE, o.layer, o.option)
            if o.kind in (FORWARD, FORWARD_TAPE):
                must(program.buffers[o.output].index in (o.layer, o.layer + 1), o)
            if ran_forward:
                must((o.ambient >= 0) == (layer.ambient_bytes > 0), o)
                must((o.present_ambient >= 0) == (layer.ambient_bytes > 0 and bool(o.flags & AGAIN)), o)
            else:
                is_item(o.grad_output, GRAD, o.layer + 1, 0)
                must((o.output >= 0) == bool(layer.flags & NEEDS_OUTPUT), o)
                if o.grad_input >= 0:
                    is_item(o.grad_input, GRAD, o.layer, 0)
        elif o.kind == TURN:
            is_item(o.input, INPUT, n, 0)
            is_item(o.grad_output, GRAD, n, 0)
        else:
            source, copy = program.buffers[o.input], program.buffers[o.output]
            must((source.item, source.index, source.option, source.bytes) == (copy.item, copy.index, copy.option, copy.bytes), o)
            tier = max(source.tier, copy.tier)
            stored = copy.tier > 0
            must(o.stream == {STORE_BEGIN: 2 * tier - 1, LOAD_BEGIN: 2 * tier, AWAIT: 0}[o.kind], o)
            must(o.layer == source.index and stored == (source.tier == 0), o)
        if o.kind not in (STORE_BEGIN, LOAD_BEGIN, AWAIT):
            must(o.stream == 0, o)


def check_lives(program, profile):
    """Checks first, last, offsets and lengths."""
    count = len(program.operations)
    first, last, left = {}, {}, 0
    for number, o in enumerate(program.operations):
        for name in OPERANDS:
            buffer = getattr(o, name)
            if buffer >= 0:
                last[buffer] = number
        for buffer in reads_and_writes(o)[1]:
            first.setdefault(buffer, number)
    for number, buffer in enumerate(program.buffers):
        must(buffer.first == (-1 if number == 0 else first[number]), "first of", number, buffer)
        stays = number == 0 and profile.flags & KEEPS_INPUT
        if profile.flags & KEEPS_OUTPUT and any(o.kind == TURN and o.input == number for o in program.operations):
            stays = True
        if (buffer.item, buffer.index, buffer.tier, buffer.last) == (GRAD, 0, 0, count):
            left += 1  # other copies of it were stored and dropped
        else:
            must(buffer.last == (count if stays else last[number]), "last of", number, buffer, last[number])
        must(buffer.micro_batch == 0 and buffer.reserved == 0, buffer)
        if buffer.bytes == 0:
            must(buffer.offset == -1, buffer)
        else:
            must(buffer.offset >= 0 and buffer.offset % 64 == 0, buffer)
            must(buffer.offset + buffer.bytes <= program.arena_bytes[buffer.tier], buffer)
    must(left <= 1, left, "gradients of x_0 are left")


def overlaps_of(program):
    """Returns, for each buffer, the buffers that share bytes with it."""
    def share(a, b):
        return a.tier == b.tier and a.bytes and b.bytes and a.offset < b.offset + b.bytes and b.offset < a.offset + a.bytes

    buffers = program.buffers
    return [[j for j, b in enumerate(buffers) if j != i and share(a, b)] for i, a in enumerate(buffers)]


def check_no_overlap(program, overlaps):
    for i, others in enumerate(overlaps):
        a = program.buffers[i]
        for j in others:
            b = program.buffers[j]
            if not (a.first <= b.last and b.first <= a.last):
                continue
            meet = program.operations[max(a.first, b.first)]
            must(meet.flags & IN_PLACE and {i, j} in ({meet.input, meet.output}, {meet.grad_output, meet.grad_input}),
                 "buffers", i, a, "and", j, b, "live at the same time")


class Machine:
    """Runs a program. begin and end define when copies run: by the position of stream 0 at which they are issued and awaited."""

    def __init__(self, program, overlaps):
        self.program, self.overlaps = program, overlaps
        self.there = {0}  # buffers with valid bytes

    def write(self, number):
        self.there.difference_update(self.overlaps[number])
        self.there.add(number)

    def read(self, number, operation):
        must(number in self.there, "buffer", number, program_text(self.program.buffers[number]), "is missing for", operation)

    def run(self, operation):
        reads, writes = reads_and_writes(operation)
        for number in reads:
            self.read(number, operation)
        for number in writes:
            self.write(number)

    def run_all(self, rng, mode):
        """mode: copies run "early", "late", "spread" over their allowed interval, or at "random"."""
        queues = {}  # stream to copies that have not run
        for o in self.program.operations:
            if o.kind in (STORE_BEGIN, LOAD_BEGIN):
                queues.setdefault(o.stream, []).append(o)
                if mode == "spread":
                    self.run(o)  # begins: its inputs are valid, and its outputs are in use from now on
                    self.there.discard(o.output)
            elif o.kind == AWAIT:
                self.catch_up(queues, o.transfer)
            else:
                self.run(o)
            if mode == "early":
                self.some(queues, lambda: True)
            if mode == "random":
                self.some(queues, lambda: rng.random() < 0.4)
        for number, buffer in enumerate(self.program.buffers):
            if buffer.last == len(self.program.operations):
                self.read(number, "the end")

    def catch_up(self, queues, transfer):
        for queue in queues.values():
            while any(o.transfer == transfer for o in queue):
                self.run(queue.pop(0))

    def some(self, queues, wanted):
        for queue in queues.values():
            while queue and wanted():
                self.run(queue.pop(0))


def program_text(buffer):
    return f"{ITEM_NAMES[buffer.item]}({buffer.index})"


def check_json(program):
    text = program.json
    must(text["format"] == "ckpt-program" and text["version"] == 1 and text["arena_bytes"] == program.arena_bytes, "json")
    for given, buffer in zip(text["buffers"], program.buffers, strict=True):
        expected = {**buffer._asdict(), "item": ITEM_NAMES[buffer.item]}
        del expected["reserved"]
        must(given == expected, given, expected)
    for given, operation in zip(text["operations"], program.operations, strict=True):
        expected = {**operation._asdict(), "kind": KIND_NAMES[operation.kind]}
        del expected["reserved"], expected["reserved2"], expected["reserved3"]
        must(given == expected, given, expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--schedules", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=18)
    given = parser.parse_args()

    rng = random.Random(given.seed)
    library = Library(given.library)
    met = Counter()
    for _ in range(given.schedules):
        profile = random_profile(rng, True)
        handle = library.profile(profile)
        actions = keeping(rng, profile)
        program = Program(library, handle, len(profile.layers), actions)
        library.release_profile(handle)
        try:
            must(program.arena_bytes == program.reserved, program.arena_bytes, "are not", program.reserved)
            check_operands(program, profile)
            check_lives(program, profile)
            overlaps = overlaps_of(program)
            check_no_overlap(program, overlaps)
            for mode in "early", "late", "spread", "random":
                Machine(program, overlaps).run_all(rng, mode)
            check_json(program)
        except Wrong as wrong:
            print(f"WRONG: {wrong}\n  {profile}")
            for action in actions:
                print(f"  {action}")
            for operation in program.operations:
                print(f"  {operation}")
            return 1
        met.update(KIND_NAMES[o.kind] for o in program.operations)
        met.update("in place" for o in program.operations if o.flags & IN_PLACE)
        met.update("again" for o in program.operations if o.flags & AGAIN)
        met["shared bytes"] += sum(map(len, overlaps))
    print(dict(met))
    wanted = [KIND_NAMES[kind] for kind in (FORWARD, FORWARD_TAPE, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT)]
    seldom = [name for name in wanted + ["in place", "again", "shared bytes"] if met[name] < LEAST_SEEN]
    if seldom:
        print(f"seen less than {LEAST_SEEN} times: {', '.join(seldom)}")
    return 1 if seldom else 0


if __name__ == "__main__":
    sys.exit(main())
