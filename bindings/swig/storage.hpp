// storage.hpp - storages of other languages, and the decision and sleep functions of a fault handler. See callbacks.hpp for
// ownership.
#ifndef CKPT_SWIG_STORAGE_HPP
#define CKPT_SWIG_STORAGE_HPP

#include <ckpt/ckpt.h>

#include <memory>

#include "callbacks.hpp"
#include "load.h"

#ifdef SWIG
%include "generated/storage_callbacks.hpp"
#else
#include "generated/storage_callbacks.hpp"
#endif

namespace ckpt_swig {

// Passed to Decider::decide.
class FaultAnswer {
 public:
#ifndef SWIG
  bool retry = false;
  int64_t delay_ns = 0;
#endif
  void set(bool again, int64_t after_ns) {
    retry = again;
    delay_ns = after_ns;
  }
};

// Decides how an error of a storage is handled; see ckpt_fault_decide_fn.
class Decider {
 public:
  virtual ~Decider() = default;
  virtual void decide(int32_t status, const char* message, int32_t attempt, bool retry, int64_t delay_ns, FaultAnswer* answer) = 0;
};

// is_objects: an object store; the other two flags select the optional functions that it implements.
inline ckpt_status storage_create_custom(const char* name, StorageFunctions* functions, bool is_objects, bool reads_ranges,
                                         bool removes_many, ckpt_storage** storage) {
  std::unique_ptr<StorageFunctions> owned(functions);
  ckpt_storage_callbacks table = detail::storage_callbacks();
  if (is_objects) table.flags = CKPT_STORAGE_FLAG_OBJECTS;
  if (!is_objects) table.create_stream = nullptr;
  if (!is_objects) table.put_if_absent = nullptr;
  if (!is_objects) table.list_from = nullptr;
  if (!is_objects || !reads_ranges) table.read_ranges = nullptr;
  if (!is_objects || !removes_many) table.remove_many = nullptr;
  return handed_over(owned, ckpt_storage_create_custom(name, &table, functions, destroy<StorageFunctions>, storage));
}

// s3: loads libckpt-s3, which packages contain next to libckpt.
#if !defined(SWIGJAVA)
inline ckpt_status storage_create_from_uri(const char* uri, ckpt_storage** storage) {
  return ckpt::load::create_storage(uri, "", storage);
}
#endif
// folder: where libckpt-s3 is unpacked to, for libraries in a jar; "": next to libckpt.
#if !defined(SWIG) || defined(SWIGJAVA)
inline ckpt_status storage_create_from_uri(const char* uri, const char* folder, ckpt_storage** storage) {
  return ckpt::load::create_storage(uri, folder, storage);
}
#endif

// sleeper NULL: sleeps; decider NULL: the default rule decides.
inline ckpt_status fault_handler_create(const ckpt_fault_handler_options* options, Sleeper* sleeper, Decider* decider,
                                        ckpt_fault_handler** handler) {
  std::unique_ptr<Sleeper> owned_sleeper(sleeper);
  std::unique_ptr<Decider> owned_decider(decider);
  ckpt_fault_handler_options given = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  if (options) given = *options;
  if (decider) {
    given.decide = [](ckpt_status status, const char* message, int32_t attempt, ckpt_bool* retry, int64_t* delay_ns, void* user) {
      return guarded([&] {
        FaultAnswer answer;
        answer.set(*retry != 0, *delay_ns);
        static_cast<Decider*>(user)->decide(status, message, attempt, answer.retry, answer.delay_ns, &answer);
        *retry = answer.retry ? 1 : 0;
        *delay_ns = answer.delay_ns;
      });
    };
    given.decide_user_data = decider;
    given.decide_destroy = destroy<Decider>;
  }
  const ckpt_sleep_fn sleep = detail::Calls<&Sleeper::sleep>::tell;
  const ckpt_status status = sleeper ? ckpt_fault_handler_create(&given, sleep, sleeper, destroy<Sleeper>, handler)
                                     : ckpt_fault_handler_create(&given, nullptr, nullptr, nullptr, handler);
  return handed_over(owned_sleeper, handed_over(owned_decider, status));
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_STORAGE_HPP
