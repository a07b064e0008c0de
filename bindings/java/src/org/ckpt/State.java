package org.ckpt;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * The data to save and restore: named groups of named tensors, and JSON values by key. Use from one thread at a time, and not while
 * a save or load uses it.
 */
public final class State extends StateMethods {
  /** Key of the position in the data, which is a separate field of the manifest. */
  public static final String DATA_POSITION = "data_position";

  /** Key of a controller's state, which is a separate field of the manifest. */
  public static final String CONTROLLER = "controller";

  /** Creates an empty state. */
  public State() {
    super(number(Native::ckpt_state_create));
  }

  /** Returns a state with the contents that a model and an optimizer list; optimizer null: none. */
  static State of(Stateful model, Stateful optimizer) {
    State state = new State().add("model", model);
    return optimizer == null ? state : state.add("optimizer", optimizer);
  }

  private State(NativeObject lent) {
    super(lent);
  }

  /**
   * Adds one block of this rank to a tensor of {@code addShardedTensor}. Two ranks may have the same block; other blocks must not
   * overlap.
   *
   * @param group of that tensor
   * @param name of that tensor
   * @param offsets where the block begins in each dimension
   * @param tensor the block: shared and kept alive, not copied; its shape is the block's lengths
   * @return this
   * @throws CkptOutOfRangeException when the block exceeds the tensor
   */
  public State addBlock(String group, String name, long[] offsets, Tensor tensor) {
    Native.ckpt_state_add_block(this, group, name, Objects.requireNonNull(offsets, "offsets"), tensor);
    return this;
  }

  /**
   * Adds a stateful object.
   *
   * @param name prefix of its groups and keys
   * @param stateful pinned as long as the state lives
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
   * Stores a value of any shape as a separate group, which replaces a value of this group: null, truth values, numbers, strings,
   * paths, byte[] (bytes), other arrays of numbers (copied), tensors (shared), and maps, collections and arrays of these. Read it
   * with {@link Reader#get}; a load into this state fills its tensors and replaces everything else.
   *
   * @param group stored in a separate file
   * @param value copied, except for its tensors
   * @return this
   * @throws CkptUnsupportedException for a value that cannot be stored; the message contains its keys
   */
  public State set(String group, Object value) {
    Trees.set(this, group, value);
    return this;
  }

  /**
   * Returns the value of a group.
   *
   * @param <T> the requested type
   * @param group a group that {@link #set} stored
   * @param type as for {@link Reader#get(String, Class)}
   * @return the value, with the state's tensors
   * @throws CkptNotFoundException when the group is not such a value
   */
  public <T> T get(String group, Class<T> type) {
    return Trees.get(this, group, type);
  }

  /**
   * Writes one group as a plain safetensors file, which any program can read. The file is durable when this returns.
   *
   * @param path replaced if it exists
   * @param group of this state
   * @param metadataJson a JSON object of strings; null: none
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
