// A layer that is implemented by a table of C callbacks.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <ckpt/engine.h>

#include "engine/layer.h"
#include "guard.h"

namespace ckpt::capi {

// Error(invalid_argument) for an invalid table. user is kept as long as the layer.
std::shared_ptr<engine::Layer> make_custom_layer(std::string name, const ckpt_layer_callbacks& callbacks,
                                                 std::shared_ptr<UserData> user);

// argument: its name in error messages; "" if the caller of this function adds it.
engine::TensorSpec to_spec(const ckpt_tensor_spec& given, std::string_view argument);
ckpt_tensor_spec from_spec(const engine::TensorSpec& spec);

}  // namespace ckpt::capi
