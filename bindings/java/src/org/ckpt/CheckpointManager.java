package org.ckpt;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
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
    super(number(out -> options.with(struct ->
        Native.ckpt_checkpoint_manager_create(storage, struct, StateFunctions.keeper(keep), out))));
  }

  /**
   * Opens the checkpoints below a directory, which is created if missing.
   *
   * @param directory of the file system
   * @param options the options of the manager
   * @return the manager, to be closed
   */
  public static CheckpointManager open(Path directory, CheckpointManagerOptions options) {
    try (Storage storage = Storage.fileSystem(Objects.requireNonNull(directory, "directory"))) {
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
    try (Storage storage = Storage.fromUri(uri)) {
      return new CheckpointManager(storage, options);
    }
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
    return LoadResult.from(result -> options.with(struct ->
        Native.ckpt_checkpoint_manager_load(this, state, struct, StateFunctions.renamer(rename), result)));
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
    return Reader.made(out -> Native.ckpt_reader_create_from_checkpoint(this, name, verify.number(), out));
  }
}
