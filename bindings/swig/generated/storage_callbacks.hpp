// Generated from include/ckpt by tools/api: do not edit.
// clang-format off
#pragma once

#include "../callbacks.hpp"

namespace ckpt_swig {

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
  virtual void rename(const char* from, const char* to) = 0;
  virtual void remove(const char* path) = 0;
  virtual void remove_directory(const char* path) = 0;
  virtual void make_directory(const char* path) = 0;
  virtual void sync_directory(const char* path) = 0;
  virtual void list(const char* path, Listing* listing) = 0;
  virtual int64_t size(const char* path) = 0;
  virtual int64_t lock(const char* path) = 0;
  virtual void unlock(int64_t file) = 0;
  virtual int64_t create_stream(const char* path, int64_t expected_bytes) = 0;
  virtual void put_if_absent(const char* path, Bytes buffer) = 0;
  virtual void read_ranges(int64_t file, RangeList* ranges) = 0;
  virtual void list_from(const char* prefix, const char* after, int64_t limit, ObjectListing* listing) = 0;
  virtual void remove_many(PathList* paths) = 0;
};

#ifndef SWIG
namespace detail {

inline ckpt_storage_callbacks storage_callbacks() {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  table.create = [](const char* path, void** file, void* user_data) {
    return guarded([&] {
      *file = pointer_of(functions_of<StorageFunctions>(user_data).create(path));
    });
  };
  table.open = [](const char* path, void** file, void* user_data) {
    return guarded([&] {
      *file = pointer_of(functions_of<StorageFunctions>(user_data).open(path));
    });
  };
  table.close = [](void* file, void* user_data) {
    static_cast<void>(guarded([&] {
      functions_of<StorageFunctions>(user_data).close(number_of(file));
    }));
  };
  table.file_size = [](void* file, int64_t* bytes, void* user_data) {
    return guarded([&] {
      *bytes = functions_of<StorageFunctions>(user_data).file_size(number_of(file));
    });
  };
  table.read = [](void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* read, void* user_data) {
    return guarded([&] {
      const int64_t count = functions_of<StorageFunctions>(user_data).read(number_of(file), offset, writable(buffer, bytes));
      *read = checked_count(count, bytes);
    });
  };
  table.write = [](void* file, int64_t offset, const void* buffer, int64_t bytes, void* user_data) {
    return guarded([&] {
      functions_of<StorageFunctions>(user_data).write(number_of(file), offset, readable(buffer, bytes));
    });
  };
  table.sync = [](void* file, void* user_data) {
    return guarded([&] {
      functions_of<StorageFunctions>(user_data).sync(number_of(file));
    });
  };
  table.rename = Calls<&StorageFunctions::rename>::run;
  table.remove = Calls<&StorageFunctions::remove>::run;
  table.remove_directory = Calls<&StorageFunctions::remove_directory>::run;
  table.make_directory = Calls<&StorageFunctions::make_directory>::run;
  table.sync_directory = Calls<&StorageFunctions::sync_directory>::run;
  table.list = [](const char* path, ckpt_storage_entry_fn entry, void* listing, void* user_data) {
    return guarded([&] {
      Listing listing_given(entry, listing);
      functions_of<StorageFunctions>(user_data).list(path, &listing_given);
    });
  };
  table.size = Calls<&StorageFunctions::size>::give;
  table.lock = [](const char* path, void** file, void* user_data) {
    return guarded([&] {
      *file = pointer_of(functions_of<StorageFunctions>(user_data).lock(path));
    });
  };
  table.unlock = [](void* file, void* user_data) {
    static_cast<void>(guarded([&] {
      functions_of<StorageFunctions>(user_data).unlock(number_of(file));
    }));
  };
  table.create_stream = [](const char* path, int64_t expected_bytes, void** file, void* user_data) {
    return guarded([&] {
      *file = pointer_of(functions_of<StorageFunctions>(user_data).create_stream(path, expected_bytes));
    });
  };
  table.put_if_absent = [](const char* path, const void* buffer, int64_t bytes, void* user_data) {
    return guarded([&] {
      functions_of<StorageFunctions>(user_data).put_if_absent(path, readable(buffer, bytes));
    });
  };
  table.read_ranges = [](void* file, const ckpt_storage_range* ranges, int64_t ranges_count, void* user_data) {
    return guarded([&] {
      RangeList ranges_given(ranges, ranges_count);
      functions_of<StorageFunctions>(user_data).read_ranges(number_of(file), &ranges_given);
    });
  };
  table.list_from = [](const char* prefix, const char* after, int64_t limit, ckpt_storage_object_fn object, void* listing,
                       void* user_data) {
    return guarded([&] {
      ObjectListing listing_given(object, listing);
      functions_of<StorageFunctions>(user_data).list_from(prefix, after, limit, &listing_given);
    });
  };
  table.remove_many = [](const char* const* paths, int64_t paths_count, void* user_data) {
    return guarded([&] {
      PathList paths_given(paths, paths_count);
      functions_of<StorageFunctions>(user_data).remove_many(&paths_given);
    });
  };
  return table;
}

}  // namespace detail
#endif

}  // namespace ckpt_swig
