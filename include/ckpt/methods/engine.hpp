// Generated from include/ckpt by tools/api: do not edit.
// engine.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_ENGINE_HPP
#define CKPT_METHODS_ENGINE_HPP

#include <ckpt/engine.h>
#include <ckpt/base.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/values/engine.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace ckpt {

class Chain;
class Layer;

template <class Self>
class LayerMethods : public detail::Object<Self, ckpt_layer, ckpt_layer_release> {
  using Base = detail::Object<Self, ckpt_layer, ckpt_layer_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a head that shares its weight with an embedding: y = x W^T, for each row, with W the embedding's "tokens.weight"
  // [VOCABULARY, WIDTH], x: [samples, ..., WIDTH], y: [samples, ..., VOCABULARY]. The weight is a parameter of the embedding: it
  // is listed, clipped, updated and saved once, and its gradient is the sum of both uses, in any split of the chain. embedding:
  // a layer of kind token_embedding, kept alive; it belongs to the same chain, before the head (or to the chain that a pipeline
  // splits). Allocates memory for a separate gradient. Status::invalid_argument for a layer of another kind.
  static Self tied_head(const std::string& name, const Self& embedding) {
    ckpt_layer* result = nullptr;
    check(ckpt_layer_create_tied_head(name.c_str(), embedding.handle(), &result));
    return Self::adopt(result);
  }
};

template <class Self>
class ChainMethods : public detail::Object<Self, ckpt_chain, ckpt_chain_release> {
  using Base = detail::Object<Self, ckpt_chain, ckpt_chain_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates an empty chain. first_layer (>= 0): the global number of the chain's first layer; 0 unless the chain is part of a
  // longer one.
  explicit ChainMethods(std::int64_t first_layer = 0) : Base(detail::Empty()) {
    check(ckpt_chain_create(first_layer, this->out()));
  }
  // Appends a layer; the chain keeps it alive. Status::invalid_state if it belongs to a chain already or an executor of the
  // chain was created. Status::already_exists if the name exists.
  Self& add(const Layer& layer);
  // Returns the number of layers.
  std::int64_t layer_count() const {
    std::int64_t result = 0;
    check(ckpt_chain_get_layer_count(handle(), &result));
    return result;
  }
  // Sets every parameter to its initial value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al.,
  // arXiv:1502.01852), in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a standard
  // deviation of 0.02, divided by sqrt(layer's number + 1) for "out.weight" and "down.weight". Weights of norms are 1 (Radford
  // et al., "Language models are unsupervised multitask learners", 2019). The values are the same on every machine. Sets
  // gradients to 0.
  void initialize(std::uint64_t seed) {
    check(ckpt_chain_initialize(handle(), seed));
  }
  // Sets the threads for clipping, zeroing of gradients and optimizers of this chain: results have the same bits for any number
  // of threads. pool: kept alive; nullptr (as in a new chain): only the calling thread.
  Self& set_worker_pool(detail::Borrowed<ckpt_worker_pool> pool) {
    check(ckpt_chain_set_worker_pool(handle(), pool));
    return static_cast<Self&>(*this);
  }
  // Scales all gradients so that their common 2-norm is at most max_norm (> 0); returns the norm before scaling.
  // Status::out_of_range if that is not finite: no gradient is scaled.
  double clip_gradients(double max_norm) {
    double result = 0;
    check(ckpt_chain_clip_gradients(handle(), max_norm, &result));
    return result;
  }
};

