package org.ckpt;

import java.nio.ByteBuffer;
import java.util.List;

/** A place in a schedule. One thread at a time. */
public final class Cursor extends CursorMethods {
  Cursor(Schedule schedule) {
    super(number(out -> Native.ckpt_cursor_create(schedule, out)));
  }

  /** {@return the next action; after END it is END again} */
  public ScheduleAction next() {
    return ScheduleAction.of(new NumberReader(Native.ckpt_cursor_next(this)));
  }

  /**
   * The next actions.
   *
   * @param most at least 1
   * @return fewer only where END was reached; none behind it
   */
  public List<ScheduleAction> next(int most) {
    return NumberReader.list(Native.ckpt_cursor_next_many(this, most), ScheduleAction::of);
  }

  /** {@return the place as bytes, for {@link #restore} in this or another process} */
  public byte[] save() {
    return Native.ckpt_cursor_save(this);
  }

  /**
   * Moves to a saved place of an equal schedule.
   *
   * @param place what {@link #save} gave
   * @throws CkptCorruptException for bytes that are none
   */
  public void restore(byte[] place) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(place.length).put(place).flip();
    Native.ckpt_cursor_restore(this, bytes);
  }
}
