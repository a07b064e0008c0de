// drive.hpp - frameworks of other languages. Items are numbers here: the language maps them to its objects. See callbacks.hpp for
// ownership.
#ifndef CKPT_SWIG_DRIVE_HPP
#define CKPT_SWIG_DRIVE_HPP

#include <ckpt/ckpt.h>

#include <memory>
#include <vector>

#include "callbacks.hpp"
#include "calls.hpp"

namespace ckpt_swig {

struct DriveCall {
  const ckpt_drive_call* value;
};
struct DriveCalls {
  std::vector<ckpt_drive_call> list;
};

// The inputs of a layer of a graph, and their gradients: the sums so far, and the new ones.
class DriveInputs {
 public:
#ifndef SWIG
  DriveInputs(void* const* inputs, int64_t count, const ckpt_drive_flag* flags, void** sums)
      : inputs_(inputs), count_(count), flags_(flags), sums_(sums) {}
#endif
  int64_t count() const { return count_; }
  int64_t item(int64_t at) const { return reinterpret_cast<intptr_t>(inputs_[at]); }
  bool is_last(int64_t at) const { return (flags_[at] & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0; }
  int64_t sum(int64_t at) const { return reinterpret_cast<intptr_t>(sums_[at]); }
  void set_sum(int64_t at, int64_t number) { sums_[at] = reinterpret_cast<void*>(static_cast<intptr_t>(number)); }

 private:
  void* const* inputs_;
  int64_t count_;
  const ckpt_drive_flag* flags_;
  void** sums_;
};

class DriveFunctions {
 public:
  virtual ~DriveFunctions() = default;
  // Performs a call with the items of its kind, 0 for none: the first is the input, the output of a TURN, or the item to store or
  // drop. Returns the result, the tape for a RECORD.
  virtual int64_t drive(DriveCall call, int64_t first, int64_t output, int64_t tape, int64_t grad_output) = 0;
  // Performs a FORWARD, RECORD or BACKWARD of a layer of a graph in the same way.
  virtual int64_t drive_n(DriveCall call, DriveInputs* inputs, int64_t output, int64_t tape, int64_t grad_output) = 0;
  // Returns the output of the last RECORD.
  virtual int64_t recorded_output() = 0;
};

#ifndef SWIG
namespace detail {

inline int32_t run(const ckpt_drive_call* call, void* first, void* output, void* tape, void* grad_output, void** created,
                   void** more, void* user) noexcept {
  return guarded([&] {
    auto& functions = *static_cast<DriveFunctions*>(user);
    const int64_t number =
        functions.drive(DriveCall{call}, number_of(first), number_of(output), number_of(tape), number_of(grad_output));
    throw_stored_failure();
    if (more) *more = pointer_of(functions.recorded_output());
    if (created) *created = pointer_of(number);
  });
}

inline int32_t run_n(const ckpt_drive_call* call, DriveInputs inputs, void* output, void* tape, void* grad_output, void** created,
                     void** more, void* user) noexcept {
  return guarded([&] {
    auto& functions = *static_cast<DriveFunctions*>(user);
    const int64_t number = functions.drive_n(DriveCall{call}, &inputs, number_of(output), number_of(tape), number_of(grad_output));
    throw_stored_failure();
    if (more) *more = pointer_of(functions.recorded_output());
    if (created) *created = pointer_of(number);
  });
}

inline ckpt_driver_callbacks drive_callbacks() {
  ckpt_driver_callbacks table = CKPT_DRIVER_CALLBACKS_INIT;
  table.forward = [](const ckpt_drive_call* call, void* input, void** output, void* user) {
    return run(call, input, nullptr, nullptr, nullptr, output, nullptr, user);
  };
  table.record = [](const ckpt_drive_call* call, void* input, void** output, void** tape, void* user) {
    return run(call, input, nullptr, nullptr, nullptr, tape, output, user);
  };
  table.backward = [](const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output, void** grad_input,
                      void* user) { return run(call, input, output, tape, grad_output, grad_input, nullptr, user); };
  table.forward_n = [](const ckpt_drive_call* call, void* const* inputs, int64_t count, const ckpt_drive_flag* flags, void** output,
                       void* user) {
    return run_n(call, {inputs, count, flags, nullptr}, nullptr, nullptr, nullptr, output, nullptr, user);
  };
  table.record_n = [](const ckpt_drive_call* call, void* const* inputs, int64_t count, const ckpt_drive_flag* flags, void** output,
                      void** tape, void* user) {
    return run_n(call, {inputs, count, flags, nullptr}, nullptr, nullptr, nullptr, tape, output, user);
  };
  table.backward_n = [](const ckpt_drive_call* call, void* const* inputs, int64_t count, const ckpt_drive_flag* flags, void* output,
                        void* tape, void* grad_output, void** grad_inputs, void* user) {
    return run_n(call, {inputs, count, flags, grad_inputs}, output, tape, grad_output, nullptr, nullptr, user);
  };
  table.turn = [](const ckpt_drive_call* call, void* output, void** grad_output, void* user) {
    return run(call, output, nullptr, nullptr, nullptr, grad_output, nullptr, user);
  };
  table.store = [](const ckpt_drive_call* call, void* item, void* user) {
    return run(call, item, nullptr, nullptr, nullptr, nullptr, nullptr, user);
  };
  table.load = [](const ckpt_drive_call* call, void** item, void* user) {
    return run(call, nullptr, nullptr, nullptr, nullptr, item, nullptr, user);
  };
  table.await = [](const ckpt_drive_call* call, void* user) {
    return run(call, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, user);
  };
  table.drop = [](const ckpt_drive_call* call, void* item, void* user) {
    static_cast<void>(run(call, item, nullptr, nullptr, nullptr, nullptr, nullptr, user));
  };
  return table;
}

}  // namespace detail
#endif

inline ckpt_status driver_create(ckpt_schedule* schedule, DriveFunctions* functions, ckpt_driver** driver) {
  std::unique_ptr<DriveFunctions> owned(functions);
  const ckpt_driver_callbacks table = detail::drive_callbacks();
  return handed_over(owned, ckpt_driver_create(schedule, &table, functions, destroy<DriveFunctions>, driver));
}

inline ckpt_status driver_forward(ckpt_driver* driver, int64_t x0, int64_t* xn) {
  void* created = nullptr;
  const ckpt_status status = ckpt_driver_forward(driver, detail::pointer_of(x0), &created);
  if (status == CKPT_OK) *xn = detail::number_of(created);
  return status;
}

inline ckpt_status driver_backward(ckpt_driver* driver, int64_t gn, int64_t* g0) {
  void* created = nullptr;
  const ckpt_status status = ckpt_driver_backward(driver, detail::pointer_of(gn), &created);
  if (status == CKPT_OK) *g0 = detail::number_of(created);
  return status;
}

inline ckpt_status driver_run(ckpt_driver* driver, int64_t x0, int64_t* g0) {
  void* created = nullptr;
  const ckpt_status status = ckpt_driver_run(driver, detail::pointer_of(x0), &created);
  if (status == CKPT_OK) *g0 = detail::number_of(created);
  return status;
}

// Returns nothing when the last step did not fail in a callback.
inline DriveCalls driver_get_failure(const ckpt_driver* driver) {
  ckpt_drive_call call{};
  const ckpt_status status = ckpt_driver_get_failure(driver, &call, nullptr);
  if (status == CKPT_E_NOT_FOUND) return {};
  check(status);
  return DriveCalls{{call}};
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_DRIVE_HPP
