package org.ckpt;

import java.nio.ByteBuffer;
import java.util.List;

/** A position in a schedule. Use from one thread at a time. */
public final class Cursor extends CursorMethods {
  Cursor(Schedule schedule) {
    super(number(out -> Native.ckpt_cursor_create(schedule, out)));
  }

  /** {@return the next action; END again after END} */
  public ScheduleAction next() {
    return ScheduleAction.of(new NumberReader(Native.ckpt_cursor_next(this)));
  }

  /**
   * Returns the next actions.
   *
   * @param most at least 1
   * @return the actions: fewer only at END, and none after it
   */
  public List<ScheduleAction> next(int most) {
    return NumberReader.list(Native.ckpt_cursor_next_many(this, most), ScheduleAction::of);
  }

  /** {@return the position as bytes, for {@link #restore} in this or another process} */
  public byte[] save() {
    return Native.ckpt_cursor_save(this);
  }

  /**
   * Moves to a saved position of an equal schedule.
   *
   * @param place bytes from {@link #save}
   * @throws CkptCorruptException for other bytes
   */
  public void restore(byte[] place) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(place.length).put(place).flip();
    Native.ckpt_cursor_restore(this, bytes);
  }
}
