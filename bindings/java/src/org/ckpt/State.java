package org.ckpt;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * What is saved and restored: named groups of named tensors, and JSON values by key. One thread at a time, and none while a save or
 * load uses it.
 */
public final class State extends StateMethods {
  /** Key of the position in the data, which has a place of its own in the manifest. */
  public static final String DATA_POSITION = "data_position";

  /** Key of what a controller has learned, which has a place of its own in the manifest. */
  public static final String CONTROLLER = "controller";

  /** An empty state. */
  public State() {
    super(number(Native::ckpt_state_create));
  }

  /** What a model and an optimizer list of themselves; optimizer null: none. */
  static State of(Stateful model, Stateful optimizer) {
    State state = new State().add("model", model);
    return optimizer == null ? state : state.add("optimizer", optimizer);
  }

  private State(NativeObject lent) {
    super(lent);
  }

  /**
   * Adds one block of this rank to a tensor of {@link #addShardedTensor}. Two ranks may have the same block; else blocks do not
   * overlap.
   *
   * @param group of that tensor
   * @param name of that tensor
   * @param offsets where the block begins in each dimension
   * @param tensor the block: shared and kept alive, not copied; its shape is the block's lengths
   * @return this
   * @throws CkptOutOfRangeException when the block passes the tensor
   */
  public State addBlock(String group, String name, long[] offsets, Tensor tensor) {
    Native.ckpt_state_add_block(this, group, name, Objects.requireNonNull(offsets, "offsets"), tensor);
    return this;
  }

  /**
   * Adds an object that lists itself.
   *
   * @param name begins its groups and keys
   * @param stateful pinned as long as the state
   * @return this
   */
  public State add(String name, Stateful stateful) {
    Native.ckpt_state_add_stateful(this, name, new Listed(stateful).pinned());
    return this;
  }

  /** {@return the keys that have a value, in order} */
  public List<String> keys() {
    long count = number(out -> Native.ckpt_state_get_key_count(this, out));
    return LongStream.range(0, count).mapToObj(index -> Native.ckpt_state_get_key(this, index)).toList();
  }

  /**
   * Makes a value of any shape a group of its own, in the place of the value that it was: null, truth values, numbers, texts, paths,
   * byte[] (bytes), other arrays of numbers (copied), tensors (shared), and maps, collections and arrays of these. Read it with
   * {@link Reader#get}; a load into this state fills its tensors and replaces all else.
   *
   * @param group becomes a file of its own
   * @param value all but the tensors is copied
   * @return this
   * @throws CkptUnsupportedException for what has no place, with the keys on the way to it
   */
  public State set(String group, Object value) {
    Trees.set(this, group, value);
    return this;
  }

  /**
   * The value that a group is.
   *
   * @param <T> what it is wanted as
   * @param group that {@link #set} made
   * @param type as for {@link Reader#get(String, Class)}
   * @return with the state's tensors
   * @throws CkptNotFoundException when the group is no such value
   */
  public <T> T get(String group, Class<T> type) {
    return Trees.get(this, group, type);
  }

  /**
   * Writes one group as a plain safetensors file, which any program can read. Durable when it returns.
   *
   * @param path replaced if it is there
   * @param group of this state
   * @param metadataJson an object whose values are texts; null: none
   */
  public void writeSafetensors(Path path, String group, String metadataJson) {
    Native.ckpt_safetensors_write(path.toString(), this, group, metadataJson);
  }

  private static final class Listed extends NativeStateful {
    private final Stateful stateful;

    Listed(Stateful stateful) {
      this.stateful = stateful;
    }

    private static void lend(NativeObject lent, Consumer<State> call) {
      try (State state = new State(lent)) {
        call.accept(state);
      }
    }

    @Override
    public void list(NativeObject into) {
      lend(into, stateful::list);
    }

    @Override
    public void restore(NativeObject loaded) {
      lend(loaded, stateful::restore);
    }
  }
}
