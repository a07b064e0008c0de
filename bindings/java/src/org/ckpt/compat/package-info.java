/** The names of the reference API, for programs that migrate from them. New programs do not need these. */
package org.ckpt.compat;
