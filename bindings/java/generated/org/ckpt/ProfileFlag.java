// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** What holds for a whole chain: a sum of flags. */
public final class ProfileFlag {
  /** INPUT(0) stays with the caller, who holds it through the whole step: its DROP frees no bytes. */
  public static final int KEEPS_INPUT = 1;

  /** INPUT(n) stays with the caller from the moment it is made to the end of the step: its DROP frees no bytes. */
  public static final int KEEPS_OUTPUT = 2;

  /** Memory comes from an allocator of the caller's, not from one arena: budgets bind live bytes, not reserved ones. */
  public static final int OWN_ALLOCATOR = 4;

  private ProfileFlag() {}
}
