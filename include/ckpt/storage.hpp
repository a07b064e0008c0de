// storage.hpp - the C++17 interface of storage.h: storages for files.
#ifndef CKPT_STORAGE_HPP
#define CKPT_STORAGE_HPP

#include <ckpt/methods/storage.hpp>
#include <ckpt/methods/storage_callbacks.hpp>

namespace ckpt {

// An error of a storage and the default decision about a retry: change retry and delay, or leave them unchanged.
struct Fault {
  Status status;
  std::string message;
  std::int32_t attempt;  // number of the failed attempt, 1 for the first
  bool retry;
  std::chrono::nanoseconds delay;  // before the next attempt
};

// Decides about the retries of a storage. Storages created with it keep it alive.
class FaultHandler : public FaultHandlerMethods<FaultHandler> {
 public:
  // Called for each error except that of the last attempt; see ckpt_fault_decide_fn for its thread. An exception fails the
  // operation.
  using Decide = std::function<void(Fault& fault)>;

  using FaultHandlerMethods::FaultHandlerMethods;
  explicit FaultHandler(const FaultHandlerOptions& options = {}, Decide decide = {}) : FaultHandlerMethods(detail::Empty()) {
    ckpt_fault_handler_options given = detail::to_c(options);
    auto owned = std::make_unique<Decide>(std::move(decide));
    given.decide = *owned ? &FaultHandler::ask : nullptr;
    given.decide_user_data = owned.get();
    given.decide_destroy = detail::destroy<Decide>;
    check(ckpt_fault_handler_create(&given, nullptr, nullptr, nullptr, out()));
    static_cast<void>(owned.release());
  }

 private:
  static std::int32_t ask(ckpt_status status, const char* message, std::int32_t attempt, ckpt_bool* retry, std::int64_t* delay_ns,
                          void* user_data) noexcept {
    return detail::callback_status([&] {
      Fault fault{static_cast<Status>(status), message, attempt, *retry != 0, std::chrono::nanoseconds(*delay_ns)};
      (*static_cast<Decide*>(user_data))(fault);
      *retry = fault.retry ? 1 : 0;
      *delay_ns = fault.delay.count();
    });
  }
};

// Base class of an open file of a custom storage. Destroyed when the file is closed; bytes that were not synced may be lost.
class CustomFile {
 public:
  virtual ~CustomFile() = default;
  virtual std::int64_t size() = 0;
  // Fills buffer with the bytes at offset; returns the number of bytes read, fewer only at the end of the file.
  virtual std::int64_t read(std::int64_t offset, Span<std::byte> buffer) = 0;
  virtual void write(std::int64_t offset, Span<const std::byte> bytes) = 0;
  // Returns when all written bytes are durable. Not called again after an exception.
  virtual void sync() = 0;
  // A range of a file, and the buffer for its bytes.
  struct Range {
    std::int64_t offset;
    Span<std::byte> bytes;
  };
  // Reads all ranges. This implementation calls read for each; only called for object stores.
  virtual void read_ranges(const std::vector<Range>& ranges) {
    for (const Range& range : ranges) {
      if (read(range.offset, range.bytes) != static_cast<std::int64_t>(range.bytes.size()))
        throw Error(Status::invalid_argument, "the file ends before a range does");
    }
  }
};

// Base class of a lock of a custom storage; destroyed when it is released, but not in a forked child.
class CustomLock {
 public:
  virtual ~CustomLock() = default;
};

class CustomObjects;
namespace detail {
struct CustomStorageCalls;
}  // namespace detail

// Base class of a custom storage. ckpt_storage_callbacks documents each function. Functions may throw; the status of an Error is
// kept: Status::not_found for a missing file, already_exists for an existing name, busy for a lock that is held, io for errors that
// may be retried. Another exception becomes Status::callback. Several functions may run at once, but only one with the same file.
class CustomStorage {
 public:
  struct Entry {
    std::string name;  // without its path
    bool is_directory;
  };

  virtual ~CustomStorage() = default;
  // Creates a new, empty file for writing.
  virtual std::unique_ptr<CustomFile> create(const std::string& path) = 0;
  // Opens an existing file for reading.
  virtual std::unique_ptr<CustomFile> open(const std::string& path) = 0;
  // Renames atomically; replaces an existing file of the new name.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void remove_directory(const std::string& path) = 0;
  virtual void make_directory(const std::string& path) = 0;
  virtual void sync_directory(const std::string& path) = 0;
  virtual std::vector<Entry> list(const std::string& path) = 0;
  // Returns the size of a regular file that is not open.
  virtual std::int64_t size(const std::string& path) = 0;
  virtual std::unique_ptr<CustomLock> lock(const std::string& path) = 0;

