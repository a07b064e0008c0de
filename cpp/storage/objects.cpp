#include "storage/objects.h"

#include "base/error.h"

namespace ckpt::storage {

void ObjectStorage::rename(const std::string& from, const std::string&) {
  base::fail(base::Status::unsupported, "cannot rename ", base::quote(from), ": ", base::quote(name()), " is an object store");
}

void ObjectStorage::remove_directory(const std::string& path) {
  require_path(path);
  if (!list_from(join(path, ""), "", 1).empty())
    base::fail(base::Status::already_exists, "cannot remove ", base::quote(path), ": it is not empty");
}

void ObjectStorage::make_directory(const std::string& path) { require_path(path); }

void ObjectStorage::sync_directory(const std::string& path) { require_path(path); }

std::vector<Entry> ObjectStorage::list(const std::string& path) {
  require_path(path);
  const std::string prefix = path.empty() ? "" : path + '/';
  std::vector<Entry> entries;
  for_each_object(*this, prefix, [&](const Object& object) {
    const std::string_view below = std::string_view(object.path).substr(prefix.size());
    const std::string_view name = below.substr(0, below.find('/'));
    if (entries.empty() || entries.back().name != name) entries.push_back({std::string(name), name.size() < below.size()});
  });
  if (entries.empty() && !path.empty()) base::fail(base::Status::not_found, "path ", base::quote(path), " does not exist");
  return entries;
}

std::vector<Object> list_page(Storage& storage, const std::string& prefix, const std::string& after, std::int64_t limit) {
  try {
    return storage.list_from(prefix, after, limit);
  } catch (const base::Error& error) {
    if (error.status() != base::Status::not_found) throw;
    base::fail(base::Status::invalid_argument, error.message());
  }
}

std::unique_ptr<Lock> ObjectStorage::lock(const std::string&) {
  base::fail(base::Status::unsupported, base::quote(name()), " is an object store, which has no locks");
}

}  // namespace ckpt::storage
