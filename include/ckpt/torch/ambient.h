// torch/ambient.h - the ambient state that determines a layer's bits: generator, buffers, autocast. Included by ckpt/torch.h.
#ifndef CKPT_TORCH_AMBIENT_H
#define CKPT_TORCH_AMBIENT_H

#include <ckpt/torch/meter.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/version.h>

#include <cstddef>
#include <mutex>
#include <utility>

namespace ckpt::torch::detail {

// A snapshot of random number generators and statistics.
struct Ambient {
  at::mt19937 engine;
  // c10::optional, or std::optional in later versions of LibTorch
  decltype(std::declval<at::CPUGeneratorImpl&>().next_float_normal_sample()) next_float;
  decltype(std::declval<at::CPUGeneratorImpl&>().next_double_normal_sample()) next_double;
  Tensors buffers;

  static Ambient now(const Tensors& buffers) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    auto* cpu = at::check_generator<at::CPUGeneratorImpl>(generator);
    Ambient ambient{cpu->engine(), cpu->next_float_normal_sample(), cpu->next_double_normal_sample(), {}};
    const c10::NoGradGuard no_grad;
    for (const at::Tensor& buffer : buffers) ambient.buffers.push_back(buffer.detach().clone());
    return ambient;
  }
  void put_back(const Tensors& into) const {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    {
      const std::lock_guard<std::mutex> lock(generator.mutex());
      auto* cpu = at::check_generator<at::CPUGeneratorImpl>(generator);
      cpu->set_engine(engine);
      cpu->set_next_float_normal_sample(next_float);
      cpu->set_next_double_normal_sample(next_double);
    }
    const c10::NoGradGuard no_grad;
    // variable_data has a separate version counter: graphs that saved the buffer do not detect the change
    for (std::size_t i = 0; i < into.size(); ++i) into[i].variable_data().copy_(buffers[i]);
  }
};

// Restores a state at the end of a scope.
struct AmbientGuard {
  explicit AmbientGuard(const Tensors& given) : buffers(given), present(Ambient::now(given)) {}
  ~AmbientGuard() { present.put_back(buffers); }
  AmbientGuard(const AmbientGuard&) = delete;
  AmbientGuard& operator=(const AmbientGuard&) = delete;
  const Tensors& buffers;
  Ambient present;
};

// LibTorch 2.4 deprecates the autocast functions of one kind of device.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
inline bool is_cpu_autocast() { return at::autocast::is_autocast_enabled(at::kCPU); }
inline void set_cpu_autocast(bool enabled) { at::autocast::set_autocast_enabled(at::kCPU, enabled); }
inline at::ScalarType cpu_autocast_dtype() { return at::autocast::get_autocast_dtype(at::kCPU); }
inline void set_cpu_autocast_dtype(at::ScalarType dtype) { at::autocast::set_autocast_dtype(at::kCPU, dtype); }
#else
inline bool is_cpu_autocast() { return at::autocast::is_cpu_enabled(); }
inline void set_cpu_autocast(bool enabled) { at::autocast::set_cpu_enabled(enabled); }
inline at::ScalarType cpu_autocast_dtype() { return at::autocast::get_autocast_cpu_dtype(); }
inline void set_cpu_autocast_dtype(at::ScalarType dtype) { at::autocast::set_autocast_cpu_dtype(dtype); }
#endif

// The autocast settings of the forward part. A cast that was cached without a graph must not be used by a run with one: the cache
// is cleared before and after.
struct Autocast {
  bool enabled = is_cpu_autocast();
  at::ScalarType dtype = cpu_autocast_dtype();
  bool cache = at::autocast::is_autocast_cache_enabled();

  void set() const {
    set_cpu_autocast(enabled);
    set_cpu_autocast_dtype(dtype);
    at::autocast::set_autocast_cache_enabled(cache);
  }
};
struct AutocastGuard {
  explicit AutocastGuard(const Autocast& wanted) : active(wanted.enabled || present.enabled) {
    if (!active) return;
    at::autocast::clear_cache();
    wanted.set();
  }
  ~AutocastGuard() {
    if (!active) return;
    at::autocast::clear_cache();
    present.set();
  }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;
  Autocast present;
  bool active;
};

}  // namespace ckpt::torch::detail

#endif  // CKPT_TORCH_AMBIENT_H
