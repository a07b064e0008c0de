// What the last bits of a run depend on, as manifests hold it: the caller's members, and under "libckpt" what the library knows.
#pragma once

#include <string>

namespace ckpt::state {

// given: a JSON value of the caller's. blas: the one that this process has loaded, "" for none.
std::string whole_environment(const std::string& given, const std::string& blas);

// How a checkpoint's environment differs from this process's: "was written in ..."; "" when it does not, as far as both are known.
// given: the caller's part of this one's, nullptr when it is not to be compared.
std::string environment_difference(const std::string& recorded, const std::string* given, const std::string& blas);

// The BLAS that was in use where it was written; "" when that is not known.
std::string recorded_blas(const std::string& recorded);

}  // namespace ckpt::state
