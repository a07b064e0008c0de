package org.ckpt;

import java.util.Map;

/**
 * A value of any shape ({@link State#set}) with attributes, unless it is a {@link TreeDict}, which has its own: a tensor of PyTorch with
 * "requires_grad", for one. Asked for as the type of the value, it is that.
 *
 * @param value not an Attributed
 * @param attributes of the value, by name: at least one
 */
public record Attributed(Object value, Map<String, Object> attributes) {}
