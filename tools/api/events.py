"""Describes the methods that record one kind of event each: they pass a struct with the kind and its values to ckpt_X_record.

The comment of each constant documents the values that its kind uses in addition to the time ("uses stall_seconds and
durable_seconds").
"""

import re

from text import bare

NAMES = {  # the method of each kind: an imperative, where the constant names the event
    "RUN_BEGAN": "begin_run", "RUN_RESUMED": "resume", "SAVE_BEGAN": "begin", "SAVE_COMMITTED": "commit", "SAVE_ABORTED": "abort",
    "TASK_DONE": "observe_task", "FAILURE": "record_failure", "RECOVERY": "record_recovery", "CLEAN_EXIT": "record_clean_exit",
    "PREEMPTION": "notify_preemption",
}


class Event:
    """values: the values of the struct that are parameters of the method, the time first."""

    def __init__(self, owner, struct, constant, header):
        self.owner, self.struct, self.constant, self.header, self.name = owner, struct, constant, header, NAMES[constant.short]
        text = " ".join(constant.comment.split())
        used = re.findall(r"\w+", "".join(re.findall(r"\buses ([^.;:,]*)", text)))
        is_timed = "not now_seconds" not in text
        self.values = [value for value in struct.values if value.name in used or value.name == "now_seconds" and is_timed]
        self.comment = re.sub(r":? uses [^.;:]*(?:, and not now_seconds)?", "", text)


def events(model):
    found = []
    for function in model.api["functions"]:
        owner = model.owner_of(function["name"])
        if owner and function["name"] == owner + "_record":
            struct = model.struct_names[bare(function["parameters"][1]["type"])]
            kind = next(value for value in struct.values if value.name == "kind")
            found += [Event(owner, struct, constant, function["header"]) for constant in kind.group.constants]
    return found
