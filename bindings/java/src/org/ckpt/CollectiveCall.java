package org.ckpt;

/**
 * A native call that every rank of a run makes. When the conversion of arguments throws on one rank, the other ranks would wait for
 * its call until their timeout.
 */
final class CollectiveCall {
  /** Converts arguments, calls {@link #begin} and makes the native call. */
  interface Body<T> {
    T call(CollectiveCall call);
  }

  private boolean hasBegun;

  private CollectiveCall() {}

  /**
   * Returns the result of body. refuse: makes the native call with invalid arguments, so that the other ranks fail at once; used
   * when body throws before the native call.
   */
  static <T> T make(Body<T> body, Runnable refuse) {
    CollectiveCall call = new CollectiveCall();
    try {
      return body.call(call);
    } catch (RuntimeException | Error error) {
      if (!call.hasBegun) ignoreErrorsOf(refuse);
      throw error;
    }
  }

  private static void ignoreErrorsOf(Runnable refuse) {
    try {
      refuse.run();
    } catch (RuntimeException expected) {
      // The caller gets the error of the conversion.
    }
  }

  /** Called right before the native call. objects: its arguments, without the manager; throws if one is closed. */
  void begin(NativeObject... objects) {
    for (NativeObject object : objects) {
      if (object != null) object.address();
    }
    hasBegun = true;
  }
}
