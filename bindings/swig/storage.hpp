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

// Files and locks are numbers of the other language's choice. Object stores alone are asked for what is behind unlock.
class StorageFunctions {
 public:
  virtual ~StorageFunctions() = default;
  virtual int64_t create(const char* path) = 0;
  virtual int64_t open(const char* path) = 0;
  virtual void close(int64_t file) = 0;
  virtual int64_t file_size(int64_t file) = 0;
  virtual int64_t read(int64_t file, int64_t offset, Bytes buffer) = 0;
  virtual void write(int64_t file, int64_t offset, Bytes buffer) = 0;
  virtual void sync(int64_t file) = 0;
  virtual void rename(const char* from_path, const char* to_path) = 0;
  virtual void remove(const char* path) = 0;
  virtual void remove_directory(const char* path) = 0;
  virtual void make_directory(const char* path) = 0;
  virtual void sync_directory(const char* path) = 0;
  virtual void list(const char* path, Listing* listing) = 0;
  virtual int64_t size(const char* path) = 0;
  virtual int64_t lock(const char* path) = 0;
  virtual void unlock(int64_t lock) = 0;
  virtual int64_t create_stream(const char* path, int64_t expected_bytes) = 0;
  virtual void put_if_absent(const char* path, Bytes buffer) = 0;
  virtual void read_ranges(int64_t file, RangeList* ranges) = 0;
  virtual void list_from(const char* prefix, const char* after, int64_t limit, ObjectListing* listing) = 0;
  virtual void remove_many(PathList* paths) = 0;
};

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

#ifndef SWIG
namespace detail {

inline int64_t file_number(void* file) { return static_cast<int64_t>(reinterpret_cast<intptr_t>(file)); }
inline void* file_pointer(int64_t file) { return reinterpret_cast<void*>(static_cast<intptr_t>(file)); }
inline StorageFunctions& storage(void* user) { return *static_cast<StorageFunctions*>(user); }

template <int64_t (StorageFunctions::*method)(const char*)>
int32_t open_file(const char* path, void** file, void* user) {
  return guarded([&] { *file = file_pointer((storage(user).*method)(path)); });
}
template <void (StorageFunctions::*method)(int64_t)>
void close_file(void* file, void* user) {
  (void)guarded([&] { (storage(user).*method)(file_number(file)); });
}

inline ckpt_storage_callbacks storage_callbacks() {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  table.create = open_file<&StorageFunctions::create>;
  table.open = open_file<&StorageFunctions::open>;
  table.lock = open_file<&StorageFunctions::lock>;
  table.close = close_file<&StorageFunctions::close>;
  table.unlock = close_file<&StorageFunctions::unlock>;
  table.file_size = [](void* file, int64_t* bytes, void* user) {
    return guarded([&] { *bytes = storage(user).file_size(file_number(file)); });
  };
  table.read = [](void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* read, void* user) {
    return guarded([&] {
      const int64_t count = storage(user).read(file_number(file), offset, writable(buffer, bytes));
      if (count < 0 || count > bytes) throw CallbackFailure(1, "read returned a count outside its buffer");
      *read = count;
    });
  };
  table.write = [](void* file, int64_t offset, const void* buffer, int64_t bytes, void* user) {
    return guarded([&] { storage(user).write(file_number(file), offset, readable(buffer, bytes)); });
  };
  table.sync = [](void* file, void* user) { return guarded([&] { storage(user).sync(file_number(file)); }); };
  table.rename = Calls<&StorageFunctions::rename>::run;
  table.remove = Calls<&StorageFunctions::remove>::run;
  table.remove_directory = Calls<&StorageFunctions::remove_directory>::run;
  table.make_directory = Calls<&StorageFunctions::make_directory>::run;
  table.sync_directory = Calls<&StorageFunctions::sync_directory>::run;
  table.list = [](const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) {
    return guarded([&] {
      Listing names(entry, listing);
      storage(user).list(path, &names);
    });
  };
  table.size = Calls<&StorageFunctions::size>::give;
  return table;
}

// What an object store does besides; whether it reads ranges and removes many files at once is its own affair.
inline void add_object_callbacks(ckpt_storage_callbacks& table, bool reads_ranges, bool removes_many) {
  table.flags = CKPT_STORAGE_FLAG_OBJECTS;
  table.create_stream = [](const char* path, int64_t expected_bytes, void** file, void* user) {
    return guarded([&] { *file = file_pointer(storage(user).create_stream(path, expected_bytes)); });
  };
  table.put_if_absent = [](const char* path, const void* buffer, int64_t bytes, void* user) {
    return guarded([&] { storage(user).put_if_absent(path, readable(buffer, bytes)); });
  };
  table.list_from = [](const char* prefix, const char* after, int64_t limit, ckpt_storage_object_fn object, void* listing,
                       void* user) {
    return guarded([&] {
      ObjectListing objects(object, listing);
      storage(user).list_from(prefix, after, limit, &objects);
    });
  };
  if (reads_ranges) {
    table.read_ranges = [](void* file, const ckpt_storage_range* ranges, int64_t count, void* user) {
      return guarded([&] {
        RangeList list(ranges, count);
        storage(user).read_ranges(file_number(file), &list);
      });
    };
  }
  if (removes_many) {
    table.remove_many = [](const char* const* paths, int64_t count, void* user) {
      return guarded([&] {
        PathList list(paths, count);
        storage(user).remove_many(&list);
      });
    };
  }
}

}  // namespace detail
#endif

// is_objects: an object store; the other two say which of the functions that it need not have it has.
inline ckpt_status storage_create_custom(const char* name, StorageFunctions* functions, bool is_objects, bool reads_ranges,
                                         bool removes_many, ckpt_storage** storage) {
  std::unique_ptr<StorageFunctions> owned(functions);
  ckpt_storage_callbacks table = detail::storage_callbacks();
  if (is_objects) detail::add_object_callbacks(table, reads_ranges, removes_many);
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