// Runs one schedule over one chain for one input shape, step after step, without allocating memory. Owns threads unless its
// options have a pool. Not synchronized.
class ScheduleExecutor : public detail::Object<ScheduleExecutor, ckpt_schedule_executor, ckpt_schedule_executor_release> {
 public:
  using Object::Object;
  // Creates an executor: verifies the schedule against the chain for this input, places its buffers and reserves the arena.
  // Keeps chain and schedule alive. options: {} for the defaults. Status::out_of_range for a schedule that runs layers more than
  // 2^22 times in a step, because an executor stores it as a list. A tier that has a storage and that the schedule uses reserves
  // space for the longest item of each of its slots. In the file system this is one file for each executor and tier, with mode
  // 0600 and without a name, so that it disappears when the process ends in any way. Each slot begins at a multiple of 4096. The
  // storage's options determine how the file is written and at which rate; bytes_per_second separately limits reads of such
  // files, too. In memory it is a block of this size. Two threads for each such tier, one for stores and one for loads, copy in
  // the order of the schedule while layers run; an AWAIT waits for its copy. Status::unsupported, with a message that names the
  // tier, for a storage of callbacks; errors of the system if such a file cannot be created.
  ScheduleExecutor(const Chain& chain, const Schedule& schedule, const TensorSpec& input,
                   const ScheduleExecutorOptions& options = {});
  // Runs the schedule once: forward, backward, gradients added to the layers' parameters. Returns x_n if it has one element,
  // else NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0.
  // Status::out_of_range for a loss that is not finite, before any layer runs backward: check_finite finds the layer that caused
  // it. A copy through a tier's storage that fails also fails the step, after other copies have ended, and the message names
  // tier and slot: Status::no_space if the space for the tier's file is exhausted, Status::io also if the file has become
  // shorter than the stored bytes. A storage of Storage::retrying has retried it by then. Status::forked in a forked child if a
  // tier has a storage.
  double run(const Step& step) {
    const ckpt_step given_step = detail::to_c(step);
    double result = 0;
    check(ckpt_schedule_executor_run(handle(), &given_step, &result));
    return result;
  }
  // Runs the first layer_count layers forward once, without backward: keeps no tape, disables dropout, and changes no gradient
  // and no parameter. layer_count: 1 .. number of layers of the chain. Reads step, seed, first_sample, input and output of step,
  // and targets if one of the layers needs them; other fields are ignored. output receives the output of the last of these
  // layers. Returns the same if it has one element, else NaN. The first call allocates memory outside of the arena: for the
  // activations that exist at once (in a chain two of the largest, at most) and the largest workspace. Does not count as a step.
  double evaluate(const Step& step, std::int64_t layer_count) {
    const ckpt_step given_step = detail::to_c(step);
    double result = 0;
    check(ckpt_schedule_executor_evaluate(handle(), &given_step, layer_count, &result));
    return result;
  }
  // Returns the measurements of the executor since it was created.
  ScheduleExecutorStats stats() const {
    ckpt_schedule_executor_stats result = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
    check(ckpt_schedule_executor_get_stats(handle(), &result));
    return detail::from_c(result);
  }
  // Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the executor's chain
  // and input). In it, the forward_seconds, record_seconds and backward_seconds of the options that the schedule runs are the
  // medians over the last successful steps, up to 32. Other options are unchanged. Status::invalid_state before the first step,
  // Status::invalid_argument for the profile of another chain.
  Profile refine(const Profile& profile) const {
    ckpt_profile* result = nullptr;
    check(ckpt_schedule_executor_refine(handle(), profile.handle(), &result));
    return Profile::adopt(result);
  }
};

template <class Self>
class OptimizerMethods : public detail::Object<Self, ckpt_optimizer, ckpt_optimizer_release> {
  using Base = detail::Object<Self, ckpt_optimizer, ckpt_optimizer_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a stochastic gradient descent optimizer: v = momentum v + g; w = w - learning_rate v. learning_rate > 0, 0 <=
  // momentum < 1. State: one tensor per parameter, "<name>.momentum". Keeps the chain alive.
  static Self sgd(const Chain& chain, double learning_rate, double momentum = 0);
  // Creates an AdamW optimizer. options: {} for the defaults. Keeps the chain alive. Source: Loshchilov, Hutter, "Decoupled
  // weight decay regularization", arXiv:1711.05101.
  static Self adamw(const Chain& chain, const AdamWOptions& options = {});
  // Updates the parameters once with the current gradients.
  void step() {
    check(ckpt_optimizer_step(handle()));
  }
  // Does Chain::clip_gradients(max_norm) and Optimizer::step, with the same bits, and sets all gradients to 0, so that the next
  // step can run with accumulate 1. After the computation of the norm, one pass over the gradients scales, uses and clears each
  // part while it is in the processor's caches. max_norm: > 0; INFINITY scales nothing. Returns the norm before scaling.
  // Status::out_of_range if that is not finite: gradients, parameters and state are unchanged.
  double step_and_zero(double max_norm = std::numeric_limits<double>::infinity()) {
    double result = 0;
    check(ckpt_optimizer_step_and_zero(handle(), max_norm, &result));
    return result;
  }
  // Returns the size of the next steps.
  double learning_rate() const {
    double result = 0;
    check(ckpt_optimizer_get_learning_rate(handle(), &result));
    return result;
  }
  // Sets the size of the next steps, >= 0 and finite. It is not part of the saved state: set it again when a run is resumed.
  Self& set_learning_rate(double learning_rate) {
    check(ckpt_optimizer_set_learning_rate(handle(), learning_rate));
    return static_cast<Self&>(*this);
  }
  // Returns the number of updates so far; part of AdamW's state.
  std::int64_t step_count() const {
    std::int64_t result = 0;
    check(ckpt_optimizer_get_step_count(handle(), &result));
    return result;
  }
  // Sets the number of updates so far (>= 0), for restoring a state.
  Self& set_step_count(std::int64_t step_count) {
    check(ckpt_optimizer_set_step_count(handle(), step_count));
    return static_cast<Self&>(*this);
  }
};

