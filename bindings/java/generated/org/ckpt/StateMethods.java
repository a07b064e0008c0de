// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.Optional;

/** The methods of {@link State} that are one call of the C API. */
abstract class StateMethods extends NativeObject {
  StateMethods(long address) {
    super(address, Native::ckpt_state_release);
  }

  /** A reference that the library lends: not released. */
  StateMethods(NativeObject lent) {
    super(lent.address());
  }

  /**
   * Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group: created if it is
   * new; each group becomes one file ("model" -&gt; model.safetensors). Not blank, at most 64 bytes. name: not blank, not
   * "__metadata__"; {@link Status#ALREADY_EXISTS} if the group has it. {@link Status#OUT_OF_RANGE} if the product of the lengths,
   * computed from left to right up to the first 0, exceeds 2^63 - 1.
   */
  public State add(String group, String name, Tensor tensor) {
    Native.ckpt_state_add_tensor(this, group, name, tensor);
    return (State) this;
  }

  /**
   * Adds a tensor that is sharded over the ranks of a run: each rank adds the same name, dtype and global shape, and then adds its
   * blocks (zero or more) by {@code State.addBlock}. Tensors of {@code State.add} are replicated: every rank has the whole tensor,
   * and it is saved once. group, name: as in {@code State.add}. shape: ndim (0 .. 8) lengths, &gt;= 0; null only when ndim is 0.
   * The blocks of all ranks must cover the tensor; several ranks may have the same block, otherwise blocks must not overlap. Else a
   * save fails with {@link Status#INVALID_ARGUMENT} that names the missing or overlapping part.
   */
  public State addShardedTensor(String group, String name, DType dtype, long... shape) {
    Native.ckpt_state_add_sharded_tensor(this, group, name, dtype.number(), shape);
    return (State) this;
  }

  /** Returns the number of tensors in all groups. */
  public long tensorCount() {
    return number(out -> Native.ckpt_state_get_tensor_count(this, out));
  }

  /**
   * Sets the value of a key, replacing an earlier value. key: not blank. json: one JSON value, copied. Integers must fit in 64
   * bits, other numbers are IEEE doubles; no duplicate keys in an object; nesting depth at most 48.
   */
  public State setJson(String key, String json) {
    Native.ckpt_state_set_json(this, key, json);
    return (State) this;
  }

  /** Returns the value of a key as JSON without insignificant white space. Empty when the key has none. */
  public Optional<String> json(String key) {
    try {
      return Optional.of(Native.ckpt_state_get_json(this, key));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Declares that the tensors of a group rarely change (rarely is true) or revokes that (false, the initial state): a save with
   * {@code SaveOptions.incremental} does not write the group's file again if none of them has changed since the previous
   * checkpoint. The group need not exist yet.
   */
  public State setRarelyChanges(String group, boolean rarely) {
    Native.ckpt_state_set_rarely_changes(this, group, rarely ? 1 : 0);
    return (State) this;
  }

  /**
   * Returns a report of the last successful load into this state (missing, unexpected and skipped items), as JSON:
   * {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
   * "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
   * "by_rank":["data_position"]} missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints that
   * the load skipped, newest first, each with its error. It includes a damaged commit record ("name" is its path) if only the
   * manifest's digest in it shows that the checkpoint was committed. {@code LoadResult.skipped} is their number. by_rank: keys with
   * values that differed between the ranks that saved, and were not loaded because the number of ranks is different now; absent if
   * there are none. {@code CheckpointManager.rankValues} reads these values.
   */
  public String loadReport() {
    return Native.ckpt_state_get_load_report(this);
  }
}
