package org.ckpt;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The checkpoints in one storage. Synchronized. A manager that writes holds the storage's lock until it is closed. With a
 * coordinator of several ranks, each rank has a manager of the same storage; creating it, save and load are collective: all ranks
 * call them, in the same order.
 */
public final class CheckpointManager extends CheckpointManagerMethods {
  /** As a checkpoint's name: the storage's root is itself the directory of one checkpoint. */
  public static final String SELF = ".";

  /**
   * Opens the checkpoints of a storage for writing, with all defaults.
   *
   * @param storage kept alive
   */
  public CheckpointManager(Storage storage) {
    this(storage, new CheckpointManagerOptions());
  }

  /**
   * Opens the checkpoints of a storage.
   *
   * @param storage kept alive
   * @param options the options of the manager
   * @throws CkptBusyException when another writer holds the storage's lock
   */
  public CheckpointManager(Storage storage, CheckpointManagerOptions options) {
    this(storage, options, null);
  }

  /**
   * Opens the checkpoints of a storage, with a function that decides which ones to keep.
   *
   * @param storage kept alive
   * @param options the options of the manager
   * @param keep called for each checkpoint that no retention rule keeps, on the thread that saves or prunes; when it throws,
   * nothing
   *     is removed; null: such checkpoints are removed
   */
  public CheckpointManager(Storage storage, CheckpointManagerOptions options, Predicate<CheckpointInfo> keep) {
    super(create(storage, options, keep));
  }

  private static long create(Storage storage, CheckpointManagerOptions options, Predicate<CheckpointInfo> keep) {
    return CollectiveCall.make(call -> number(out -> options.with(struct -> {
      call.begin(storage);
      Native.ckpt_checkpoint_manager_create(storage, struct, StateFunctions.keeper(keep), out);
    })), () -> refuse(options));
  }

  /** Makes the call that creates a manager with invalid arguments. */
  private static void refuse(CheckpointManagerOptions options) {
    Duration timeout = options.timeout();
    boolean isInvalid = timeout != null && timeout.isNegative();
    new CheckpointManagerOptions().coordinator(options.coordinator()).timeout(isInvalid ? Duration.ZERO : timeout)
        .with(struct -> Native.ckpt_checkpoint_manager_create(null, struct, null, null));
  }

  /**
   * Opens the checkpoints below a directory, which is created if missing.
   *
   * @param directory of the file system
   * @param options the options of the manager
   * @return the manager, to be closed
   */
  public static CheckpointManager open(Path directory, CheckpointManagerOptions options) {
    return openStorage(() -> Storage.fileSystem(Objects.requireNonNull(directory, "directory")), options);
  }

  private static CheckpointManager openStorage(Supplier<Storage> create, CheckpointManagerOptions options) {
    try (Storage storage = CollectiveCall.make(call -> create.get(), () -> refuse(options))) {
      return new CheckpointManager(storage, options);
    }
  }

  /**
   * Opens the checkpoints below a directory, with all defaults.
   *
   * @param directory of the file system
   * @return the manager, to be closed
   */
  public static CheckpointManager open(Path directory) {
    return open(directory, new CheckpointManagerOptions());
  }

  /**
   * Opens the checkpoints at a URI, as for {@link Storage#fromUri}: s3://BUCKET/PREFIX.
   *
   * @param uri the URI
   * @param options the options of the manager
   * @return the manager, to be closed
   */
  public static CheckpointManager open(String uri, CheckpointManagerOptions options) {
    return openStorage(() -> Storage.fromUri(uri), options);
  }

  /**
   * Opens the checkpoints at a URI, with all defaults.
   *
   * @param uri the URI
   * @return the manager, to be closed
   */
  public static CheckpointManager open(String uri) {
    return open(uri, new CheckpointManagerOptions());
  }

