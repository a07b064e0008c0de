package org.ckpt;

/** How a load chooses and checks. */
public final class LoadOptions {
  private Verify verify;
  private String name;
  private String environmentJson;
  private Boolean partial;
  private Boolean inPlace;

  /** All defaults. */
  public LoadOptions() {}

  /**
   * FULL, the default, or NONE.
   *
   * @param verify the value
   * @return this
   */
  public LoadOptions verify(Verify verify) {
    this.verify = verify;
    return this;
  }

  /**
   * Of one checkpoint, without falling back; default: the newest valid one.
   *
   * @param name the value
   * @return this
   */
  public LoadOptions name(String name) {
    this.name = name;
    return this;
  }

  /**
   * Of this run; when it differs from the checkpoint's a warning is logged. Default: not compared.
   *
   * @param environmentJson the value
   * @return this
   */
  public LoadOptions environmentJson(String environmentJson) {
    this.environmentJson = environmentJson;
    return this;
  }

  /**
   * True: names need not be the same on both sides. Default false.
   *
   * @param partial the value
   * @return this
   */
  public LoadOptions partial(boolean partial) {
    this.partial = partial;
    return this;
  }

  /**
   * True: reads straight into the tensors, which is faster; after a load that fails they are undefined. Default false.
   *
   * @param inPlace the value
   * @return this
   */
  public LoadOptions inPlace(boolean inPlace) {
    this.inPlace = inPlace;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_load_options struct) {
    if (verify != null) struct.setVerify(verify.number());
    if (name != null) struct.setName(name);
    if (environmentJson != null) struct.setEnvironment_json(environmentJson);
    if (partial != null) struct.setPartial(partial ? 1 : 0);
    if (inPlace != null) struct.setIn_place(inPlace ? 1 : 0);
  }
}
