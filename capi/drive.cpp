#include <ckpt/drive.h>

#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

#include "guard.h"
#include "handle.h"
#include "plan.h"
#include "plan/driver.h"
#include "structs.h"

using ckpt::capi::checked;
using ckpt::capi::guard;
using ckpt::capi::hand_out;
using ckpt::capi::not_null;
using ckpt::capi::struct_argument;
using ckpt::capi::user_call;
using ckpt::capi::user_notice;
using ckpt::capi::UserData;
namespace plan = ckpt::plan;

struct ckpt_driver : ckpt::capi::Handle<ckpt::capi::Kind::driver> {
  std::unique_ptr<plan::Driver> object;
};

namespace {

static_assert(sizeof(ckpt_drive_call) == 80 && sizeof(plan::DriveCall) == sizeof(ckpt_drive_call));
static_assert(offsetof(ckpt_drive_call, kind) == offsetof(plan::DriveCall, kind));
static_assert(offsetof(ckpt_drive_call, flags) == offsetof(plan::DriveCall, flags));
static_assert(offsetof(ckpt_drive_call, first) == offsetof(plan::DriveCall, first));
static_assert(offsetof(ckpt_drive_call, last) == offsetof(plan::DriveCall, last));
static_assert(offsetof(ckpt_drive_call, option) == offsetof(plan::DriveCall, option));
static_assert(offsetof(ckpt_drive_call, micro_batch) == offsetof(plan::DriveCall, micro_batch));
static_assert(offsetof(ckpt_drive_call, item) == offsetof(plan::DriveCall, item));
static_assert(offsetof(ckpt_drive_call, tier) == offsetof(plan::DriveCall, tier));
static_assert(offsetof(ckpt_drive_call, slot) == offsetof(plan::DriveCall, slot));
static_assert(offsetof(ckpt_drive_call, transfer) == offsetof(plan::DriveCall, transfer));
static_assert(offsetof(ckpt_drive_call, action) == offsetof(plan::DriveCall, action));
static_assert(offsetof(ckpt_drive_call, layers) == offsetof(plan::DriveCall, layers));
static_assert(CKPT_DRIVE_FLAG_AGAIN == plan::drive_again && CKPT_DRIVE_FLAG_NO_OUTPUT == plan::drive_no_output);
static_assert(CKPT_DRIVE_FLAG_TAKE_INPUT == plan::drive_take_input && CKPT_DRIVE_FLAG_TAKE_OUTPUT == plan::drive_take_output);

const ckpt_drive_call* from_call(const plan::DriveCall& call) { return reinterpret_cast<const ckpt_drive_call*>(&call); }

class UserCallbacks final : public plan::DriveCallbacks {
 public:
  UserCallbacks(const ckpt_driver_callbacks& callbacks, std::shared_ptr<UserData> user)
      : callbacks_(callbacks), user_(std::move(user)), data_(user_->get()) {}

  bool can(plan::Kind kind, bool graph) const noexcept override {
    switch (kind) {
      case plan::Kind::forward: return graph ? callbacks_.forward_n != nullptr : callbacks_.forward != nullptr;
      case plan::Kind::record: return graph ? callbacks_.record_n != nullptr : callbacks_.record != nullptr;
      case plan::Kind::backward: return graph ? callbacks_.backward_n != nullptr : callbacks_.backward != nullptr;
      case plan::Kind::turn: return callbacks_.turn != nullptr;
      case plan::Kind::store_begin: return callbacks_.store != nullptr;
      case plan::Kind::load_begin: return callbacks_.load != nullptr;
      case plan::Kind::await: return callbacks_.await != nullptr;
      default: return true;
    }
  }

