// storage.hpp - storages of other languages, and what decides and sleeps for a fault handler. See callbacks.hpp for who owns the
// objects.
#ifndef CKPT_SWIG_STORAGE_HPP
#define CKPT_SWIG_STORAGE_HPP

#include <ckpt/ckpt.h>

#include <memory>

#include "callbacks.hpp"
#include "load.h"

namespace ckpt_swig {

// Passed to StorageFunctions::list.
class Listing {
 public:
#ifndef SWIG
  Listing(ckpt_storage_entry_fn entry, void* listing) : entry_(entry), listing_(listing) {}
#endif
  void add(const char* name, bool is_directory) {
    const int32_t status = entry_(listing_, name, is_directory ? 1 : 0);
    if (status != CKPT_OK) throw CallbackFailure(status, "the listing was refused");
  }

 private:
  ckpt_storage_entry_fn entry_;
  void* listing_;
};

// Passed to StorageFunctions::list_from.
class ObjectListing {
 public:
#ifndef SWIG
  ObjectListing(ckpt_storage_object_fn object, void* listing) : object_(object), listing_(listing) {}
#endif
  void add(const char* path, int64_t bytes) {
    const int32_t status = object_(listing_, path, bytes);
    if (status != CKPT_OK) throw CallbackFailure(status, "the listing was refused");
  }

 private:
  ckpt_storage_object_fn object_;
  void* listing_;
};

// Passed to StorageFunctions::read_ranges.
class RangeList {
 public:
#ifndef SWIG
  RangeList(const ckpt_storage_range* ranges, int64_t count) : ranges_(ranges), count_(count) {}
#endif
  int64_t count() const { return count_; }
  int64_t offset(int64_t at) const { return ranges_[at].offset; }
  Bytes buffer(int64_t at) const { return Bytes{ranges_[at].buffer, ranges_[at].bytes, true}; }

 private:
  const ckpt_storage_range* ranges_;
  int64_t count_;
};

// Passed to StorageFunctions::remove_many.
class PathList {
 public:
#ifndef SWIG
  PathList(const char* const* paths, int64_t count) : paths_(paths), count_(count) {}
#endif
  int64_t count() const { return count_; }
  const char* path(int64_t at) const { return paths_[at]; }

 private:
  const char* const* paths_;
  int64_t count_;
};

}  // namespace ckpt_swig

#ifdef SWIG
%include "generated/storage_callbacks.hpp"
#else
#include "generated/storage_callbacks.hpp"
#endif

namespace ckpt_swig {

class StorageFactory {
 public:
  virtual ~StorageFactory() = default;
  // Hands out one reference.
  virtual ckpt_storage* make(const char* uri) = 0;
};

class Sleeper {
 public:
  virtual ~Sleeper() = default;
  virtual void sleep(int64_t ns) = 0;
};

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

// Says what becomes of an error of a storage; see ckpt_fault_decide_fn.
class Decider {
 public:
  virtual ~Decider() = default;
  virtual void decide(int32_t status, const char* message, int32_t attempt, bool retry, int64_t delay_ns, FaultAnswer* answer) = 0;
};

// is_objects: an object store; the other two say which of the functions that it need not have it has.
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

inline ckpt_status storage_register_scheme(const char* scheme, StorageFactory* factory) {
  std::unique_ptr<StorageFactory> owned(factory);
  return handed_over(
      owned, ckpt_storage_register_scheme(scheme, detail::Calls<&StorageFactory::make>::give, factory, destroy<StorageFactory>));
}

// s3: loads libckpt-s3, which packages have beside libckpt.
#if !defined(SWIGJAVA)
inline ckpt_status storage_create_from_uri(const char* uri, ckpt_storage** storage) {
  return ckpt::load::create_storage(uri, "", storage);
}
#endif
// folder: where libckpt-s3 is unpacked to, for libraries in a jar; "": beside libckpt.
#if !defined(SWIG) || defined(SWIGJAVA)
inline ckpt_status storage_create_from_uri(const char* uri, const char* folder, ckpt_storage** storage) {
  return ckpt::load::create_storage(uri, folder, storage);
}
#endif

// sleeper NULL really sleeps; decider NULL: the usual rule decides.
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
