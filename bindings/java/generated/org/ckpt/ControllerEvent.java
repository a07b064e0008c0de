// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** An event of a run. Each kind uses the fields that its comment names, and nowSeconds. */
public final class ControllerEvent {
  private ControllerEventKind kind = ControllerEventKind.RUN_BEGAN;
  private double nowSeconds = 0;
  private String name = null;
  private double durationSeconds = 0;
  private double stallSeconds = 0;
  private double durableSeconds = 0;
  private double savedSeconds = 0;
  private double overheadSeconds = 0;
  private double leftSeconds = 0;

  /** All defaults. */
  public ControllerEvent() {}

  /**
   * Kind of the event. Default: {@link ControllerEventKind#RUN_BEGAN}.
   *
   * @param kind the value
   * @return this
   */
  public ControllerEvent kind(ControllerEventKind kind) {
    this.kind = kind;
    return this;
  }

  /** {@return the value set by {@link #kind(ControllerEventKind)}} */
  public ControllerEventKind kind() {
    return kind;
  }

  /**
   * Time of the event in seconds, on the caller's clock. Default: 0.
   *
   * @param nowSeconds the value
   * @return this
   */
  public ControllerEvent nowSeconds(double nowSeconds) {
    this.nowSeconds = nowSeconds;
    return this;
  }

  /** {@return the value set by {@link #nowSeconds(double)}} */
  public double nowSeconds() {
    return nowSeconds;
  }

  /**
   * Name of the task: UTF-8, not blank, at most 95 bytes. Default: null.
   *
   * @param name the value
   * @return this
   */
  public ControllerEvent name(String name) {
    this.name = name;
    return this;
  }

  /** {@return the value set by {@link #name(String)}} */
  public String name() {
    return name;
  }

  /**
   * Duration of the task in seconds: finite, &gt;= 0. Default: 0.
   *
   * @param durationSeconds the value
   * @return this
   */
  public ControllerEvent durationSeconds(double durationSeconds) {
    this.durationSeconds = durationSeconds;
    return this;
  }

  /** {@return the value set by {@link #durationSeconds(double)}} */
  public double durationSeconds() {
    return durationSeconds;
  }

  /**
   * Seconds for which work was stopped for the save: the cost of the save. Default: 0.
   *
   * @param stallSeconds the value
   * @return this
   */
  public ControllerEvent stallSeconds(double stallSeconds) {
    this.stallSeconds = stallSeconds;
    return this;
  }

  /** {@return the value set by {@link #stallSeconds(double)}} */
  public double stallSeconds() {
    return stallSeconds;
  }

  /**
   * Seconds from the begin of the save until it was durable; used after preemption notices. Default: 0.
   *
   * @param durableSeconds the value
   * @return this
   */
  public ControllerEvent durableSeconds(double durableSeconds) {
    this.durableSeconds = durableSeconds;
    return this;
  }

  /** {@return the value set by {@link #durableSeconds(double)}} */
  public double durableSeconds() {
    return durableSeconds;
  }

  /**
   * Seconds of work that need not be repeated because of the loaded checkpoint. Default: 0.
   *
   * @param savedSeconds the value
   * @return this
   */
  public ControllerEvent savedSeconds(double savedSeconds) {
    this.savedSeconds = savedSeconds;
    return this;
  }

  /** {@return the value set by {@link #savedSeconds(double)}} */
  public double savedSeconds() {
    return savedSeconds;
  }

  /**
   * Cost of the loaded checkpoint in seconds. Default: 0.
   *
   * @param overheadSeconds the value
   * @return this
   */
  public ControllerEvent overheadSeconds(double overheadSeconds) {
    this.overheadSeconds = overheadSeconds;
    return this;
  }

  /** {@return the value set by {@link #overheadSeconds(double)}} */
  public double overheadSeconds() {
    return overheadSeconds;
  }

  /**
   * Seconds until the process is terminated. Default: 0.
   *
   * @param leftSeconds the value
   * @return this
   */
  public ControllerEvent leftSeconds(double leftSeconds) {
    this.leftSeconds = leftSeconds;
    return this;
  }

  /** {@return the value set by {@link #leftSeconds(double)}} */
  public double leftSeconds() {
    return leftSeconds;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_controller_event> call) {
    try (ckpt_controller_event struct = new ckpt_controller_event()) {
      struct.setKind(kind.number());
      struct.setNow_seconds(nowSeconds);
      if (name != null) struct.setName(name);
      struct.setDuration_seconds(durationSeconds);
      struct.setStall_seconds(stallSeconds);
      struct.setDurable_seconds(durableSeconds);
      struct.setSaved_seconds(savedSeconds);
      struct.setOverhead_seconds(overheadSeconds);
      struct.setLeft_seconds(leftSeconds);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
