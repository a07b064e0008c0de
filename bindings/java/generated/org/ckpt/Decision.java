// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * A controller's decision whether to save now.
 *
 * @param checkpoint true: save now; false: do not
 * @param reason reason for the decision
 * @param policy the policy that decided
 * @param intervalSeconds current target interval between saves, in seconds; 0 for {@link Policy#THRESHOLD}
 * @param risk probability of a failure within the target interval, 0 .. 1
 * @param costSeconds cost of a save in seconds: measured, set, or assumed (60 s)
 * @param sinceLastSeconds seconds since the last save, or since work began
 * @param dueSeconds when the next save is due, in seconds on the caller's clock; 0 for {@link Policy#THRESHOLD}
 */
public record Decision(
    boolean checkpoint, Reason reason, Policy policy, double intervalSeconds, double risk, double costSeconds,
    double sinceLastSeconds, double dueSeconds) {
  static Decision of(ckpt_decision struct) {
    return new Decision(
        struct.getCheckpoint() != 0, Reason.of(struct.getReason()), Policy.of(struct.getPolicy()), struct.getInterval_seconds(),
        struct.getRisk(), struct.getCost_seconds(), struct.getSince_last_seconds(), struct.getDue_seconds());
  }

  static Decision from(NativeObject.Into<ckpt_decision> call) {
    try (ckpt_decision struct = new ckpt_decision()) {
      call.call(struct);
      return of(struct);
    }
  }
}
