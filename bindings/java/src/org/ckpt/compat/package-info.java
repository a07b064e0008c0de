/** The names of the reference implementations, for programs that migrate from them. New programs do not need these. */
package org.ckpt.compat;
