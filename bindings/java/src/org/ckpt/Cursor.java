package org.ckpt;

import java.nio.ByteBuffer;

/** A place in a schedule. One thread at a time. */
public final class Cursor extends NativeObject {
  Cursor(Schedule schedule) {
    super(number(out -> Native.ckpt_cursor_create(schedule, out)), Native::ckpt_cursor_release);
  }

  /**
   * The next action.
   *
   * @return after END it is END again
   */
  public Action next() {
    return Action.of(Native.ckpt_cursor_next(this))[0];
  }

  /**
   * The next actions.
   *
   * @param most at least 1
   * @return fewer only where END was reached; none behind it
   */
  public Action[] next(int most) {
    return Action.of(Native.ckpt_cursor_next_many(this, most));
  }

  /**
   * Tells an open-ended schedule how many steps there are.
   *
   * @param steps at least those that were handed out already
   */
  public void finish(long steps) {
    Native.ckpt_cursor_finalize(this, steps);
  }

  /**
   * The place as bytes.
   *
   * @return for {@link #restore} in this or another process
   */
  public byte[] save() {
    return Native.ckpt_cursor_save(this);
  }

  /**
   * Moves to a saved place of an equal schedule.
   *
   * @param place what {@link #save} gave
   * @throws CorruptException for bytes that are none
   */
  public void restore(byte[] place) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(place.length).put(place).flip();
    Native.ckpt_cursor_restore(this, bytes);
  }
}
