package org.ckpt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Drives the steps of one schedule for a {@link Framework}, one at a time: calls it to keep, drop, recompute and run backward. Use
 * from one thread at a time, except {@link #cancel}.
 *
 * @param <T> type of the items
 */
public final class Driver<T> extends DriverMethods {
  private final Functions<T> functions;

  /**
   * Creates a driver without a step.
   *
   * @param schedule kept alive
   * @param framework kept alive
   */
  public Driver(Schedule schedule, Framework<T> framework) {
    this(schedule, new Functions<>(framework));
  }

  private Driver(Schedule schedule, Functions<T> functions) {
    super(number(out -> Native.ckpt_driver_create(schedule, functions.pinned(), out)));
    this.functions = functions;
  }

  /**
   * Begins a step and runs it up to its turn.
   *
   * @param x0 the chain's input, taken over by the driver
   * @return the chain's output, owned by the driver
   */
  public T forward(T x0) {
    return functions.peek(given(x0, (item, out) -> Native.ckpt_driver_forward(this, item, out)));
  }

  /**
   * Runs the step that forward paused to its end.
   *
   * @param gn gradient of the output, taken over by the driver; null for none
   * @return gradient of x0, null for none
   */
  public T backward(T gn) {
    return functions.take(given(gn, (item, out) -> Native.ckpt_driver_backward(this, item, out)));
  }

  /**
   * Runs a whole step; {@link Framework#turn} returns the gradient of the output.
   *
   * @param x0 the chain's input, taken over by the driver
   * @return gradient of x0, null for none
   */
  public T run(T x0) {
    return functions.take(given(x0, (item, out) -> Native.ckpt_driver_run(this, item, out)));
  }

  /** {@return the call of the framework that made the last step fail; empty when the last step did not fail in one} */
  public Optional<DriveCall> failure() {
    long[] call = Native.ckpt_driver_get_failure(this);
    return call.length == 0 ? Optional.empty() : Optional.of(DriveCall.of(new NumberReader(call)));
  }

  private interface Step {
    void run(long item, long[] created);
  }

  /** Hands an item over to the library, unless the call is refused. */
  private long given(T item, Step step) {
    long number = functions.put(item);
    long[] created = new long[1];
    try {
      step.run(number, created);
    } catch (CkptInvalidArgumentException | CkptInvalidStateException | CkptForkedException refused) {
      functions.take(number);
      throw refused;
    }
    return created[0];
  }

  /** The live items by number, and the callbacks of the library. */
  private static final class Functions<T> extends NativeDriveFunctions {
    private final Framework<T> framework;
    private final Map<Long, T> items = new HashMap<>();
    private long last;
    private long recordedOutput;

    Functions(Framework<T> framework) {
      this.framework = java.util.Objects.requireNonNull(framework, "framework");
    }

    long put(T item) {
      if (item == null) return 0;
      items.put(++last, item);
      return last;
    }

    T peek(long number) {
      return items.get(number);
    }

    T take(long number) {
      return number == 0 ? null : items.remove(number);
    }

    private T given(DriveCall call, int flag, long number) {
      return (call.flags() & flag) != 0 ? take(number) : peek(number);
    }

    @Override
    public long drive(long[] which, long first, long output, long tape, long gradOutput) {
      DriveCall call = DriveCall.of(new NumberReader(which));
      switch (call.kind()) {
        case FORWARD:
          return put(framework.forward(call, given(call, DriveFlag.TAKE_INPUT, first)));
        case RECORD:
          Framework.Recorded<T> recorded = framework.record(call, given(call, DriveFlag.TAKE_INPUT, first));
          recordedOutput = put(recorded.output());
          return put(recorded.tape());
        case BACKWARD:
          return put(
              framework.backward(
                  call, given(call, DriveFlag.TAKE_INPUT, first), given(call, DriveFlag.TAKE_OUTPUT, output), take(tape),
                  take(gradOutput)));
        case TURN:
          return put(framework.turn(call, peek(first)));
        case STORE_BEGIN:
          framework.store(call, peek(first));
          return 0;
        case LOAD_BEGIN:
          return put(framework.load(call));
        case AWAIT:
          framework.await(call);
          return 0;
        case DROP:
          framework.drop(call, take(first));
          return 0;
        default:
          throw new IllegalStateException("no such call: " + call.kind());
      }
    }

    @Override
    public long drive_n(long[] which, DriveInputs inputs, long output, long tape, long gradOutput) {
      DriveCall call = DriveCall.of(new NumberReader(which));
      int count = (int) inputs.count();
      List<Framework.Input<T>> read = new ArrayList<>(count);
      for (int i = 0; i < count; ++i) {
        boolean isLast = inputs.is_last(i);
        read.add(new Framework.Input<>(isLast ? take(inputs.item(i)) : peek(inputs.item(i)), isLast));
      }
      switch (call.kind()) {
        case FORWARD:
          return put(framework.forwardN(call, read));
        case RECORD:
          Framework.Recorded<T> recorded = framework.recordN(call, read);
          recordedOutput = put(recorded.output());
          return put(recorded.tape());
        case BACKWARD:
          List<T> sums = new ArrayList<>(count);
          for (int i = 0; i < count; ++i) sums.add(take(inputs.sum(i)));
          List<T> created =
              framework.backwardN(call, read, given(call, DriveFlag.TAKE_OUTPUT, output), take(tape), take(gradOutput), sums);
          if (created.size() != count)
            throw new IllegalStateException("backwardN returned " + created.size() + " gradients; expected " + count);
          for (int i = 0; i < count; ++i) inputs.set_sum(i, put(created.get(i)));
          return 0;
        default:
          throw new IllegalStateException("no such call: " + call.kind());
      }
    }

    @Override
    public long recorded_output() {
      return recordedOutput;
    }
  }
}
