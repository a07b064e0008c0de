// Object stores: files are there whole once they are synced, and not before; a new one replaces that of its name. There are no
// directories, renames and locks. What was written, removed or refused is seen by the next call of anyone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/storage.h"

namespace ckpt::storage {

// What storages that are object stores derive from: directories are what the files' paths have in common, and nothing has to be
// done to make them, to sync them, or to remove them when they are empty. rename and lock: Error(unsupported).
class ObjectStorage : public Storage {
 public:
  bool is_objects() const noexcept final { return true; }
  std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override = 0;
  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) override = 0;

  void rename(const std::string& from, const std::string& to) final;
  void remove_directory(const std::string& path) final;
  void make_directory(const std::string& path) final;
  void sync_directory(const std::string& path) final;
  // Error(not_found) for a directory without files, unless it is the root.
  std::vector<Entry> list(const std::string& path) final;
  std::unique_ptr<Lock> lock(const std::string& path) final;
};

// list_from, for callers to whom Error(not_found) means that there is nothing: where the place itself is not there,
// Error(invalid_argument). Only a listing that is empty shows that nothing is there.
std::vector<Object> page_of(Storage& storage, const std::string& prefix, const std::string& after, std::int64_t limit);

// Calls take(object) for each file below prefix, in the order of their paths, page by page.
template <class Take>
void for_each_object(Storage& storage, const std::string& prefix, Take&& take) {
  std::string after;
  for (;;) {
    const std::vector<Object> page = page_of(storage, prefix, after, list_limit);
    for (const Object& object : page) take(object);
    if (std::ssize(page) < list_limit) return;
    after = page.back().path;
  }
}

}  // namespace ckpt::storage
