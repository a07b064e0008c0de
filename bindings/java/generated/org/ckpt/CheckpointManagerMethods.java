// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;
import java.util.Optional;

/** The methods of {@link CheckpointManager} that are one call of the C API. */
abstract class CheckpointManagerMethods extends NativeObject {
  CheckpointManagerMethods(long address) {
    super(address, Native::ckpt_checkpoint_manager_release);
  }

  /** Returns a new reference to the storage that the checkpoint was made with. */
  public Storage storage() {
    return Storage.made(out -> Native.ckpt_checkpoint_manager_get_storage(this, out));
  }

  /**
   * Returns a new reference to the coordinator that the checkpoint was made with, or to one of a single process when there was
   * none.
   */
  public Coordinator coordinator() {
    return Coordinator.made(out -> Native.ckpt_checkpoint_manager_get_coordinator(this, out));
  }

  /**
   * Returns a new reference to the fault handler that the checkpoint uses; its count of retries is the checkpoint's when nothing
   * else uses it.
   */
  public FaultHandler faultHandler() {
    return FaultHandler.made(out -> Native.ckpt_checkpoint_manager_get_fault_handler(this, out));
  }

  /**
   * Writes state as a new checkpoint and returns when it is durable: a load finds it, or a newer one, after a crash at any later
   * moment. The tensors should not change meanwhile; if they do, the checkpoint holds some mixture, with checksums of what was
   * written. With several ranks all save the same names, dtypes, global shapes, step and prefix ({@link Status#INVALID_ARGUMENT}
   * names what differs, and where); other options and the JSON values are rank 0's, and values that differ elsewhere are saved by
   * rank. options: null for the defaults (step 0). {@link Status#INVALID_STATE} when read-only, {@link Status#FORKED} in a forked
   * child, {@link Status#NO_SPACE}, {@link Status#PERMISSION} and {@link Status#IO} from the system: then what was written is
   * removed as far as that is possible, and older checkpoints are what they were. {@link Status#NO_SPACE} with both figures, before
   * anything is made, when a file system has fewer bytes free than the files need; what is linked needs none, and what is removed
   * after the save is not counted.
   */
  public SaveResult save(State state, SaveOptions options) {
    return SaveResult.from(struct -> options.with(optionsStruct -> Native.ckpt_checkpoint_manager_save(this, state, optionsStruct, struct)));
  }

  /**
   * Lists the checkpoints of the storage, good or not (those set aside as "torn-..." do not count), in the order in which a load
   * tries them, abandoned ones last.
   */
  public List<CheckpointInfo> list() {
    return values(Native.ckpt_checkpoint_manager_list(this), CheckpointInfo::of, ckpt_checkpoint_info::close);
  }

