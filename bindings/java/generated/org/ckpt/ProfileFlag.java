// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Properties of a whole chain: a sum of flags. */
public final class ProfileFlag {
  /** The caller keeps INPUT(0) for the whole step: its DROP frees no bytes. */
  public static final int KEEPS_INPUT = 1;

  /** The caller keeps INPUT(n) from its computation to the end of the step: its DROP frees no bytes. */
  public static final int KEEPS_OUTPUT = 2;

  /** Memory comes from an allocator of the caller, not from one arena: budgets limit live bytes, not reserved ones. */
  public static final int OWN_ALLOCATOR = 4;

  private ProfileFlag() {}
}