  std::int32_t forward(const plan::DriveCall& call, void* input, void** output) override {
    return user_call([&] { return callbacks_.forward(from_call(call), input, output, data_); });
  }
  std::int32_t record(const plan::DriveCall& call, void* input, void** output, void** tape) override {
    return user_call([&] { return callbacks_.record(from_call(call), input, output, tape, data_); });
  }
  std::int32_t backward(const plan::DriveCall& call, void* input, void* output, void* tape, void* grad_output,
                        void** grad_input) override {
    return user_call([&] { return callbacks_.backward(from_call(call), input, output, tape, grad_output, grad_input, data_); });
  }
  std::int32_t forward_n(const plan::DriveCall& call, const plan::DriveInputs& inputs, void** output) override {
    return user_call([&] {
      return callbacks_.forward_n(from_call(call), inputs.handles.data(), std::ssize(inputs.handles), inputs.flags, output, data_);
    });
  }
  std::int32_t record_n(const plan::DriveCall& call, const plan::DriveInputs& inputs, void** output, void** tape) override {
    return user_call([&] {
      return callbacks_.record_n(from_call(call), inputs.handles.data(), std::ssize(inputs.handles), inputs.flags, output, tape,
                                 data_);
    });
  }
  std::int32_t backward_n(const plan::DriveCall& call, const plan::DriveInputs& inputs, void* output, void* tape, void* grad_output,
                          void** grad_inputs) override {
    return user_call([&] {
      return callbacks_.backward_n(from_call(call), inputs.handles.data(), std::ssize(inputs.handles), inputs.flags, output, tape,
                                   grad_output, grad_inputs, data_);
    });
  }
  std::int32_t turn(const plan::DriveCall& call, void* output, void** grad_output) override {
    return user_call([&] { return callbacks_.turn(from_call(call), output, grad_output, data_); });
  }
  std::int32_t store(const plan::DriveCall& call, void* item) override {
    return user_call([&] { return callbacks_.store(from_call(call), item, data_); });
  }
  std::int32_t load(const plan::DriveCall& call, void** item) override {
    return user_call([&] { return callbacks_.load(from_call(call), item, data_); });
  }
  std::int32_t await(const plan::DriveCall& call) override {
    return user_call([&] { return callbacks_.await(from_call(call), data_); });
  }
  void drop(const plan::DriveCall& call, void* item) noexcept override {
    user_notice("drop", [&] { callbacks_.drop(from_call(call), item, data_); });
  }

 private:
  const ckpt_driver_callbacks callbacks_;
  const std::shared_ptr<UserData> user_;
  void* const data_;
};

}  // namespace

ckpt_status ckpt_driver_create(ckpt_schedule* schedule, const ckpt_driver_callbacks* callbacks, void* user_data,
                               ckpt_destroy_fn destroy, ckpt_driver** driver) {
  return guard([&] {
    checked(schedule, "schedule");
    not_null(driver, "driver");
    const auto table = struct_argument(callbacks, "callbacks");
    ckpt::base::require(table.drop != nullptr, "callbacks.drop is NULL");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out(driver, std::make_unique<plan::Driver>(schedule->object, std::make_unique<UserCallbacks>(table, user)));
    user->adopt();
  });
}

ckpt_status ckpt_driver_forward(ckpt_driver* driver, void* x0, void** xn) {
  return guard([&] {
    checked(driver, "driver");
    not_null(xn, "xn");
    *xn = driver->object->forward(x0);
  });
}

ckpt_status ckpt_driver_backward(ckpt_driver* driver, void* gn, void** g0) {
  return guard([&] {
    void* const grad = checked(driver, "driver")->object->backward(gn, g0 != nullptr);
    if (g0 != nullptr) *g0 = grad;
  });
}

ckpt_status ckpt_driver_run(ckpt_driver* driver, void* x0, void** g0) {
  return guard([&] {
    void* const grad = checked(driver, "driver")->object->run(x0, g0 != nullptr);
    if (g0 != nullptr) *g0 = grad;
  });
}

ckpt_status ckpt_driver_finalize(ckpt_driver* driver, int64_t layer_count) {
  return guard([&] { checked(driver, "driver")->object->finalize(layer_count); });
}

ckpt_status ckpt_driver_cancel(ckpt_driver* driver) {
  return guard([&] { checked(driver, "driver")->object->cancel(); });
}

ckpt_status ckpt_driver_get_failure(const ckpt_driver* driver, ckpt_drive_call* call, int32_t* result) {
  return guard([&] {
    const auto& failure = checked(driver, "driver")->object->failure();
    if (!failure) ckpt::base::fail(ckpt::base::Status::not_found, "the driver's last step did not fail by a callback");
    if (call != nullptr) *call = std::bit_cast<ckpt_drive_call>(failure->call);
    if (result != nullptr) *result = failure->result;
  });
}

void ckpt_driver_release(ckpt_driver* driver) { ckpt::capi::release(driver); }
