// drive.hpp - the C++17 face of drive.h: a framework's own items, of any type that can be moved, driven by a schedule.
//
//   struct Tanh : ckpt::Guest<Vector> { Vector forward(...) override; ... };
//   ckpt::Driver<Vector> driver(schedule, std::make_unique<Tanh>());
//   const Vector& output = driver.forward(x0);
//   std::optional<Vector> grad = driver.backward(gradient_of_the_loss(output));
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
#ifndef CKPT_DRIVE_HPP
#define CKPT_DRIVE_HPP

#include <ckpt/drive.h>
#include <ckpt/base.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/values/drive.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace ckpt {

// What a framework does for a driver, as the callbacks of drive.h say it. T: an item. What a function throws ends the step, and
// comes out of the driver's function as it is.
template <class T>
class Guest {
 public:
  struct Recorded {
    std::optional<T> output;  // none only with DriveFlag::no_output
    std::optional<T> tape;
  };
  struct NotThere : Error {
    explicit NotThere(const char* function) : Error(Status::unsupported, std::string("the guest has no ") + function) {}
  };

  virtual ~Guest() = default;
  // With DriveFlag::take_input the input ends behind the call: it may be moved from. Here and in record.
  virtual T forward(const DriveCall& call, T& input) = 0;
  virtual Recorded record(const DriveCall& call, T& input) = 0;
  // nullptr: not there. tape and grad_output end behind the call, with their flags input and output too: they may be moved from.
  virtual std::optional<T> backward(const DriveCall& call, T* input, T* output, T* tape, T* grad_output) = 0;
  // Only for Driver::run.
  virtual std::optional<T> turn(const DriveCall& /*call*/, T& /*output*/) { throw NotThere("turn"); }
  // Only for schedules with slower tiers. An item that is stored stays as it is until await has returned.
  virtual void store(const DriveCall& /*call*/, T* /*item*/) { throw NotThere("store"); }
  virtual std::optional<T> load(const DriveCall& /*call*/) { throw NotThere("load"); }
  virtual void await(const DriveCall& /*call*/) { throw NotThere("await"); }
  virtual void drop_slot(const DriveCall& /*call*/) noexcept {}
};

namespace detail {

// A guest as the functions of C; items are pointers to T on the heap.
template <class T>
struct GuestCalls {
  std::unique_ptr<Guest<T>> guest;
  std::exception_ptr thrown;

  static GuestCalls& of(void* user_data) { return *static_cast<GuestCalls*>(user_data); }
  static T* item(void* handle) { return static_cast<T*>(handle); }
  static void* handle_of(std::optional<T>&& item) { return item ? new T(std::move(*item)) : nullptr; }
  // What a call owns, whatever becomes of it.
  static std::unique_ptr<T> taken(const ckpt_drive_call* call, ckpt_drive_flag flag, void* handle) {
    return std::unique_ptr<T>((call->flags & flag) != 0 ? item(handle) : nullptr);
  }

  template <class Body>
  static std::int32_t run(void* user_data, Body&& body) noexcept {
    return callback_status([&] {
      try {
        body(*of(user_data).guest);
      } catch (...) {
        of(user_data).thrown = std::current_exception();
        throw;
      }
    });
  }

  static std::int32_t forward(const ckpt_drive_call* call, void* input, void** output, void* user_data) noexcept {
    const auto ends = taken(call, CKPT_DRIVE_FLAG_TAKE_INPUT, input);
    return run(user_data, [&](Guest<T>& own) { *output = new T(own.forward(from_c(*call), *item(input))); });
  }
  static std::int32_t record(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user_data) noexcept {
    const auto ends = taken(call, CKPT_DRIVE_FLAG_TAKE_INPUT, input);
    return run(user_data, [&](Guest<T>& own) {
      typename Guest<T>::Recorded recorded = own.record(from_c(*call), *item(input));
      std::unique_ptr<T> first(item(handle_of(std::move(recorded.tape))));
      *output = handle_of(std::move(recorded.output));
      *tape = first.release();
    });
  }
  static std::int32_t backward(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output,
                               void** grad_input, void* user_data) noexcept {
    const auto ends = taken(call, CKPT_DRIVE_FLAG_TAKE_INPUT, input);
    const auto ends_too = taken(call, CKPT_DRIVE_FLAG_TAKE_OUTPUT, output);
    const std::unique_ptr<T> recorded(item(tape));
    const std::unique_ptr<T> grad(item(grad_output));
    return run(user_data, [&](Guest<T>& own) {
      *grad_input = handle_of(own.backward(from_c(*call), item(input), item(output), recorded.get(), grad.get()));
    });
  }
  static std::int32_t turn(const ckpt_drive_call* call, void* output, void** grad_output, void* user_data) noexcept {
    return run(user_data, [&](Guest<T>& own) { *grad_output = handle_of(own.turn(from_c(*call), *item(output))); });
  }
  static std::int32_t store(const ckpt_drive_call* call, void* stored, void* user_data) noexcept {
    return run(user_data, [&](Guest<T>& own) { own.store(from_c(*call), item(stored)); });
  }
  static std::int32_t load(const ckpt_drive_call* call, void** loaded, void* user_data) noexcept {
    return run(user_data, [&](Guest<T>& own) { *loaded = handle_of(own.load(from_c(*call))); });
  }
  static std::int32_t await(const ckpt_drive_call* call, void* user_data) noexcept {
    return run(user_data, [&](Guest<T>& own) { own.await(from_c(*call)); });
  }
  static void drop(const ckpt_drive_call* call, void* handle, void* user_data) noexcept {
    detail::callback_silent([&] {
      if (call->tier > 0) of(user_data).guest->drop_slot(from_c(*call));
    });
    delete item(handle);
  }

