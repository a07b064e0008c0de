package org.ckpt;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** An immutable list of actions for one step of training. Iterating yields its actions. Synchronized. */
public final class Schedule extends ScheduleMethods implements Iterable<ScheduleAction> {
  Schedule(long address) {
    super(address);
  }

  /**
   * Creates a schedule from actions. Checks their kinds only; {@link #verify} checks everything.
   *
   * @param layers of the chain
   * @param actions the actions, the last of which is END
   */
  public Schedule(long layers, List<ScheduleAction> actions) {
    this(number(out -> Native.ckpt_schedule_create_list(layers, numbers(actions), out)));
  }

  private static long[] numbers(List<ScheduleAction> actions) {
    return actions.stream().flatMapToLong(action -> LongStream.of(action.numbers())).toArray();
  }

  /**
   * Returns an action on layers: FORWARD, FORWARD_TAPE, BACKWARD; with 0 and 0 one without fields: TURN, END.
   *
   * @param kind what it does
   * @param first first layer
   * @param last one past the last layer
   * @return the action
   */
  public static ScheduleAction action(ActionKind kind, long first, long last) {
    return new ScheduleAction(kind, 0, first, last, 0, Item.NONE, 0, 0, 0);
  }

  /**
   * Returns an action that drops an item from memory.
   *
   * @param item the kind of item
   * @param index number of its layer
   * @return the action
   */
  public static ScheduleAction drop(Item item, long index) {
    return new ScheduleAction(ActionKind.DROP, 0, index, 0, 0, item, 0, 0, 0);
  }

  /**
   * Creates a schedule with a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB", ...
   *
   * @param profile of the chain
   * @param planner one of {@link #knownPlanners}
   * @return the schedule
   * @throws CkptOverBudgetException when nothing fits a budget; the message states the smallest one that works
   * @throws CkptNotFoundException for an unknown planner
   */
  public static Schedule create(Profile profile, String planner) {
    return created(out -> Native.ckpt_schedule_create(profile, planner, out));
  }

  /** {@return the form of each planner, with a description and the ranges of its values} */
  public static List<String> knownPlanners() {
    return List.of(Native.ckpt_schedule_get_known_planners().split("\n"));
  }

  /** {@return the number of layers of the chain that the schedule is for; empty when it is open-ended} */
  public OptionalLong layerCount() {
    long layers = number(out -> Native.ckpt_schedule_get_layer_count(this, out));
    return layers == 0 ? OptionalLong.empty() : OptionalLong.of(layers);
  }

  /**
   * Returns the bytes to reserve in memory, tier 0.
   *
   * @param profile the profile that the schedule is for
   * @return the bytes of the arena
   */
  public long reservedBytes(Profile profile) {
    return reservedBytes(profile, 0);
  }

  /** {@return a cursor at the first action, which keeps the schedule alive} */
  public Cursor cursor() {
    return new Cursor(this);
  }

  @Override
  public Iterator<ScheduleAction> iterator() {
    return new Actions(cursor());
  }

  private static final class Actions implements Iterator<ScheduleAction> {
    private static final int AT_ONCE = 256;
    private final Cursor cursor;
    private Iterator<ScheduleAction> some;
    private boolean more = true;

    Actions(Cursor cursor) {
      this.cursor = cursor;
      fetch();
    }

    private void fetch() {
      List<ScheduleAction> next = cursor.next(AT_ONCE);
      some = next.iterator();
      more = next.size() == AT_ONCE;
      if (!more) cursor.close();
    }

    @Override
    public boolean hasNext() {
      if (!some.hasNext() && more) fetch();
      return some.hasNext();
    }

    @Override
    public ScheduleAction next() {
      if (!hasNext()) throw new NoSuchElementException("no action after END");
      return some.next();
    }
  }
}
