package org.ckpt;

/** An address that another object owns: an argument of a callback, or the last use of an unreachable object. */
final class LentObject extends NativeObject {
  LentObject(long address) {
    super(address);
  }
}
