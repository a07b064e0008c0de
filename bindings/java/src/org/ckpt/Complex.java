package org.ckpt;

/**
 * A complex number inside a value of any shape ({@link State#set}).
 *
 * @param real part
 * @param imaginary part
 */
public record Complex(double real, double imaginary) {}
