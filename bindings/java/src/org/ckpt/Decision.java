package org.ckpt;

/**
 * Whether to save now, and why.
 *
 * @param checkpoint save now
 * @param reason why
 * @param policy that decided
 * @param intervalSeconds wanted between saves now; 0 for THRESHOLD
 * @param risk probability of a failure within that interval
 * @param costSeconds of a save: measured, given, or assumed
 * @param sinceLastSeconds since the last save, or since work began
 * @param dueSeconds when a save is wanted, on the caller's clock; 0 for THRESHOLD
 */
public record Decision(
    boolean checkpoint, Reason reason, Policy policy, double intervalSeconds, double risk, double costSeconds,
    double sinceLastSeconds, double dueSeconds) {
  static Decision of(ckpt_decision struct) {
    return new Decision(
        struct.getCheckpoint() != 0, Reason.of(struct.getReason()), Policy.of(struct.getPolicy()), struct.getInterval_seconds(),
        struct.getRisk(), struct.getCost_seconds(), struct.getSince_last_seconds(), struct.getDue_seconds());
  }
}
