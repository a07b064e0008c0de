package org.ckpt;

/** Creates strategies of a custom kind, for {@link Strategy#register}. */
@FunctionalInterface
public interface StrategyFactory {
  /**
   * Creates one strategy. Runs on the creating thread, several at once; must not create its own kind.
   *
   * @param arguments the text after the kind's name, "" when there is none
   * @return the strategy
   */
  CheckpointStrategy make(String arguments);
}
