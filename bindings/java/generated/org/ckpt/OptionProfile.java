// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** Properties of one option (way to run a layer) for planning. Most layers have one. */
public final class OptionProfile {
  private long tapeBytes = 0L;
  private long forwardWorkspaceBytes = 0L;
  private long backwardWorkspaceBytes = 0L;
  private double forwardSeconds = 0.0;
  private double backwardSeconds = 0.0;
  private long recordWorkspaceBytes = 0L;
  private double recordSeconds = 0.0;
  private boolean hasRecord = false;
  private long backwardPeakBytes = 0L;

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

  /** {@return the value set by {@link #tapeBytes(long)}} */
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

  /** {@return the value set by {@link #forwardWorkspaceBytes(long)}} */
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

  /** {@return the value set by {@link #backwardWorkspaceBytes(long)}} */
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

  /** {@return the value set by {@link #forwardSeconds(double)}} */
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

  /** {@return the value set by {@link #backwardSeconds(double)}} */
  public double backwardSeconds() {
    return backwardSeconds;
  }

  /**
   * Bytes needed while RECORD runs, &gt;= 0; ignored without hasRecord. Default: 0.
   *
   * @param recordWorkspaceBytes the value
   * @return this
   */
  public OptionProfile recordWorkspaceBytes(long recordWorkspaceBytes) {
    this.recordWorkspaceBytes = recordWorkspaceBytes;
    return this;
  }

  /** {@return the value set by {@link #recordWorkspaceBytes(long)}} */
  public long recordWorkspaceBytes() {
    return recordWorkspaceBytes;
  }

  /**
   * Duration of one RECORD in seconds, &gt;= 0; ignored without hasRecord. Default: 0.0.
   *
   * @param recordSeconds the value
   * @return this
   */
  public OptionProfile recordSeconds(double recordSeconds) {
    this.recordSeconds = recordSeconds;
    return this;
  }

  /** {@return the value set by {@link #recordSeconds(double)}} */
  public double recordSeconds() {
    return recordSeconds;
  }

  /**
   * True: the layer can record without computing its output, with recordWorkspaceBytes and recordSeconds; false: RECORD runs
   * forward. Default: false.
   *
   * @param hasRecord the value
   * @return this
   */
  public OptionProfile hasRecord(boolean hasRecord) {
    this.hasRecord = hasRecord;
    return this;
  }

  /** {@return the value set by {@link #hasRecord(boolean)}} */
  public boolean hasRecord() {
    return hasRecord;
  }

  /**
   * Maximum bytes of a backward while it runs, without the layer's input: its tape, both gradients, the output if it is read, and
   * workspace, &gt;= 0; 0: not known, their sum. For programs with a separate allocator: planners and the verifier use it; arena
   * and program use the sum. Default: 0.
   *
   * @param backwardPeakBytes the value
   * @return this
   */
  public OptionProfile backwardPeakBytes(long backwardPeakBytes) {
    this.backwardPeakBytes = backwardPeakBytes;
    return this;
  }

  /** {@return the value set by {@link #backwardPeakBytes(long)}} */
  public long backwardPeakBytes() {
    return backwardPeakBytes;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_option_profile> call) {
    try (ckpt_option_profile struct = new ckpt_option_profile()) {
      struct.setTape_bytes(tapeBytes);
      struct.setForward_workspace_bytes(forwardWorkspaceBytes);
      struct.setBackward_workspace_bytes(backwardWorkspaceBytes);
      struct.setForward_seconds(forwardSeconds);
      struct.setBackward_seconds(backwardSeconds);
      struct.setRecord_workspace_bytes(recordWorkspaceBytes);
      struct.setRecord_seconds(recordSeconds);
      struct.setHas_record(hasRecord ? 1 : 0);
      struct.setBackward_peak_bytes(backwardPeakBytes);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  static OptionProfile of(ckpt_option_profile struct) {
    OptionProfile created = new OptionProfile();
    created.tapeBytes = struct.getTape_bytes();
    created.forwardWorkspaceBytes = struct.getForward_workspace_bytes();
    created.backwardWorkspaceBytes = struct.getBackward_workspace_bytes();
    created.forwardSeconds = struct.getForward_seconds();
    created.backwardSeconds = struct.getBackward_seconds();
    created.recordWorkspaceBytes = struct.getRecord_workspace_bytes();
    created.recordSeconds = struct.getRecord_seconds();
    created.hasRecord = struct.getHas_record() != 0;
    created.backwardPeakBytes = struct.getBackward_peak_bytes();
    return created;
  }

  static OptionProfile from(NativeObject.Into<ckpt_option_profile> call) {
    try (ckpt_option_profile struct = new ckpt_option_profile()) {
      call.call(struct);
      return of(struct);
    }
  }
}