  /**
   * Returns the checkpoint that a load tries first: the one of the highest step of the current line whose status is {@link
   * Status#OK}, of equal ones the last that was committed. Empty when there is none; the message then names the newest abandoned
   * one.
   */
  public Optional<CheckpointInfo> latest() {
    try {
      return Optional.of(CheckpointInfo.from(struct -> Native.ckpt_checkpoint_manager_get_latest(this, struct)));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Returns the checkpoint that has the best metric, as bestMetric of the manager's options says, of equal ones the newest, among
   * those of the current line whose status is {@link Status#OK}. Empty when none has a metric.
   */
  public Optional<CheckpointInfo> best() {
    try {
      return Optional.of(CheckpointInfo.from(struct -> Native.ckpt_checkpoint_manager_get_best(this, struct)));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Returns the newest checkpoint of this step (&gt;= 0) whose status is {@link Status#OK}; one of the current line takes
   * precedence over abandoned ones. Empty when there is none.
   */
  public Optional<CheckpointInfo> findStep(long step) {
    try {
      return Optional.of(CheckpointInfo.from(struct -> Native.ckpt_checkpoint_manager_find_step(this, step, struct)));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Removes one checkpoint for ever, durably: after a crash it is there whole, or gone for every load. name: as in {@link
   * CheckpointInfo}, good or damaged. {@link Status#NOT_FOUND} without a directory of that name; {@link Status#INVALID_STATE} when
   * it is pinned or the manager read-only, {@link Status#FORKED} in a forked child. Waits for a save that is under way.
   */
  public void remove(String name) {
    Native.ckpt_checkpoint_manager_remove(this, name);
  }

  /**
   * Pins the newest checkpoint of this step (&gt;= 0) whose status is {@link Status#OK}, durably: retention of this and later
   * processes does not remove it. Earlier versions of the library do not know pins. {@link Status#NOT_FOUND} when there is none;
   * else as {@code CheckpointManager.remove}.
   */
  public void pin(long step) {
    Native.ckpt_checkpoint_manager_pin(this, step);
  }

  /**
   * Takes the pins of all checkpoints of this step (&gt;= 0) back, durably: the next save may remove them. {@link Status#NOT_FOUND}
   * when the step has no checkpoint; else as {@code CheckpointManager.remove}.
   */
  public void unpin(long step) {
    Native.ckpt_checkpoint_manager_unpin(this, step);
  }

  /**
   * Removes the checkpoints that a save would now remove, durably. keepRules: as in {@link CheckpointManagerOptions}, in the place
   * of all that these say; null or empty: what they say.. They are removed only when infos has room for all of them: else, and when
   * dryRun is not 0, nothing is changed. The one that was committed last stays, too. {@link Status#INVALID_ARGUMENT} for rules that
   * cannot be read; without a dry run as {@code CheckpointManager.remove}, and {@link Status#IO} when some could not be removed
   * completely.
   */
  public List<CheckpointInfo> prune(String keepRules, boolean dryRun) {
    return values(Native.ckpt_checkpoint_manager_prune(this, keepRules, dryRun ? 1 : 0), CheckpointInfo::of, ckpt_checkpoint_info::close);
  }

  /**
   * Durably removes the abandoned checkpoints that are not pinned, and no others, whatever the manager's rules keep. Those with a
   * manifest that cannot be read stay. infos, capacity, count, dryRun and errors as in {@code CheckpointManager.prune}.
   */
  public List<CheckpointInfo> pruneAbandoned(boolean dryRun) {
    return values(Native.ckpt_checkpoint_manager_prune_abandoned(this, dryRun ? 1 : 0), CheckpointInfo::of, ckpt_checkpoint_info::close);
  }

  /**
   * Returns the manifest of one checkpoint: a JSON text with its step, groups, files, tensors, values and metadata
   * (docs/reference/file-format.md). name: as in {@link CheckpointInfo}, or ".". {@link Status#NOT_FOUND} without a manifest,
   * {@link Status#CORRUPT} when it is damaged.
   */
  public String manifest(String name) {
    return Native.ckpt_checkpoint_manager_get_manifest(this, name);
  }

  /**
   * Returns the JSON values that one rank saved, as an object. name: as in {@link CheckpointInfo}, or ".". rank: 0 .. worldSize - 1
   * of the checkpoint, else {@link Status#OUT_OF_RANGE}. For runs that go on with another number of ranks and have to share out
   * anew what was each rank's own. Errors as {@code CheckpointManager.manifest}.
   */
  public String rankValues(String name, long rank) {
    return Native.ckpt_checkpoint_manager_get_rank_values(this, name, rank);
  }

  /**
   * Reads a whole checkpoint and checks everything. name: as in {@link CheckpointInfo}, or "."; null: the newest that has a
   * manifest, another one when a writer removes that meanwhile. {@link Status#CORRUPT} with a message that names the first bad file
   * and, where it is known, the tensor. {@link Status#NOT_FOUND} when there is no such checkpoint (any more).
   */
  public VerifyResult verify(String name) {
    return VerifyResult.from(struct -> Native.ckpt_checkpoint_manager_verify(this, name, struct));
  }
}