 private:
  friend class CustomObjects;
  friend struct detail::CustomStorageCalls;
  virtual CustomObjects* objects() noexcept { return nullptr; }
};

// Base class of a custom object store. A file becomes visible, complete, when its sync returns, and not before; it replaces an
// existing file of the same name. The next call of any caller sees the effects of a write, removal or refusal.
class CustomObjects : public CustomStorage {
 public:
  struct Object {
    std::string path;
    std::int64_t bytes;
  };

  // Creates a file that is written from front to back, then synced once. expected_bytes: estimated size of the file in bytes; 0:
  // not known.
  virtual std::unique_ptr<CustomFile> create_stream(const std::string& path, std::int64_t expected_bytes) = 0;
  // Creates a complete, durable file of these bytes if the name does not exist; Status::already_exists if it does,
  // Status::unsupported if the storage cannot do this. If several callers do this concurrently, one succeeds.
  virtual void put_if_absent(const std::string& path, Span<const std::byte> bytes) = 0;
  // Lists files with paths that begin with prefix and are greater than after, in ascending order of their bytes, at most limit
  // files.
  virtual std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) = 0;
  // Removes files; a missing file is not an error. This implementation calls remove for each.
  virtual void remove_many(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      try {
        remove(path);
      } catch (const Error& error) {
        if (error.status() != Status::not_found) throw;
      }
    }
  }

 private:
  // Object stores have no directories, renames and locks: these functions are not called.
  [[noreturn]] static void refuse() { throw Error(Status::unsupported, "an object store has no such operation"); }
  void rename(const std::string&, const std::string&) final { refuse(); }
  void remove_directory(const std::string&) final { refuse(); }
  void make_directory(const std::string&) final { refuse(); }
  void sync_directory(const std::string&) final { refuse(); }
  std::vector<Entry> list(const std::string&) final { refuse(); }
  std::unique_ptr<CustomLock> lock(const std::string&) final { refuse(); }
  CustomObjects* objects() noexcept final { return this; }
};

namespace detail {

inline ckpt_storage_callbacks custom_storage_calls(CustomStorage& functions) noexcept;

template <>
inline constexpr bool keeps_status<CustomStorage> = true;
template <>
inline constexpr bool keeps_status<CustomObjects> = true;
template <>
inline constexpr bool keeps_status<CustomFile> = true;
template <>
inline CustomObjects& object_of(void* user_data) noexcept {
  return static_cast<CustomObjects&>(object_of<CustomStorage>(user_data));
}

}  // namespace detail

// A storage in a directory of the file system, in memory, or by functions of the caller. Objects created with it keep it alive.
class Storage : public StorageMethods<Storage> {
 public:
  using StorageMethods::StorageMethods;
  // Throws Error with Status::not_found if the directory is missing.
  static Storage existing_file_system(const std::string& root) {
    FileSystemOptions options;
    options.must_exist = true;
    return file_system(root, options);
  }
  // name: location of the storage, for messages.
  static Storage custom(const std::string& name, std::unique_ptr<CustomStorage> functions) {
    if (functions == nullptr) throw Error(Status::invalid_argument, "functions is NULL");
    const ckpt_storage_callbacks callbacks = detail::custom_storage_calls(*functions);
    return Storage(made_with(std::move(functions), ckpt_storage_create_custom, name.c_str(), &callbacks));
  }
  // Returns a storage that wraps this one and retries transient errors by the rules of the handler.
  Storage retrying(const FaultHandler& handler) const {
    return Storage(created(ckpt_storage_create_retrying, handle(), handler.handle()));
  }
};

namespace detail {

template <>
inline constexpr bool keeps_status<std::function<Storage(std::string_view)>> = true;

}  // namespace detail

// Registers a scheme for Storage::from_uri during the lifetime of this object. make receives the complete URI, checked, still
// encoded; it may throw, and the status of an Error is kept.
class StorageScheme {
 public:
  using Make = std::function<Storage(std::string_view uri)>;

