package org.ckpt;

/**
 * Which micro-batches' activations stay from forward to backward. The others are computed again.
 *
 * @param kind of the policy
 * @param interval for SELECTIVE
 * @param thresholdBytes for MEMORY_BASED
 * @param strategy for STRATEGY; else null
 */
public record ActivationPolicy(ActivationPolicyKind kind, long interval, long thresholdBytes, Strategy strategy) {
  private static ActivationPolicy of(ActivationPolicyKind kind) {
    return new ActivationPolicy(kind, 1, 1 << 30, null);
  }

  /**
   * All stay.
   *
   * @return the policy
   */
  public static ActivationPolicy storeAll() {
    return of(ActivationPolicyKind.STORE_ALL);
  }

  /**
   * None stays.
   *
   * @return the policy
   */
  public static ActivationPolicy recomputeAll() {
    return of(ActivationPolicyKind.RECOMPUTE_ALL);
  }

  /**
   * Every interval-th stays, and always the first and the last.
   *
   * @param interval at least 0; 0 stores all, like 1
   * @return the policy
   */
  public static ActivationPolicy selective(long interval) {
    return new ActivationPolicy(ActivationPolicyKind.SELECTIVE, interval, 1 << 30, null);
  }

  /**
   * What fits stays.
   *
   * @param thresholdBytes at least 0
   * @return the policy
   */
  public static ActivationPolicy memoryBased(long thresholdBytes) {
    return new ActivationPolicy(ActivationPolicyKind.MEMORY_BASED, 1, thresholdBytes, null);
  }

  /**
   * What a strategy answers yes to stays.
   *
   * @param strategy asked with the stage's name and the micro-batch
   * @return the policy
   */
  public static ActivationPolicy strategy(Strategy strategy) {
    return new ActivationPolicy(ActivationPolicyKind.STRATEGY, 1, 1 << 30, strategy);
  }

  /**
   * Picked when a step begins, by how full memory is.
   *
   * @return the policy
   */
  public static ActivationPolicy automatic() {
    return of(ActivationPolicyKind.AUTOMATIC);
  }

  ckpt_activation_policy struct() {
    ckpt_activation_policy struct = new ckpt_activation_policy();
    struct.setKind(kind.number());
    struct.setInterval(interval);
    struct.setThreshold_bytes(thresholdBytes);
    struct.setStrategy(strategy);
    return struct;
  }
}
