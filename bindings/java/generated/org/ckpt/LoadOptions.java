// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.util.OptionalLong;

/** Options of one load. */
public final class LoadOptions {
  private Verify verify = Verify.FULL;
  private String name = null;
  private Long step = null;
  private String environmentJson = null;
  private boolean partial = false;
  private boolean inPlace = false;
  private String stripPrefix = null;
  private String addPrefix = null;
  private Conversion convert = Conversion.NONE;

  /** All defaults. */
  public LoadOptions() {}

  /**
   * Level of checks: {@link Verify#FULL} or {@link Verify#NONE}. Default: {@link Verify#FULL}.
   *
   * @param verify the value
   * @return this
   */
  public LoadOptions verify(Verify verify) {
    this.verify = verify;
    return this;
  }

  /** {@return the value set by {@link #verify(Verify)}} */
  public Verify verify() {
    return verify;
  }

  /**
   * Name of the checkpoint to load, without fallback to another one; null: the newest valid one.
   *
   * @param name the value
   * @return this
   */
  public LoadOptions name(String name) {
    this.name = name;
    return this;
  }

  /** {@return the value set by {@link #name(String)}} */
  public String name() {
    return name;
  }

  /**
   * Step of the checkpoint to load, of several the newest valid one; empty when there is none; not together with name. Default:
   * none.
   *
   * @param step the value
   * @return this
   */
  public LoadOptions step(long step) {
    this.step = step;
    return this;
  }

  /** {@return the value set by {@link #step(long)}} */
  public OptionalLong step() {
    return step == null ? OptionalLong.empty() : OptionalLong.of(step);
  }

  /**
   * JSON that describes the environment of this run, compared with the environment of the save; null: not compared. The library's
   * version and the BLAS are always compared, if both sides have them.
   *
   * @param environmentJson the value
   * @return this
   */
  public LoadOptions environmentJson(String environmentJson) {
    this.environmentJson = environmentJson;
    return this;
  }

  /** {@return the value set by {@link #environmentJson(String)}} */
  public String environmentJson() {
    return environmentJson;
  }

  /**
   * False: the state and the checkpoint must have the same names; true: tensors that only one of them has are counted and listed in
   * the load report; tensors and keys of the state that the checkpoint lacks keep their values. Default: false.
   *
   * @param partial the value
   * @return this
   */
  public LoadOptions partial(boolean partial) {
    this.partial = partial;
    return this;
  }

  /** {@return the value set by {@link #partial(boolean)}} */
  public boolean partial() {
    return partial;
  }

  /**
   * False: a load that fails leaves the state's tensors unchanged. For that, files of the file system are read twice, to check them
   * and to copy them, and the copy is checked again; files of other storages need additional memory of the size of the tensors.
   * Other values: bytes are read directly into the tensors and checked there, which is faster and needs no additional memory; after
   * a load that fails the contents of the tensors are undefined. Default: false.
   *
   * @param inPlace the value
   * @return this
   */
  public LoadOptions inPlace(boolean inPlace) {
    this.inPlace = inPlace;
    return this;
  }

  /** {@return the value set by {@link #inPlace(boolean)}} */
  public boolean inPlace() {
    return inPlace;
  }

  /**
   * Prefix that is removed from the checkpoint's tensor names that begin with it, before they are looked up in the state
   * ("module."); null or empty: no prefix is removed. Two names that become equal, or a name that becomes empty, are an error.
   *
   * @param stripPrefix the value
   * @return this
   */
  public LoadOptions stripPrefix(String stripPrefix) {
    this.stripPrefix = stripPrefix;
    return this;
  }

  /** {@return the value set by {@link #stripPrefix(String)}} */
  public String stripPrefix() {
    return stripPrefix;
  }

  /**
   * Prefix that is added to each of the checkpoint's tensor names, after stripPrefix was removed, before they are looked up in the
   * state; null or empty: no prefix is added.
   *
   * @param addPrefix the value
   * @return this
   */
  public LoadOptions addPrefix(String addPrefix) {
    this.addPrefix = addPrefix;
    return this;
  }

  /** {@return the value set by {@link #addPrefix(String)}} */
  public String addPrefix() {
    return addPrefix;
  }

  /**
   * Which element types are converted to those of the state's tensors: {@link Conversion#NONE}, {@link Conversion#LOSSLESS} or
   * {@link Conversion#LOSSY}. Default: {@link Conversion#NONE}.
   *
   * @param convert the value
   * @return this
   */
  public LoadOptions convert(Conversion convert) {
    this.convert = convert;
    return this;
  }

  /** {@return the value set by {@link #convert(Conversion)}} */
  public Conversion convert() {
    return convert;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_load_options> call) {
    try (ckpt_load_options struct = new ckpt_load_options()) {
      struct.setVerify(verify.number());
      if (name != null) struct.setName(name);
      struct.setHas_step(step == null ? 0 : 1);
      if (step != null) struct.setStep(step);
      if (environmentJson != null) struct.setEnvironment_json(environmentJson);
      struct.setPartial(partial ? 1 : 0);
      struct.setIn_place(inPlace ? 1 : 0);
      if (stripPrefix != null) struct.setStrip_prefix(stripPrefix);
      if (addPrefix != null) struct.setAdd_prefix(addPrefix);
      struct.setConvert(convert.number());
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
