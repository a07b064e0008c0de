// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link State} that are one call of the C API. */
abstract class StateMethods extends NativeObject {
  StateMethods(long address) {
    super(address);
  }

  StateMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /** Returns the number of tensors in all groups. */
  public long tensorCount() {
    return number(out -> Native.ckpt_state_get_tensor_count(this, out));
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
