package org.ckpt;

import java.util.ArrayList;
import java.util.List;

/**
 * A placed schedule: every buffer with its place in one arena, every operation in its order. For those who run schedules on memory
 * of their own; docs/guests.md says how. Immutable.
 */
public final class Program extends NativeObject {
  /**
   * The program of a schedule on a chain's profile; neither is needed afterwards.
   *
   * @param schedule that is placed
   * @param profile of the chain
   * @throws CkptInvalidScheduleException when the schedule does not fit the profile
   */
  public Program(Schedule schedule, Profile profile) {
    super(number(out -> Native.ckpt_program_create(schedule, profile, out)), Native::ckpt_program_release);
  }

  /**
   * The size of a tier's arena.
   *
   * @param tier 0: memory; 1 .. 3 slower places
   * @return bytes; the arena must begin at a multiple of 64
   */
  public long arenaBytes(int tier) {
    return number(out -> Native.ckpt_program_get_arena_bytes(this, tier, out));
  }

  /**
   * The buffers, which operations name by their numbers.
   *
   * @return all of them
   */
  public List<ProgramBuffer> buffers() {
    List<ProgramBuffer> buffers = new ArrayList<>();
    NumberReader in = new NumberReader(Native.ckpt_program_get_buffers(this));
    while (in.more()) buffers.add(ProgramBuffer.of(in));
    return buffers;
  }

  /**
   * The operations.
   *
   * @return all of them, in the order of issue
   */
  public List<ProgramOperation> operations() {
    List<ProgramOperation> operations = new ArrayList<>();
    NumberReader in = new NumberReader(Native.ckpt_program_get_operations(this));
    while (in.more()) operations.add(ProgramOperation.of(in));
    return operations;
  }

  /**
   * The program as JSON.
   *
   * @return as docs/guests.md describes it
   */
  public String json() {
    return Native.ckpt_program_get_json(this);
  }
}
