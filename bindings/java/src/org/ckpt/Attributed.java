package org.ckpt;

import java.util.Map;

/**
 * A value of any shape ({@link State#set}) with attributes, such as a PyTorch tensor with "requires_grad". A {@link TreeDict} holds
 * its attributes itself. Requested as the type of the value, it is returned without its attributes.
 *
 * @param value not an Attributed
 * @param attributes of the value, by name: at least one
 */
public record Attributed(Object value, Map<String, Object> attributes) {}
