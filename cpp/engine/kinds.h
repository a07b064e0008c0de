// Creates layers from strings such as "linear:128,256": each kind is one entry of the table in kinds.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/layer.h"

namespace ckpt::engine {

// kind: name, or name:value,value. Fails with Error(not_found) for an unknown name: the message lists the known ones.
std::shared_ptr<Layer> make_layer(std::string name, std::string_view kind);

// Returns one kind per line: "linear:INPUTS,OUTPUTS[,DTYPE] - description; INPUTS: 1 .. 9223372036854775807; ...".
std::string known_kinds();

}  // namespace ckpt::engine
