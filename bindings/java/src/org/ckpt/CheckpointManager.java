package org.ckpt;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The checkpoints in one storage. Synchronised. A writer holds the storage's lock until it is closed. With a coordinator of several
 * ranks each rank has a manager of the same storage; making it, save and load are collective: all call them, in the same order.
 */
public final class CheckpointManager extends CheckpointManagerMethods {
  /** Given as a checkpoint's name: the storage's root is itself the directory of one checkpoint. */
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
   * @param options how
   * @throws CkptBusyException when another writer has the storage
   */
  public CheckpointManager(Storage storage, CheckpointManagerOptions options) {
    this(storage, options, null);
  }

  /**
   * Opens the checkpoints of a storage, of which a function says which stay.
   *
   * @param storage kept alive
   * @param options how
   * @param keep asked about each checkpoint that no rule keeps, on the thread that saves or prunes; when it throws, nothing is
   *     removed; null: they do not stay
   */
  public CheckpointManager(Storage storage, CheckpointManagerOptions options, Predicate<CheckpointInfo> keep) {
    super(number(out -> options.with(struct ->
        Native.ckpt_checkpoint_manager_create(storage, struct, StateFunctions.keeper(keep), out))));
  }

  /**
   * Opens the checkpoints below a directory, which is made when it is not there.
   *
   * @param directory of the file system
   * @param options how
   * @return to be closed
   */
  public static CheckpointManager open(Path directory, CheckpointManagerOptions options) {
    try (Storage storage = Storage.fileSystem(Objects.requireNonNull(directory, "directory"))) {
      return new CheckpointManager(storage, options);
    }
  }

  /**
   * The same with all defaults.
   *
   * @param directory of the file system
   * @return to be closed
   */
  public static CheckpointManager open(Path directory) {
    return open(directory, new CheckpointManagerOptions());
  }

  /**
   * Opens the checkpoints of what a URI names, as {@link Storage#fromUri} does: s3://BUCKET/PREFIX.
   *
   * @param uri the text
   * @param options how
   * @return to be closed
   */
  public static CheckpointManager open(String uri, CheckpointManagerOptions options) {
    try (Storage storage = Storage.fromUri(uri)) {
      return new CheckpointManager(storage, options);
    }
  }

  /**
   * The same with all defaults.
   *
   * @param uri the text
   * @return to be closed
   */
  public static CheckpointManager open(String uri) {
    return open(uri, new CheckpointManagerOptions());
  }

  /**
   * The same for a step, with all defaults.
   *
   * @param state read
   * @param step of the run
   * @return what was made
   */
  public SaveResult save(State state, long step) {
    return save(state, new SaveOptions().step(step));
  }

  /**
   * Saves a model and an optimizer, which list what is saved of them.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options what is written beside them
   * @return what was made
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
   * @param options how
   * @return what was found
   * @throws CkptNotFoundException when there is no checkpoint
   */
  public LoadResult load(State state, LoadOptions options) {
    return load(state, options, null);
  }

  /**
   * The same under other names.
   *
   * @param state written; unchanged when this fails, unless it loads in place
   * @param options how
   * @param rename gives a tensor of the checkpoint the name that it has in the state; null, or what returns null: the same
   * @return what was found
   */
  public LoadResult load(State state, LoadOptions options, UnaryOperator<String> rename) {
    return LoadResult.from(result -> options.with(struct ->
        Native.ckpt_checkpoint_manager_load(this, state, struct, StateFunctions.renamer(rename), result)));
  }

  /**
   * The same from the newest valid checkpoint.
   *
   * @param state written
   * @return what was found
   */
  public LoadResult load(State state) {
    return load(state, new LoadOptions());
  }

  /**
   * The same from the checkpoint of a step.
   *
   * @param state written
   * @param step of the run; of several checkpoints of it the newest valid one
   * @return what was found
   */
  public LoadResult load(State state, long step) {
    return load(state, new LoadOptions().step(step));
  }

  /**
   * Restores a model and an optimizer that were saved together.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options how
   * @return what was found
   */
  public LoadResult load(Stateful model, Stateful optimizer, LoadOptions options) {
    try (State state = State.of(model, optimizer)) {
      return load(state, options);
    }
  }

  /**
   * The same where there may be none yet.
   *
   * @param state written
   * @return empty when there is no checkpoint
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
   * @param step of the run; of several checkpoints of it the newest valid one
   * @throws CkptNotFoundException when there is none
   */
  public void remove(long step) {
    remove(findStep(step).orElseThrow(() -> new CkptNotFoundException("there is no complete checkpoint of step " + step)).name());
  }

  /**
   * Opens one checkpoint to read tensors one by one.
   *
   * @param name of the checkpoint; null: the newest
   * @param verify how much is checked
   * @return to be closed
   */
  public Reader reader(String name, Verify verify) {
    return Reader.made(out -> Native.ckpt_reader_create_from_checkpoint(this, name, verify.number(), out));
  }
}
