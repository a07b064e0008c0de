// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.util.OptionalLong;

/** What one load takes, and how. */
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
   * What is checked: {@link Verify#FULL} or {@link Verify#NONE}. Default: {@link Verify#FULL}.
   *
   * @param verify the value
   * @return this
   */
  public LoadOptions verify(Verify verify) {
    this.verify = verify;
    return this;
  }

  /** {@return what {@link #verify(Verify)} set} */
  public Verify verify() {
    return verify;
  }

  /**
   * Name of one checkpoint, which is loaded without falling back; null: the newest valid one.
   *
   * @param name the value
   * @return this
   */
  public LoadOptions name(String name) {
    this.name = name;
    return this;
  }

  /** {@return what {@link #name(String)} set} */
  public String name() {
    return name;
  }

  /**
   * The checkpoint of this step is loaded, of several the newest valid one; empty when there is none; not together with name.
   * Default: none.
   *
   * @param step the value
   * @return this
   */
  public LoadOptions step(long step) {
    this.step = step;
    return this;
  }

  /** {@return what {@link #step(long)} set} */
  public OptionalLong step() {
    return step == null ? OptionalLong.empty() : OptionalLong.of(step);
  }

  /**
   * JSON text of what this run's results depend on, compared with what the save wrote; null: not compared. The library's version
   * and the BLAS are compared in any case, as far as both sides have them.
   *
   * @param environmentJson the value
   * @return this
   */
  public LoadOptions environmentJson(String environmentJson) {
    this.environmentJson = environmentJson;
    return this;
  }

  /** {@return what {@link #environmentJson(String)} set} */
  public String environmentJson() {
    return environmentJson;
  }

  /**
   * False: the state and the checkpoint must have the same names; true: tensors that only one side has are counted and listed in
   * the load report, those of the state and keys that the checkpoint lacks keep what they hold. Default: false.
   *
   * @param partial the value
   * @return this
   */
  public LoadOptions partial(boolean partial) {
    this.partial = partial;
    return this;
  }

  /** {@return what {@link #partial(boolean)} set} */
  public boolean partial() {
    return partial;
  }

  /**
   * False: a load that fails leaves the state's tensors as they were. Files of the file system are read twice for that, to check
   * them and to copy them, and checked again in the copy; of other storages' files it needs as much memory again as the tensors
   * have. Other values: bytes are read straight into the tensors and checked there, which is faster and needs no memory, and after
   * a load that fails what the tensors hold is undefined. Default: false.
   *
   * @param inPlace the value
   * @return this
   */
  public LoadOptions inPlace(boolean inPlace) {
    this.inPlace = inPlace;
    return this;
  }

  /** {@return what {@link #inPlace(boolean)} set} */
  public boolean inPlace() {
    return inPlace;
  }

  /**
   * What is taken off the beginning of the checkpoint's tensor names that begin with it, before they are looked for in the state
   * ("module."); null or empty: nothing. Two names that become one, or a name of which nothing is left, are an error.
   *
   * @param stripPrefix the value
   * @return this
   */
  public LoadOptions stripPrefix(String stripPrefix) {
    this.stripPrefix = stripPrefix;
    return this;
  }

  /** {@return what {@link #stripPrefix(String)} set} */
  public String stripPrefix() {
    return stripPrefix;
  }

  /**
   * What is put before each of the checkpoint's tensor names, after stripPrefix was taken off, before they are looked for in the
   * state; null or empty: nothing.
   *
   * @param addPrefix the value
   * @return this
   */
  public LoadOptions addPrefix(String addPrefix) {
    this.addPrefix = addPrefix;
    return this;
  }

  /** {@return what {@link #addPrefix(String)} set} */
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

  /** {@return what {@link #convert(Conversion)} set} */
  public Conversion convert() {
    return convert;
  }

  /** Calls with these values, which stay alive meanwhile. */
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