  static ckpt_driver_callbacks table() {
    ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
    callbacks.forward = forward;
    callbacks.record = record;
    callbacks.backward = backward;
    callbacks.turn = turn;
    callbacks.store = store;
    callbacks.load = load;
    callbacks.await = await;
    callbacks.drop = drop;
    return callbacks;
  }
};

}  // namespace detail

// Drives the steps of one schedule, one at a time. From one thread at a time, but for cancel.
template <class T>
class Driver {
 public:
  Driver(const Schedule& schedule, std::unique_ptr<Guest<T>> guest) {
    if (guest == nullptr) throw Error(Status::invalid_argument, "guest is NULL");
    const ckpt_driver_callbacks callbacks = Calls::table();
    auto owned = std::make_unique<Calls>(Calls{std::move(guest), nullptr});
    check(ckpt_driver_create(schedule.handle(), &callbacks, owned.get(), detail::destroy<Calls>, handle_.out()));
    calls_ = owned.release();
  }

  // The chain's output, to look at until the next call of this driver.
  const T& forward(T x0) {
    void* xn = nullptr;
    give(std::move(x0), [&](void* given) { return ckpt_driver_forward(handle(), given, &xn); });
    return *static_cast<T*>(xn);
  }
  // The gradient of x0, where there is one.
  std::optional<T> backward(std::optional<T> gn) {
    void* g0 = nullptr;
    give(std::move(gn), [&](void* given) { return ckpt_driver_backward(handle(), given, &g0); });
    return unpacked(g0);
  }
  // Both, with Guest::turn between them.
  std::optional<T> run(T x0) {
    void* g0 = nullptr;
    give(std::move(x0), [&](void* given) { return ckpt_driver_run(handle(), given, &g0); });
    return unpacked(g0);
  }
  // The number of steps of an open-ended schedule: within a call of the guest, of the step that runs; else of the next one.
  void finalize(std::int64_t layer_count) { check(ckpt_driver_finalize(handle(), layer_count)); }
  // Any thread, also within a call of the guest: the step ends with Status::cancelled.
  void cancel() { check(ckpt_driver_cancel(handle())); }
  // Which call ended the last step that failed by the guest.
  std::optional<DriveCall> failure() const {
    ckpt_drive_call call;
    const ckpt_status status = ckpt_driver_get_failure(handle(), &call, nullptr);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(call);
  }
  Guest<T>& guest() const noexcept { return *calls_->guest; }
  ckpt_driver* handle() const noexcept { return handle_.get(); }

 private:
  using Calls = detail::GuestCalls<T>;

  static std::optional<T> unpacked(void* handle) {
    const std::unique_ptr<T> item(static_cast<T*>(handle));
    return item == nullptr ? std::nullopt : std::optional<T>(std::move(*item));
  }
  // The item is the library's unless the call was refused.
  template <class Call>
  void give(std::optional<T> item, Call&& call) {
    calls_->thrown = nullptr;
    std::unique_ptr<T> boxed(static_cast<T*>(Calls::handle_of(std::move(item))));
    const ckpt_status status = call(boxed.get());
    if (status != CKPT_E_INVALID_ARGUMENT && status != CKPT_E_INVALID_STATE && status != CKPT_E_FORKED)
      static_cast<void>(boxed.release());
    if (const std::exception_ptr thrown = std::exchange(calls_->thrown, nullptr); thrown && status == CKPT_E_CALLBACK)
      std::rethrow_exception(thrown);
    check(status);
  }

  detail::Handle<ckpt_driver, ckpt_driver_release> handle_;
  Calls* calls_ = nullptr;  // the handle's
};

}  // namespace ckpt

#endif  // CKPT_DRIVE_HPP
