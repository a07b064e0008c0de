// Object stores. A file appears complete when it is synced, not before, and replaces an existing file of its name. Directories,
// renames and locks are not supported. Stores must be strongly consistent: every later call of any process sees what was written,
// removed or refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/storage.h"

namespace ckpt::storage {

// Base class of object stores. Directories are the common prefixes of the files' paths; creating, syncing and removing empty ones
// does nothing. rename and lock fail with Error(unsupported).
class ObjectStorage : public Storage {
 public:
  bool is_objects() const noexcept final { return true; }
  std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override = 0;
  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) override = 0;

  void rename(const std::string& from, const std::string& to) final;
  void remove_directory(const std::string& path) final;
  void make_directory(const std::string& path) final;
  void sync_directory(const std::string& path) final;
  // Fails with Error(not_found) for a directory without files, unless it is the root.
  std::vector<Entry> list(const std::string& path) final;
  std::unique_ptr<Lock> lock(const std::string& path) final;
};

// Calls list_from for callers that treat Error(not_found) as "no such files": a missing bucket or root fails with
// Error(invalid_argument) instead. Only an empty listing proves that nothing exists.
std::vector<Object> list_page(Storage& storage, const std::string& prefix, const std::string& after, std::int64_t limit);

// Calls take(object) for each file with this prefix, in path order, page by page.
template <class Take>
void for_each_object(Storage& storage, const std::string& prefix, Take&& take) {
  std::string after;
  for (;;) {
    const std::vector<Object> page = list_page(storage, prefix, after, list_limit);
    for (const Object& object : page) take(object);
    if (std::ssize(page) < list_limit) return;
    after = page.back().path;
  }
}

}  // namespace ckpt::storage
