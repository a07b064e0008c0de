package org.ckpt;

import java.nio.ByteBuffer;

/**
 * A piece of a file of an object store, and where its bytes go.
 *
 * @param offset of the first byte
 * @param buffer to be filled; direct, and valid during the call only
 */
public record StorageRange(long offset, ByteBuffer buffer) {}
