// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.Optional;

/** The methods of {@link State} that are one call of the C API. */
abstract class StateMethods extends NativeObject {
  StateMethods(long address) {
    super(address, Native::ckpt_state_release);
  }

  /** Lent by the library for a time: nothing is released. */
  StateMethods(NativeObject lent) {
    super(lent.address());
  }

  /**
   * Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group: each group becomes
   * a file of its own ("model" -&gt; model.safetensors); made when it is new. Not blank, at most 64 bytes. name: not blank, not
   * "__metadata__"; {@link Status#ALREADY_EXISTS} when the group has it. {@link Status#OUT_OF_RANGE} for a shape whose lengths,
   * multiplied from left to right, pass 2^63 - 1 before a 0 comes.
   */
  public State add(String group, String name, Tensor tensor) {
    Native.ckpt_state_add_tensor(this, group, name, tensor);
    return (State) this;
  }

  /**
   * Adds a tensor that is spread over the ranks of a run: each rank adds the same name, dtype and global shape, and then, by {@code
   * State.addBlock}, the blocks that it has: none, one or several. What {@code State.add} adds is replicated: every rank has it
   * whole, and it is saved once. group, name: as in {@code State.add}. shape: ndim (0 .. 8) lengths, &gt;= 0; null only when ndim
   * is 0. Together the blocks of all ranks cover the tensor; ranks may have the same block, else blocks do not overlap: a save
   * fails with {@link Status#INVALID_ARGUMENT} that names what is missing or covered twice.
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
   * Sets the value of a key, replacing the one it had. key: not blank. json: one JSON value, copied. Integers must fit 64 bits,
   * other numbers are IEEE doubles; no key twice in an object; nested at most 48 deep.
   */
  public State setJson(String key, String json) {
    Native.ckpt_state_set_json(this, key, json);
    return (State) this;
  }

  /** Returns the value of a key as JSON without superfluous white space. Empty when the key has none. */
  public Optional<String> json(String key) {
    try {
      return Optional.of(Native.ckpt_state_get_json(this, key));
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Declares that the tensors of a group seldom change (rarely other than 0) or takes that back (0, as without this call): a save
   * with {@code SaveOptions.incremental} does not write its file again while none of them has changed since the checkpoint before.
   * The group need not be there yet.
   */
  public State setRarelyChanges(String group, boolean rarely) {
    Native.ckpt_state_set_rarely_changes(this, group, rarely ? 1 : 0);
    return (State) this;
  }

  /**
   * Returns what the last successful load into this state found missing, unexpected and unusable, as JSON:
   * {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
   * "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
   * "by_rank":["data_position"]} missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints that
   * it passed over, newest first, with what was wrong, and a damaged commit record ("name" is its path) where only the manifest's
   * digest in it shows that the checkpoint was committed; {@code LoadResult.skipped} is their number. by_rank: keys whose values
   * differed between the ranks that saved, and were not loaded because there are more or fewer ranks now ({@code
   * CheckpointManager.rankValues} reads them); not there when there are none.
   */
  public String loadReport() {
    return Native.ckpt_state_get_load_report(this);
  }
}