  StorageScheme(std::string scheme, Make make) : scheme_(std::move(scheme)) {
    detail::pass(std::move(make), [&](Make* owned) {
      const ckpt_storage_scheme_fn call = *owned ? detail::call_storage_scheme<&Make::operator()> : nullptr;
      return ckpt_storage_register_scheme(scheme_.c_str(), call, owned, detail::destroy<Make>);
    });
  }
  ~StorageScheme() { ckpt_storage_unregister_scheme(scheme_.c_str()); }
  StorageScheme(const StorageScheme&) = delete;
  StorageScheme& operator=(const StorageScheme&) = delete;

 private:
  std::string scheme_;
};

// ---- Custom storages: how C calls the object ----

namespace detail {

struct CustomStorageCalls {
  static std::int32_t list(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user_data) noexcept {
    std::int32_t status = CKPT_OK;
    const std::int32_t own = call_member<&CustomStorage::list>(user_data, [&](CustomStorage& storage) {
      for (const CustomStorage::Entry& each : storage.list(path)) {
        status = entry(listing, each.name.c_str(), each.is_directory ? 1 : 0);
        if (status != CKPT_OK) return;
      }
    });
    return own != CKPT_OK ? own : status;
  }
  template <class Owned>
  static void end(void* object, void* /*user_data*/) noexcept {
    delete static_cast<Owned*>(object);
  }

  // ---- Of object stores only ----

  static bool is_objects(CustomStorage& functions) noexcept { return functions.objects() != nullptr; }
  static std::int32_t read_ranges(void* file, const ckpt_storage_range* ranges, std::int64_t count, void*) noexcept {
    return call_member<&CustomFile::read_ranges>(file, [&](CustomFile& object) {
      std::vector<CustomFile::Range> pieces;
      for (const ckpt_storage_range* one = ranges; one != ranges + count; ++one)
        pieces.push_back({one->offset, span_of(one->buffer, one->bytes)});
      object.read_ranges(pieces);
    });
  }
  static std::int32_t list_from(const char* prefix, const char* after, std::int64_t limit, ckpt_storage_object_fn object,
                                void* listing, void* user_data) noexcept {
    std::int32_t status = CKPT_OK;
    const std::int32_t own = call_member<&CustomObjects::list_from>(user_data, [&](CustomObjects& storage) {
      for (const CustomObjects::Object& each : storage.list_from(prefix, after, limit)) {
        status = object(listing, each.path.c_str(), each.bytes);
        if (status != CKPT_OK) return;
      }
    });
    return own != CKPT_OK ? own : status;
  }
  static std::int32_t remove_many(const char* const* paths, std::int64_t count, void* user_data) noexcept {
    return call_member<&CustomObjects::remove_many>(user_data, [&](CustomObjects& storage) {
      storage.remove_many({paths, paths + count});
    });
  }
};

inline ckpt_storage_callbacks custom_storage_calls(CustomStorage& functions) noexcept {
  using Calls = CustomStorageCalls;
  ckpt_storage_callbacks callbacks = CKPT_STORAGE_CALLBACKS_INIT;
  callbacks.create = call_storage_open<&CustomStorage::create>;
  callbacks.open = call_storage_open<&CustomStorage::open>;
  callbacks.close = Calls::end<CustomFile>;
  callbacks.file_size = call_storage_file_size<&CustomFile::size>;
  callbacks.read = call_storage_read<&CustomFile::read>;
  callbacks.write = call_storage_write<&CustomFile::write>;
  callbacks.sync = call_storage_sync<&CustomFile::sync>;
  callbacks.rename = call_storage_rename<&CustomStorage::rename>;
  callbacks.remove = call_storage_path<&CustomStorage::remove>;
  callbacks.remove_directory = call_storage_path<&CustomStorage::remove_directory>;
  callbacks.make_directory = call_storage_path<&CustomStorage::make_directory>;
  callbacks.sync_directory = call_storage_path<&CustomStorage::sync_directory>;
  callbacks.list = Calls::list;
  callbacks.size = call_storage_size<&CustomStorage::size>;
  callbacks.lock = call_storage_open<&CustomStorage::lock>;
  callbacks.unlock = Calls::end<CustomLock>;
  if (!Calls::is_objects(functions)) return callbacks;
  callbacks.flags = CKPT_STORAGE_FLAG_OBJECTS;
  callbacks.create_stream = call_storage_create_stream<&CustomObjects::create_stream>;
  callbacks.put_if_absent = call_storage_put<&CustomObjects::put_if_absent>;
  callbacks.read_ranges = Calls::read_ranges;
  callbacks.list_from = Calls::list_from;
  callbacks.remove_many = Calls::remove_many;
  return callbacks;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_STORAGE_HPP
