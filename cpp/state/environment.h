// The environment in manifests: the settings that determine the last bits of a run's results. Contains the caller's members and,
// under "libckpt", the library's.
#pragma once

#include <string>

namespace ckpt::state {

// given: a JSON value of the caller. blas: the loaded BLAS, "" if none is loaded.
std::string whole_environment(const std::string& given, const std::string& blas);

// Describes the difference between a checkpoint's environment and this process's: "was written in ..."; "" if they are equal as far
// as both are known. given: the caller's part of this process's environment; nullptr: not compared.
std::string environment_difference(const std::string& recorded, const std::string* given, const std::string& blas);

// Returns the BLAS that wrote the checkpoint; "" if it is not known.
std::string recorded_blas(const std::string& recorded);

}  // namespace ckpt::state
