// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** What planning must know of one way to run a layer. Most layers have one. */
public final class OptionProfile {
  private long tapeBytes = 0L;
  private long forwardWorkspaceBytes = 0L;
  private long backwardWorkspaceBytes = 0L;
  private double forwardSeconds = 0.0;
  private double backwardSeconds = 0.0;

  /** All defaults. */
  public OptionProfile() {}

  /**
   * Bytes that the layer records for its backward, &gt;= 0. Default: 0.
   *
   * @param tapeBytes the value
   * @return this
   */
  public OptionProfile tapeBytes(long tapeBytes) {
    this.tapeBytes = tapeBytes;
    return this;
  }

  /** {@return what {@link #tapeBytes(long)} set} */
  public long tapeBytes() {
    return tapeBytes;
  }

  /**
   * Bytes needed while forward runs, with or without tape, &gt;= 0. Default: 0.
   *
   * @param forwardWorkspaceBytes the value
   * @return this
   */
  public OptionProfile forwardWorkspaceBytes(long forwardWorkspaceBytes) {
    this.forwardWorkspaceBytes = forwardWorkspaceBytes;
    return this;
  }

  /** {@return what {@link #forwardWorkspaceBytes(long)} set} */
  public long forwardWorkspaceBytes() {
    return forwardWorkspaceBytes;
  }

  /**
   * Bytes needed while backward runs, &gt;= 0. Default: 0.
   *
   * @param backwardWorkspaceBytes the value
   * @return this
   */
  public OptionProfile backwardWorkspaceBytes(long backwardWorkspaceBytes) {
    this.backwardWorkspaceBytes = backwardWorkspaceBytes;
    return this;
  }

  /** {@return what {@link #backwardWorkspaceBytes(long)} set} */
  public long backwardWorkspaceBytes() {
    return backwardWorkspaceBytes;
  }

  /**
   * Duration of one forward in seconds, &gt;= 0. Default: 0.0.
   *
   * @param forwardSeconds the value
   * @return this
   */
  public OptionProfile forwardSeconds(double forwardSeconds) {
    this.forwardSeconds = forwardSeconds;
    return this;
  }

  /** {@return what {@link #forwardSeconds(double)} set} */
  public double forwardSeconds() {
    return forwardSeconds;
  }

  /**
   * Duration of one backward in seconds, &gt;= 0. Default: 0.0.
   *
   * @param backwardSeconds the value
   * @return this
   */
  public OptionProfile backwardSeconds(double backwardSeconds) {
    this.backwardSeconds = backwardSeconds;
    return this;
  }

  /** {@return what {@link #backwardSeconds(double)} set} */
  public double backwardSeconds() {
    return backwardSeconds;
  }

  /** Calls with a struct of these values, which stay alive meanwhile. */
  void with(NativeObject.Into<ckpt_option_profile> call) {
    try (ckpt_option_profile struct = new ckpt_option_profile()) {
      struct.setTape_bytes(tapeBytes);
      struct.setForward_workspace_bytes(forwardWorkspaceBytes);
      struct.setBackward_workspace_bytes(backwardWorkspaceBytes);
      struct.setForward_seconds(forwardSeconds);
      struct.setBackward_seconds(backwardSeconds);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  static OptionProfile of(ckpt_option_profile struct) {
    OptionProfile made = new OptionProfile();
    made.tapeBytes = struct.getTape_bytes();
    made.forwardWorkspaceBytes = struct.getForward_workspace_bytes();
    made.backwardWorkspaceBytes = struct.getBackward_workspace_bytes();
    made.forwardSeconds = struct.getForward_seconds();
    made.backwardSeconds = struct.getBackward_seconds();
    return made;
  }

  static OptionProfile from(NativeObject.Into<ckpt_option_profile> call) {
    try (ckpt_option_profile struct = new ckpt_option_profile()) {
      call.call(struct);
      return of(struct);
    }
  }
}
