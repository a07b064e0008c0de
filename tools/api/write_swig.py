"""What SWIG reads of the structs: which of them other languages make and read, and which only C sees."""

from model import MADE, is_spare


def crosses(struct):
    """Whether values of it go through a function: tables of functions do not, the stand-ins fill these."""
    return struct.called and not struct.is_table


def struct_list(model):
    lines = [f"// {MADE}"]
    for struct in model.structs:
        if struct.has_size and crosses(struct):
            spare = [field["name"] for field in struct.fields if is_spare(field) and field["name"] != "struct_size"]
            lines += [f"CKPT_STRUCT({struct.name})", *(f"%ignore {struct.name}::{name};" for name in spare)]
        elif struct.has_size:
            lines += [f"%ignore {struct.name};", f"%ignore {struct.name}_init;"]
    return "\n".join(lines) + "\n"


def members(model):
    """Texts in structs: C# borrows them as addresses."""
    structs = [struct for struct in model.structs if struct.has_size and crosses(struct)]
    texts = [f"CKPT_TEXT_MEMBER({struct.name}::{value.name})" for struct in structs for value in struct.values if value.kind == "text"]
    return "\n".join([f"// {MADE}", *texts, ""])
