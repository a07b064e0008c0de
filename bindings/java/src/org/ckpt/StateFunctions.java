package org.ckpt;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** What stands between the library and the functions that managers are given. */
final class StateFunctions {
  private StateFunctions() {}

  static NativeKeeper keeper(Predicate<CheckpointInfo> keep) {
    return keep == null ? null : new Keeper(keep).pinned();
  }

  static NativeRenamer renamer(UnaryOperator<String> rename) {
    return rename == null ? null : new Renamer(rename).pinned();
  }

  private static final class Keeper extends NativeKeeper {
    private final Predicate<CheckpointInfo> function;

    Keeper(Predicate<CheckpointInfo> function) {
      this.function = function;
    }

    @Override
    public boolean keep(ckpt_checkpoint_info info) {
      return function.test(CheckpointInfo.of(info));
    }
  }

  private static final class Renamer extends NativeRenamer {
    private final UnaryOperator<String> function;

    Renamer(UnaryOperator<String> function) {
      this.function = function;
    }

    @Override
    public void rename(String name, NewName answer) {
      answer.set(function.apply(name));
    }
  }
}