// Loads the BLAS now (OpenBLAS: the file that the environment variable CKPT_OPENBLAS names, else libopenblas.so.0). Returns
// its name, version and core as a string. If this processor can run a wider set of OpenBLAS's kernels than the one in use, the
// string continues after a semicolon with the names of both. This does not depend on environment variables. One warning is
// logged when the BLAS is loaded. Nothing is added for the BLAS of blas_set. Status::not_found if OpenBLAS is missing; the
// message lists the files that were tried. Status::forked, as from every function that needs a matrix product, in a child that
// was forked while another thread loaded the BLAS.
inline std::string blas_info() {
  return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return ckpt_blas_get_info(buffer, capacity, needed);
  });
}

// Loads OpenBLAS now, with the given set of its kernels. Without this call OpenBLAS chooses a set when it is loaded, by the
// environment variable OPENBLAS_CORETYPE or by its list of processor models; a version that is older than the processor may
// choose its slowest set. Results of different sets differ in their last bits. The library itself never calls this function.
// name: "best", or the name of a core of OpenBLAS, in upper or lower case. "best" is the fastest set for products of floats
// and doubles that the processor can run. It is one of those that every OpenBLAS 0.3 with several sets (DYNAMIC_ARCH)
// contains. The names, and the instructions that the processor and the operating system must offer: - "SkylakeX": AVX-512 F,
// CD, BW, DQ and VL; "Cooperlake": also VNNI and BF16; "SapphireRapids": also FP16 and AMX-BF16 - "Haswell": AVX2 and FMA;
// "Zen": the same, on processors of AMD and Hygon - "Excavator", "Steamroller", "Piledriver", "Bulldozer": AMD's family 15h -
// "Sandybridge": AVX; "Nehalem": SSE4.2; "Penryn", "Dunnington": SSE4.1; "Core2": SSSE3; "Prescott": SSE3 - "Barcelona": AMD's
// family 10h OpenBLAS belongs to the whole process: every other user of the same shared library gets these kernels, too. The
// function sets OPENBLAS_CORETYPE while OpenBLAS is loaded and restores it before it returns. The C library does not
// synchronize the environment. During the call no other thread may use it, neither directly (getenv, setenv) nor in a library:
// call this function before the process starts threads. Status::invalid_argument for an unknown name and for kernels that the
// processor cannot run; the message lists those that it can. Status::invalid_state if a BLAS is in use, if blas_set was
// called, or if the process has loaded that OpenBLAS before. The path does not matter (a program that links it, another
// library, LD_PRELOAD); the message names the file and its kernels. Status::not_found as from blas_get_info.
// Status::unsupported on processors other than x86-64. These errors change nothing. Status::unsupported also if the installed
// OpenBLAS lacks the named set, which is detected only after loading: OpenBLAS is then in use with the set that it chose
// instead, which the message and blas_get_info name; "best" succeeds in this case. Status::forked as from blas_get_info.
inline void set_blas_kernels(const std::string& name) {
  check(ckpt_blas_set_kernels(name.c_str()));
}

// Returns the kinds of layers, one per line: syntax, description, and the range of each whole number. Synchronized.
inline std::string known_layer_kinds() {
  return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return ckpt_layer_get_known_kinds(buffer, capacity, needed);
  });
}

// Returns the rate of a step (>= 0, from 0); pass it to Optimizer::set_learning_rate before that step. The result depends only
// on the arguments, so a resumed run continues with the same rates. Synchronized.
inline double learning_rate_at(const LearningRateSchedule& schedule, std::int64_t step) {
  const ckpt_learning_rate_schedule given_schedule = detail::to_c(schedule);
  double result = 0;
  check(ckpt_learning_rate_at(&given_schedule, step, &result));
  return result;
}

}  // namespace ckpt

#endif
