// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Memory and time of one schedule of a planner's frontier: no other schedule of the planner takes less time within its live
 * bytes.
 *
 * @param liveBytes peak live bytes of tier 0
 * @param reservedBytes size of the arena that holds all buffers, in bytes
 * @param recomputedForwards number of layer forwards beyond the first of each layer
 * @param stepSeconds duration of the step in seconds
 * @param recomputedSeconds duration of the recomputed forwards in seconds
 * @param lostSeconds upper bound, in seconds, by which the optimum may be shorter, if it did not fit in the planner's tables
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
