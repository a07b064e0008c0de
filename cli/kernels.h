// The kernels of OpenBLAS that a command computes with.
#pragma once

#include <string>
#include <string_view>

namespace ckpt::cli {

// Loads OpenBLAS with the kernels that the newest checkpoint at place was computed with, so that a run that resumes from it has the
// same bits; with the fastest ones where there is none, or where the processor cannot run them. Leaves the choice to OpenBLAS while
// the environment variable OPENBLAS_CORETYPE has a value, and where the kernels cannot be set. Changes the environment for a
// moment: to be called before the process has other threads. place: a directory of checkpoints or a URI; "" for none. Throws
// nothing on account of the place or the BLAS: the command meets the same failure when it uses them.
void choose_kernels(const std::string& place);

// The part of ckpt::blas_info() that describes the BLAS, without the comparison with the processor.
std::string blas_without_advice();

// The kernels that such a description of an OpenBLAS names; any word, or "", for another BLAS.
std::string kernels_of(std::string_view blas);

}  // namespace ckpt::cli