  /**
   * Writes a state as a new checkpoint and returns when it is durable: after a crash at any later moment, a load finds it or a
   * newer one. The tensors should not change during the call; if they do, the checkpoint holds a mixture of old and new values,
   * with checksums of the written bytes. With several ranks, all ranks must save the same names, dtypes, global shapes, step and
   * prefix; other options and the JSON values are taken from rank 0, and JSON values that differ on other ranks are saved by
   * rank. When it fails, the written files are removed if possible, and older checkpoints are unchanged.
   *
   * @param state read
   * @param options the options of the save
   * @return the result of the save
   * @throws CkptInvalidArgumentException naming the difference and the ranks, when the ranks save different states
   * @throws CkptNoSpaceException before any file is created, if the file system has fewer free bytes than the files need
   * @throws CkptInvalidStateException when the manager is read-only
   */
  public SaveResult save(State state, SaveOptions options) {
    return SaveResult.from(result -> CollectiveCall.make(call -> {
      options.with(struct -> {
        call.begin(state);
        Native.ckpt_checkpoint_manager_save(this, state, struct, result);
      });
      return null;
    }, () -> Native.ckpt_checkpoint_manager_save(this, null, null, null)));
  }

  /**
   * Saves a state with all defaults.
   *
   * @param state read
   * @param step the step of the run
   * @return the result of the save
   */
  public SaveResult save(State state, long step) {
    return save(state, new SaveOptions().step(step));
  }

  /**
   * Saves a model and an optimizer, which list their tensors and values.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options the options of the save
   * @return the result of the save
   */
  public SaveResult save(Stateful model, Stateful optimizer, SaveOptions options) {
    try (State state = State.of(model, optimizer)) {
      return save(state, options);
    }
  }

  /**
   * Fills a state from the newest valid checkpoint, or the one that options name.
   *
   * @param state written; unchanged when this fails, unless it loads in place
   * @param options the options of the load
   * @return the result of the load
   * @throws CkptNotFoundException when no checkpoint exists
   */
  public LoadResult load(State state, LoadOptions options) {
    return load(state, options, null);
  }

  /**
   * Fills a state from a checkpoint and renames tensors.
   *
   * @param state written; unchanged when this fails, unless it loads in place
   * @param options the options of the load
   * @param rename returns the state's name of a tensor of the checkpoint; null, or a result of null: the same name
   * @return the result of the load
   */
  public LoadResult load(State state, LoadOptions options, UnaryOperator<String> rename) {
    return LoadResult.from(result -> CollectiveCall.make(call -> {
      options.with(struct -> {
        call.begin(state);
        Native.ckpt_checkpoint_manager_load(this, state, struct, StateFunctions.renamer(rename), result);
      });
      return null;
    }, () -> Native.ckpt_checkpoint_manager_load(this, null, null, null, null)));
  }

  /**
   * Fills a state from the newest valid checkpoint.
   *
   * @param state written
   * @return the result of the load
   */
  public LoadResult load(State state) {
    return load(state, new LoadOptions());
  }

  /**
   * Fills a state from the checkpoint of a step.
   *
   * @param state written
   * @param step the step of the run; of several checkpoints with this step the newest valid one is used
   * @return the result of the load
   */
  public LoadResult load(State state, long step) {
    return load(state, new LoadOptions().step(step));
  }

  /**
   * Restores a model and an optimizer that were saved together.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options the options of the load
   * @return the result of the load
   */
  public LoadResult load(Stateful model, Stateful optimizer, LoadOptions options) {
    try (State state = State.of(model, optimizer)) {
      return load(state, options);
    }
  }

  /**
   * Fills a state from the newest valid checkpoint, if one exists.
   *
   * @param state written
   * @return the result of the load; empty when no checkpoint exists
   */
  public Optional<LoadResult> loadIfAny(State state) {
    try {
      return Optional.of(load(state));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Removes the checkpoint of a step.
   *
   * @param step the step of the run; of several checkpoints with this step the newest valid one is removed
   * @throws CkptNotFoundException when no checkpoint has this step
   */
  public void remove(long step) {
    remove(findStep(step).orElseThrow(() -> new CkptNotFoundException("step " + step + ": no complete checkpoint")).name());
  }

  /**
   * Opens one checkpoint to read tensors one by one.
   *
   * @param name of the checkpoint; null: the newest
   * @param verify how much to check
   * @return the reader, to be closed
   */
  public Reader reader(String name, Verify verify) {
    return Reader.created(out -> Native.ckpt_reader_create_from_checkpoint(this, name, verify.number(), out));
  }
}
