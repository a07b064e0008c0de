// The OpenBLAS kernels that a command computes with.
#pragma once

#include <string>
#include <string_view>

namespace ckpt::cli {

// Loads OpenBLAS with the kernels of the newest checkpoint at place, so that a resumed run computes the same bits. Without such a
// checkpoint, or if the processor cannot run them, loads the fastest kernels. Leaves the choice to OpenBLAS if the environment
// variable OPENBLAS_CORETYPE is set, or if the kernels cannot be set. Changes the environment temporarily: call it before the
// process starts threads. place: a directory of checkpoints or a URI; "" for none. Throws nothing if the place or the BLAS cannot
// be used: the command reports that error when it uses them.
void choose_kernels(const std::string& place);

// The part of ckpt::blas_info() that describes the BLAS, without the comparison with the processor.
std::string blas_without_advice();

// Returns the kernels named in such a description of an OpenBLAS; any word, or "", for another BLAS.
std::string kernels_of(std::string_view blas);

}  // namespace ckpt::cli
