package org.ckpt;

/** An address that another object owns: what the library lends to a callback, or the last use of a lost object. */
final class LentObject extends NativeObject {
  LentObject(long address) {
    super(address);
  }
}
