package org.ckpt;

import java.util.ArrayList;
import java.util.List;

/**
 * A placed schedule: every buffer with its place in one arena, every operation in its order. For those who run schedules on memory
 * of their own; docs/guests.md says how. Immutable.
 */
public final class Program extends ProgramMethods {
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

}
