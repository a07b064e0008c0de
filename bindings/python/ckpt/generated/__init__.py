# Generated from include/ckpt by tools/api: do not edit.
