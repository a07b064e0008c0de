#include "storage.h"

#include <cstddef>
#include <string>

#include "callback_status.h"
#include "custom_storage.h"
#include "guard.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "storage/scheme.h"
#include "structs.h"

using namespace ckpt::capi;
namespace storage = ckpt::storage;

namespace {

storage::WriteOptions write_options(const ckpt_file_system_options& given) {
  static_assert(static_cast<int>(storage::WritePath::ring) == CKPT_WRITE_PATH_RING);
  static_assert(static_cast<int>(storage::WritePath::direct) == CKPT_WRITE_PATH_DIRECT);
  static_assert(static_cast<int>(storage::WritePath::buffered) == CKPT_WRITE_PATH_BUFFERED);
  ckpt::base::require(given.write_path >= CKPT_WRITE_PATH_RING && given.write_path <= CKPT_WRITE_PATH_BUFFERED,
                      "options.write_path is ", given.write_path,
                      "; expected CKPT_WRITE_PATH_RING (0) .. CKPT_WRITE_PATH_BUFFERED (2)");
  ckpt::base::require(given.large_from_bytes >= 0, "options.large_from_bytes is ", given.large_from_bytes, "; expected at least 0");
  storage::WriteOptions options;
  options.first = static_cast<storage::WritePath>(given.write_path);
  if (given.large_from_bytes > 0) options.stream_from_bytes = given.large_from_bytes;
  options.bytes_per_second = given.bytes_per_second;
  options.may_compress = given.may_compress != 0;
  options.lock = storage::lock_kind_of("options.lock_kind", given.lock_kind == nullptr ? "" : given.lock_kind);
  return options;
}

storage::Decide decide_argument(ckpt_fault_decide_fn decide, const std::shared_ptr<UserData>& user) {
  if (decide == nullptr) return {};
  return [decide, user](const ckpt::base::Error& error, std::int32_t attempt, storage::RetryDecision& decision) {
    int32_t retry = decision.retry ? 1 : 0;
    ckpt::base::set_callback_error(nullptr);
    const int32_t code = user_call([&] {
      return decide(static_cast<ckpt_status>(error.status()), error.message().c_str(), attempt, &retry, &decision.delay_ns,
                    user->get());
    });
    const std::string asked = ckpt::base::cat("fault handler's decide, asked about '", error.message(), "',");
    if (code != 0) ckpt::base::fail_callback(asked, code);
    ckpt::base::require(retry == 0 || retry == 1, asked, " set *retry to ", retry, "; expected 0 or 1");
    ckpt::base::require(decision.delay_ns >= 0, asked, " set *delay_ns to ", decision.delay_ns, "; expected at least 0");
    decision.retry = retry == 1;
  };
}

// Takes over the reference that a user's function created.
std::shared_ptr<storage::Storage> call_scheme(ckpt_storage_scheme_fn create, const std::string& uri, void* user_data) {
  ckpt_storage* created = nullptr;
  ckpt::base::set_callback_error(nullptr);
  const int32_t code = user_call([&] { return create(uri.c_str(), &created, user_data); });
  require_ok(code, [&] { return ckpt::base::cat("scheme function, asked for ", ckpt::base::quote(uri)); });
  std::shared_ptr<storage::Storage> object = checked(created, "the scheme function's *storage")->object;
  release(created);
  return object;
}

}  // namespace

ckpt_status ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* options, ckpt_storage** out) {
  return guard([&] {
    not_null(out, "storage");
    name_argument(root, "root");
    const auto given = options_argument(options, "options");
    const auto mode = given.must_exist != 0 ? storage::Root::must_exist : storage::Root::make;
    hand_out(out, storage::open_file_system(root, mode, write_options(given)));
  });
}

ckpt_status ckpt_storage_create_memory(ckpt_storage** out) {
  return guard([&] { hand_out(not_null(out, "storage"), storage::make_memory_storage()); });
}

ckpt_status ckpt_storage_create_custom(const char* name, const ckpt_storage_callbacks* callbacks, void* user_data,
                                       ckpt_destroy_fn destroy, ckpt_storage** out) {
  return guard([&] {
    not_null(out, "storage");
    name_argument(name, "name");
    const auto given = struct_argument(callbacks, "callbacks");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out(out, make_custom_storage(name, given, user));
    user->adopt();
  });
}

ckpt_status ckpt_storage_create_from_uri(const char* uri, ckpt_storage** out) {
  return guard([&] {
    not_null(out, "storage");
    hand_out(out, storage::open_uri(name_argument(uri, "uri")));
  });
}

ckpt_status ckpt_storage_register_scheme(const char* scheme, ckpt_storage_scheme_fn create, void* user_data,
                                         ckpt_destroy_fn destroy) {
  return guard([&] {
    const auto name = name_argument(scheme, "scheme");
    not_null(create, "create");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    storage::register_scheme(name, [create, user](const std::string& uri) { return call_scheme(create, uri, user->get()); });
    user->adopt();
  });
}

ckpt_status ckpt_storage_unregister_scheme(const char* scheme) {
  return guard([&] { storage::unregister_scheme(name_argument(scheme, "scheme")); });
}

ckpt_status ckpt_fault_handler_create(const ckpt_fault_handler_options* options, ckpt_sleep_fn sleep, void* user_data,
                                      ckpt_destroy_fn destroy, ckpt_fault_handler** out) {
  return guard([&] {
    not_null(out, "handler");
    const auto given = options_argument(options, "options");
    storage::FaultPolicy policy;
    copy_from_c(given, policy);
    const auto user = std::make_shared<UserData>(user_data, destroy);
    storage::Sleep pause;
    if (sleep != nullptr) pause = [sleep, user](std::int64_t ns) { user_notice("sleep", [&] { sleep(ns, user->get()); }); };
    const auto deciding = std::make_shared<UserData>(given.decide_user_data, given.decide_destroy);
    hand_out(out, std::make_shared<storage::FaultHandler>(policy, std::move(pause), decide_argument(given.decide, deciding)));
    user->adopt();
    deciding->adopt();
  });
}

ckpt_status ckpt_fault_handler_get_retry_count(const ckpt_fault_handler* handle, int64_t* retries) {
  return guard([&] {
    checked(handle, "handler");
    *not_null(retries, "retries") = handle->object->retries();
  });
}

void ckpt_fault_handler_release(ckpt_fault_handler* handle) { release(handle); }

ckpt_status ckpt_storage_create_retrying(ckpt_storage* inner, ckpt_fault_handler* handler, ckpt_storage** out) {
  return guard([&] {
    checked(inner, "inner");
    checked(handler, "handler");
    hand_out(not_null(out, "storage"), storage::make_retrying_storage(inner->object, handler->object));
  });
}

void ckpt_storage_release(ckpt_storage* handle) { release(handle); }
