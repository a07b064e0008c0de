/** Names of the reference texts that this library grew from, for programs that move from them. New programs need none of these. */
package org.ckpt.compat;
