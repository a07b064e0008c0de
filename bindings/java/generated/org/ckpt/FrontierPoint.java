// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * What one schedule of a planner's frontier costs: no other of the planner's takes less time within its live bytes.
 *
 * @param liveBytes live bytes of tier 0 at the fullest moment
 * @param reservedBytes bytes that a machine must have: the size of the arena that holds all buffers
 * @param recomputedForwards number of layer forwards beyond the first of each layer
 * @param stepSeconds duration of the step in seconds
 * @param recomputedSeconds duration of the recomputed forwards in seconds
 * @param lostSeconds duration in seconds by which the planner's best may be shorter, where its tables had no room for it
 */
public record FrontierPoint(
    long liveBytes, long reservedBytes, long recomputedForwards, double stepSeconds, double recomputedSeconds, double lostSeconds) {
  static FrontierPoint of(ckpt_frontier_point struct) {
    return new FrontierPoint(
        struct.getLive_bytes(), struct.getReserved_bytes(), struct.getRecomputed_forwards(), struct.getStep_seconds(),
        struct.getRecomputed_seconds(), struct.getLost_seconds());
  }

  static FrontierPoint from(NativeObject.Into<ckpt_frontier_point> call) {
    try (ckpt_frontier_point struct = new ckpt_frontier_point()) {
      call.call(struct);
      return of(struct);
    }
  }
}
