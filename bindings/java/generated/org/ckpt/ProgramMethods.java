// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link Program} that are one call of the C API. */
abstract class ProgramMethods extends NativeObject {
  ProgramMethods(long address) {
    super(address);
  }

  ProgramMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /** Returns the size of a tier's arena (0 .. 3); it must begin at a multiple of 64 bytes. */
  public long arenaBytes(int tier) {
    return number(out -> Native.ckpt_program_get_arena_bytes(this, tier, out));
  }

  /** Returns the program as JSON, as docs/guests.md describes it. */
  public String json() {
    return Native.ckpt_program_get_json(this);
  }
}
