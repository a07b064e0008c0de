package org.ckpt;

import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The checkpoints in one storage. Synchronised. A writer holds the storage's lock until it is closed. */
public final class Checkpoint extends NativeObject {
  /** Given as a checkpoint's name: the storage's root is itself the directory of one checkpoint. */
  public static final String SELF = ".";

  /**
   * Opens the checkpoints of a storage for writing, with all defaults.
   *
   * @param storage kept alive
   */
  public Checkpoint(Storage storage) {
    this(storage, new CheckpointOptions());
  }

  /**
   * Opens the checkpoints of a storage.
   *
   * @param storage kept alive
   * @param options how
   * @throws BusyException when another writer has the storage
   */
  public Checkpoint(Storage storage, CheckpointOptions options) {
    super(create(storage, options), Native::ckpt_checkpoint_manager_release);
  }

  /**
   * Opens the checkpoints below a directory, which is made when it is not there.
   *
   * @param directory of the file system
   * @param options how
   * @return to be closed
   */
  public static Checkpoint open(Path directory, CheckpointOptions options) {
    try (Storage storage = Storage.fileSystem(directory)) {
      return new Checkpoint(storage, options);
    }
  }

  /**
   * The same with all defaults.
   *
   * @param directory of the file system
   * @return to be closed
   */
  public static Checkpoint open(Path directory) {
    return open(directory, new CheckpointOptions());
  }

  private static long create(Storage storage, CheckpointOptions options) {
    try (ckpt_checkpoint_manager_options struct = new ckpt_checkpoint_manager_options()) {
      options.apply(struct);
      return number(out -> Native.ckpt_checkpoint_manager_create(storage, struct, out));
    } finally {
      Reference.reachabilityFence(options);
    }
  }

  /**
   * Writes a state as a new checkpoint and returns when it is durable.
   *
   * @param state read
   * @param options what is written beside it
   * @return what was made
   */
  public SaveResult save(State state, SaveOptions options) {
    try (ckpt_save_options struct = new ckpt_save_options(); ckpt_save_result result = new ckpt_save_result()) {
      options.apply(struct);
      Native.ckpt_checkpoint_manager_save(this, state, struct, result);
      return SaveResult.of(result);
    }
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
   * Fills a state from the newest valid checkpoint, or the one that options name.
   *
   * @param state written; unchanged when this fails, unless it loads in place
   * @param options how
   * @return what was found
   * @throws NotFoundException when there is no checkpoint
   */
  public LoadResult load(State state, LoadOptions options) {
    try (ckpt_load_options struct = new ckpt_load_options(); ckpt_load_result result = new ckpt_load_result()) {
      options.apply(struct);
      Native.ckpt_checkpoint_manager_load(this, state, struct, result);
      return LoadResult.of(result);
    }
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
   * The same where there may be none yet.
   *
   * @param state written
   * @return empty when there is no checkpoint
   */
  public Optional<LoadResult> loadIfAny(State state) {
    try {
      return Optional.of(load(state));
    } catch (NotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Looks at the storage.
   *
   * @return the checkpoints, good or not, in the order in which a load tries them
   */
  public List<CheckpointInfo> list() {
    List<CheckpointInfo> found = new ArrayList<>();
    long count = number(out -> Native.ckpt_checkpoint_manager_count(this, out));
    for (long i = 0; i < count; ++i) {
      try (ckpt_checkpoint_info info = new ckpt_checkpoint_info()) {
        Native.ckpt_checkpoint_manager_at(this, i, info);
        found.add(CheckpointInfo.of(info));
      }
    }
    return List.copyOf(found);
  }

  /**
   * The manifest of one checkpoint (docs/format.md).
   *
   * @param name of the checkpoint
   * @return JSON
   */
  public String manifest(String name) {
    return Native.ckpt_checkpoint_manager_get_manifest(this, name);
  }

  /**
   * Reads a whole checkpoint and checks everything.
   *
   * @param name of the checkpoint; null: the newest
   * @return what was read
   * @throws CorruptException names the first bad file and tensor
   */
  public VerifyResult verify(String name) {
    try (ckpt_verify_result result = new ckpt_verify_result()) {
      Native.ckpt_checkpoint_manager_verify(this, name, result);
      return VerifyResult.of(result);
    }
  }

  /**
   * Opens one checkpoint to read tensors one by one.
   *
   * @param name of the checkpoint; null: the newest
   * @param verify how much is checked
   * @return to be closed
   */
  public SafetensorsReader reader(String name, Verify verify) {
    return SafetensorsReader.made(out -> Native.ckpt_reader_create_from_checkpoint(this, name, verify.number(), out));
  }

  /**
   * The storage that the checkpoint was made with.
   *
   * @return a new reference
   */
  public Storage storage() {
    return Storage.made(out -> Native.ckpt_checkpoint_manager_get_storage(this, out));
  }

  /**
   * The coordinator that the checkpoint was made with.
   *
   * @return a new reference
   */
  public Coordinator coordinator() {
    return Coordinator.adopt(number(out -> Native.ckpt_checkpoint_manager_get_coordinator(this, out)));
  }

  /**
   * The fault handler that the checkpoint uses.
   *
   * @return a new reference
   */
  public FaultHandler faultHandler() {
    return FaultHandler.adopt(number(out -> Native.ckpt_checkpoint_manager_get_fault_handler(this, out)));
  }

  /**
   * Makes a manager of background saves and loads.
   *
   * @param maxQueueSize tasks that have not ended, at most
   * @return to be closed
   */
  public AsyncCheckpointManager createAsyncManager(long maxQueueSize) {
    return createAsyncManager(new AsyncOptions().capacity(maxQueueSize));
  }

  /**
   * The same with options.
   *
   * @param options how it works
   * @return to be closed
   */
  public AsyncCheckpointManager createAsyncManager(AsyncOptions options) {
    return new AsyncCheckpointManager(this, options);
  }
}
