package org.ckpt;

/** Makes strategies of a kind of your own, for {@link Strategy#register}. */
@FunctionalInterface
public interface StrategyFactory {
  /**
   * One strategy. Runs on the creating thread, several at once; must not make its own kind.
   *
   * @param arguments the text behind the kind's name, "" when there is none
   * @return the strategy
   */
  CheckpointStrategy make(String arguments);
}
