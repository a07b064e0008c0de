package org.ckpt;

import java.nio.ByteBuffer;

/**
 * A range of a file in an object store, and the buffer for its bytes.
 *
 * @param offset offset of the first byte
 * @param buffer to be filled; direct, and valid during the call only
 */
public record StorageRange(long offset, ByteBuffer buffer) {}
