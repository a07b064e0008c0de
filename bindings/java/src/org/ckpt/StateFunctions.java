package org.ckpt;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Passes the library's calls on to the functions given to managers. */
final class StateFunctions {
  private StateFunctions() {}

  static NativeKeeper keeper(Predicate<CheckpointInfo> keep) {
    return keep == null ? null : new NativeKeeper() {
      @Override
      public boolean keep(ckpt_checkpoint_info info) {
        return keep.test(CheckpointInfo.of(info));
      }
    }.pinned();
  }

  static NativeRenamer renamer(UnaryOperator<String> rename) {
    return rename == null ? null : new NativeRenamer() {
      @Override
      public void rename(String name, NewName answer) {
        answer.set(rename.apply(name));
      }
    }.pinned();
  }
}
