// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;

/** A schedule with placed buffers. Immutable: may be read from several threads at once. */
public final class Program extends NativeObject {
  Program(long address) {
    super(address, Native::ckpt_program_release);
  }

  /**
   * Creates the program of a schedule on a chain's profile; neither is needed afterwards. Offsets are the same as in a {@link
   * ScheduleExecutor}: arenas are as large as {@code Schedule.reservedBytes} reports. {@link Status#INVALID_SCHEDULE} as {@code
   * Schedule.verify}, {@link Status#OUT_OF_RANGE} above 2^22 operations.
   */
  public Program(Schedule schedule, Profile profile) {
    this(number(out -> Native.ckpt_program_create(schedule, profile, out)));
  }

  /** Returns the size of a tier's arena (0 .. 3); it must begin at a multiple of 64 bytes. */
  public long arenaBytes(int tier) {
    return number(out -> Native.ckpt_program_get_arena_bytes(this, tier, out));
  }

  /** Lists the buffers. */
  public List<ProgramBuffer> buffers() {
    return NumberReader.list(Native.ckpt_program_get_buffers(this), ProgramBuffer::of);
  }

  /** Lists the operations. */
  public List<ProgramOperation> operations() {
    return NumberReader.list(Native.ckpt_program_get_operations(this), ProgramOperation::of);
  }

  /** Returns the program as JSON, as docs/how-to/bring-your-own-framework.md describes it. */
  public String json() {
    return Native.ckpt_program_get_json(this);
  }
}
