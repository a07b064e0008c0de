// storage.hpp - the C++17 face of storage.h: where files live.
#ifndef CKPT_STORAGE_HPP
#define CKPT_STORAGE_HPP

#include <ckpt/storage.h>
#include <ckpt/base.hpp>
#include <ckpt/values/storage.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ckpt {

// An error of a storage, and what becomes of it: change retry and delay, or leave what the rule says.
struct Fault {
  ckpt_status status;
  std::string message;
  int32_t attempt;  // that failed, 1 for the first
  bool retry;
  std::chrono::nanoseconds delay;  // before the next attempt
};

// Decides what a retrying storage tries again. Storages made with it keep it alive.
class FaultHandler {
 public:
  // Asked about each error but the last attempt's; see ckpt_fault_decide_fn for where it runs. What it throws ends the operation.
  using Decide = std::function<void(Fault& fault)>;

  FaultHandler(const FaultHandlerOptions& given, Decide decide) {
    ckpt_fault_handler_options options = detail::to_c(given);
    auto owned = std::make_unique<Decide>(std::move(decide));
    options.decide = *owned ? &FaultHandler::ask : nullptr;
    options.decide_user_data = owned.get();
    options.decide_destroy = detail::destroy<Decide>;
    ckpt_fault_handler* handler = nullptr;
    check(ckpt_fault_handler_create(&options, nullptr, nullptr, nullptr, &handler));
    static_cast<void>(owned.release());
    handler_ = detail::Handle<ckpt_fault_handler, ckpt_fault_handler_release>(handler);
  }
  explicit FaultHandler(const FaultHandlerOptions& options = {}) {
    const ckpt_fault_handler_options given = detail::to_c(options);
    ckpt_fault_handler* handler = nullptr;
    check(ckpt_fault_handler_create(&given, nullptr, nullptr, nullptr, &handler));
    handler_ = detail::Handle<ckpt_fault_handler, ckpt_fault_handler_release>(handler);
  }

  static FaultHandler adopt(ckpt_fault_handler* handler) noexcept { return FaultHandler(handler); }

  // How often something was tried again.
  std::int64_t retry_count() const {
    std::int64_t count = 0;
    check(ckpt_fault_handler_get_retry_count(handler_.get(), &count));
    return count;
  }

  ckpt_fault_handler* handle() const noexcept { return handler_.get(); }

 private:
  explicit FaultHandler(ckpt_fault_handler* handler) noexcept : handler_(handler) {}
  static int32_t ask(ckpt_status status, const char* message, int32_t attempt, ckpt_bool* retry, int64_t* delay_ns,
                     void* user_data) noexcept {
    return detail::callback_status([&] {
      Fault fault{status, message, attempt, *retry != 0, std::chrono::nanoseconds(*delay_ns)};
      (*static_cast<Decide*>(user_data))(fault);
      *retry = fault.retry ? 1 : 0;
      *delay_ns = fault.delay.count();
    });
  }

  detail::Handle<ckpt_fault_handler, ckpt_fault_handler_release> handler_;
};

// A directory of the file system, memory, or functions of the caller. Objects made with it keep it alive.
class Storage {
 public:
  // Makes the directory when it is missing.
  static Storage file_system(const std::string& root) { return file_system(root, FileSystemOptions{}); }
  // Error with CKPT_E_NOT_FOUND when it is missing.
  static Storage existing_file_system(const std::string& root) {
    FileSystemOptions options;
    options.must_exist = true;
    return file_system(root, options);
  }
  static Storage file_system(const std::string& root, const FileSystemOptions& options) {
    const ckpt_file_system_options given = detail::to_c(options);
    ckpt_storage* storage = nullptr;
    check(ckpt_storage_create_file_system(root.c_str(), &given, &storage));
    return Storage(storage);
  }
  // destroy (may be nullptr) runs with user_data after the last call of a function.
  static Storage custom(const std::string& name, const ckpt_storage_callbacks& callbacks, void* user_data,
                        ckpt_destroy_fn destroy) {
    ckpt_storage* storage = nullptr;
    check(ckpt_storage_create_custom(name.c_str(), &callbacks, user_data, destroy, &storage));
    return Storage(storage);
  }
  // A storage before this one that tries again, by the handler, what may pass.
  Storage retrying(const FaultHandler& handler) const {
    ckpt_storage* storage = nullptr;
    check(ckpt_storage_create_retrying(storage_.get(), handler.handle(), &storage));
    return Storage(storage);
  }
  static Storage memory() {
    ckpt_storage* storage = nullptr;
    check(ckpt_storage_create_memory(&storage));
    return Storage(storage);
  }

  static Storage adopt(ckpt_storage* storage) noexcept { return Storage(storage); }
  ckpt_storage* handle() const noexcept { return storage_.get(); }

 private:
  explicit Storage(ckpt_storage* storage) noexcept : storage_(storage) {}
  detail::Handle<ckpt_storage, ckpt_storage_release> storage_;
};

}  // namespace ckpt

#endif  // CKPT_STORAGE_HPP
