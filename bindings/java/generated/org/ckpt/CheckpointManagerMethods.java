// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;
import java.util.Optional;

/** The methods of {@link CheckpointManager} that are one call of the C API. */
abstract class CheckpointManagerMethods extends NativeObject {
  CheckpointManagerMethods(long address) {
    super(address, Native::ckpt_checkpoint_manager_release);
  }

  /** Returns a new reference to the storage of the manager. */
  public Storage storage() {
    return Storage.created(out -> Native.ckpt_checkpoint_manager_get_storage(this, out));
  }

  /** Returns a new reference to the coordinator of the manager, or to one of a single process if it has none. */
  public Coordinator coordinator() {
    return Coordinator.created(out -> Native.ckpt_checkpoint_manager_get_coordinator(this, out));
  }

  /** Returns a new reference to the fault handler of the manager; its count of retries is the manager's if nothing else uses it. */
  public FaultHandler faultHandler() {
    return FaultHandler.created(out -> Native.ckpt_checkpoint_manager_get_fault_handler(this, out));
  }

  /**
   * Lists the checkpoints of the storage, valid or not (except those renamed to "torn-..."), in the order in which a load tries
   * them, abandoned ones last.
   */
  public List<CheckpointInfo> list() {
    return values(Native.ckpt_checkpoint_manager_list(this), CheckpointInfo::of, ckpt_checkpoint_info::close);
  }

  /**
   * Returns the checkpoint that a load tries first: among those of the current line with status {@link Status#OK}, the one with the
   * highest step, then the last commit. Empty when there is none; a warning in the log then names the newest abandoned one.
   */
  public Optional<CheckpointInfo> latest() {
    try {
      return Optional.of(CheckpointInfo.from(struct -> Native.ckpt_checkpoint_manager_get_latest(this, struct)));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Returns the checkpoint that has the best metric, as bestMetric of the manager's options specifies; of equal ones, with the
   * newest. Only those of the current line with status {@link Status#OK} count. Empty when none has a metric; a warning in the log
   * then names the newest abandoned one that has.
   */
  public Optional<CheckpointInfo> best() {
    try {
      return Optional.of(CheckpointInfo.from(struct -> Native.ckpt_checkpoint_manager_get_best(this, struct)));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Returns the newest checkpoint of this step (&gt;= 0) with status {@link Status#OK}; one of the current line takes precedence
   * over abandoned ones. Empty when there is none.
   */
  public Optional<CheckpointInfo> findStep(long step) {
    try {
      return Optional.of(CheckpointInfo.from(struct -> Native.ckpt_checkpoint_manager_find_step(this, step, struct)));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Removes one checkpoint permanently, durably and atomically: after a crash it is either complete or invisible to every load.
   * name: as in {@link CheckpointInfo}, of a valid or damaged checkpoint. {@link Status#NOT_FOUND} without a directory of that
   * name; {@link Status#INVALID_STATE} when it is pinned or the manager is read-only, {@link Status#FORKED} in a forked child. If
   * files remain, the storage's first error, with its message; later saves try again. Waits for a save in progress.
   */
  public void remove(String name) {
    Native.ckpt_checkpoint_manager_remove(this, name);
  }

  /**
   * Pins the newest checkpoint of this step (&gt;= 0) with status {@link Status#OK}, durably: retention of this and later processes
   * does not remove it. Earlier versions of the library ignore pins. {@link Status#NOT_FOUND} when there is none; else as {@code
   * CheckpointManager.remove}.
   */
  public void pin(long step) {
    Native.ckpt_checkpoint_manager_pin(this, step);
  }

  /**
   * Removes the pins of all checkpoints of this step (&gt;= 0), durably: the next save may remove them. {@link Status#NOT_FOUND}
   * when the step has no checkpoint; else as {@code CheckpointManager.remove}.
   */
  public void unpin(long step) {
    Native.ckpt_checkpoint_manager_unpin(this, step);
  }

  /**
   * Removes the checkpoints that a save would now remove, durably. keepRules: as in {@link CheckpointManagerOptions}, instead of
   * all retention rules of these options; null or empty: the rules of these options. When dryRun is true, nothing is changed. The
   * last committed one is always kept. {@link Status#INVALID_ARGUMENT} for rules that cannot be parsed; without a dry run errors as
   * {@code CheckpointManager.remove}.
   */
  public List<CheckpointInfo> prune(String keepRules, boolean dryRun) {
    return values(Native.ckpt_checkpoint_manager_prune(this, keepRules, dryRun ? 1 : 0), CheckpointInfo::of, ckpt_checkpoint_info::close);
  }

  /**
   * Removes the abandoned checkpoints that are not pinned, and no others, durably and regardless of the manager's rules. Those with
   * an unreadable manifest are kept. Reads and verifies the newest checkpoint of the line first, while saves wait; if none of the
   * line is valid, the newest valid abandoned one is kept, too. dryRun and errors as in {@code CheckpointManager.prune}.
   */
  public List<CheckpointInfo> pruneAbandoned(boolean dryRun) {
    return values(Native.ckpt_checkpoint_manager_prune_abandoned(this, dryRun ? 1 : 0), CheckpointInfo::of, ckpt_checkpoint_info::close);
  }

  /**
   * Returns the manifest of one checkpoint: a JSON object with its step, groups, files, tensors, values and metadata
   * (docs/reference/file-format.md). name: as in {@link CheckpointInfo}, or ".". {@link Status#NOT_FOUND} without a manifest,
   * {@link Status#CORRUPT} when it is damaged.
   */
  public String manifest(String name) {
    return Native.ckpt_checkpoint_manager_get_manifest(this, name);
  }

  /**
   * Returns the JSON values that one rank saved, as an object. name: as in {@link CheckpointInfo}, or ".". rank: 0 .. worldSize - 1
   * of the checkpoint, else {@link Status#OUT_OF_RANGE}. For runs that resume with another number of ranks and redistribute the
   * values of each rank. Errors as {@code CheckpointManager.manifest}.
   */
  public String rankValues(String name, long rank) {
    return Native.ckpt_checkpoint_manager_get_rank_values(this, name, rank);
  }

  /**
   * Reads a whole checkpoint and verifies every checksum, size and header. name: as in {@link CheckpointInfo}, or "."; null: the
   * newest one with a manifest, or another one if a writer removes that during the call. {@link Status#CORRUPT} with a message that
   * names the first damaged file and, if known, the tensor. {@link Status#NOT_FOUND} if the checkpoint does not exist (any more).
   */
  public VerifyResult verify(String name) {
    return VerifyResult.from(struct -> Native.ckpt_checkpoint_manager_verify(this, name, struct));
  }
}
