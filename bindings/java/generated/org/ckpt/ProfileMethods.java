// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;
import java.util.function.Consumer;

/** The methods of {@link Profile} that are one call of the C API. */
abstract class ProfileMethods extends NativeObject {
  ProfileMethods(long address) {
    super(address);
  }

  ProfileMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /** Returns what is known of a tier (1 .. 3). */
  public TierProfile tier(int tier) {
    return TierProfile.from(struct -> Native.ckpt_profile_get_tier(this, tier, struct));
  }

  /** Returns what {@code Profile.setFlags} set. */
  public int flags() {
    return whole(out -> Native.ckpt_profile_get_flags(this, out));
  }

  /** Returns the number of layers. */
  public long layerCount() {
    return number(out -> Native.ckpt_profile_get_layer_count(this, out));
  }

  /** Returns the bytes of the chain's input x_0. */
  public long inputBytes() {
    return number(out -> Native.ckpt_profile_get_input_bytes(this, out));
  }

  /**
   * Makes the whole frontier of a planner in one run: returns what its schedules cost, by rising live bytes and falling step
   * seconds (where the profile has no seconds at all, falling recomputed forwards). planner: "chain" or "tapes"; {@link
   * Status#NOT_FOUND} for another name. A budget takes the fastest point whose reserved bytes fit, a budget of tapes also one of
   * chain's, and the smallest budget that works is the least of them. Every call computes anew; the points are placed, one after
   * another, as far as they are asked for. Beyond 128 layers there are some points of the frontier, all placed by each call, and a
   * budget may find better ones between them.
   */
  public List<FrontierPoint> frontier(String planner) {
    return values(Native.ckpt_profile_get_frontier(this, planner), FrontierPoint::of, ckpt_frontier_point::close);
  }
}
