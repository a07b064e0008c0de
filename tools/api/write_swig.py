"""What SWIG reads of the structs: which of them other languages make and read, and which only C sees."""

import re

from write_c import MADE, has_size


def has_functions(struct):
    return any(field["type"].endswith("_fn") for field in struct["fields"])


def crosses(struct, passed):
    """Whether values of it go through a function: tables of functions do not, the stand-ins fill these."""
    return struct["name"] in passed and (struct["name"].endswith("_options") or not has_functions(struct))


def struct_list(api):
    passed = {parameter["type"].replace("const ", "").rstrip("*").strip() for function in api["functions"]
              if not function["name"].endswith("_init") for parameter in function["parameters"]}
    lines = [f"// {MADE}"]
    for struct in filter(has_size, api["structs"]):
        name = struct["name"]
        if crosses(struct, passed):
            lines.append(f"CKPT_STRUCT({name})")
            lines += [f"%ignore {name}::{field['name']};" for field in struct["fields"] if re.fullmatch(r"reserved\d*", field["name"])]
        else:
            lines += [f"%ignore {name};", f"%ignore {name}_init;"]
    return "\n".join(lines) + "\n"
