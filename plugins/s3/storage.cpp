#include "storage.h"

#include <memory>

#include <unistd.h>

#include "bucket.h"
#include "common/boundary.h"
#include "reader.h"
#include "text.h"
#include "upload.h"

namespace ckpt::s3 {
namespace {

Storage& storage_of(void* user_data) {
  auto& storage = *static_cast<Storage*>(user_data);
  storage.check_process();
  return storage;
}

template <class Body>
std::int32_t run(void* user_data, Body&& body) noexcept {
  return plugin::guard(
      [&]() -> ckpt_status {
        Storage& storage = storage_of(user_data);
        if constexpr (std::is_void_v<decltype(body(storage.client()))>) {
          body(storage.client());
          return CKPT_OK;
        } else {
          return body(storage.client());
        }
      },
      ckpt_callback_error);
}

// The longest key that stores support.
constexpr std::size_t max_key_bytes = 1024;

std::string path_argument(Client& client, const char* path) {
  const std::string text = path;
  require(is_path(text), "path is ", in_quotes(text), "; expected components separated by single '/', none of them '.' or '..'");
  const std::size_t bytes = client.config().key(text).size();
  require(bytes <= max_key_bytes, "the name has ", bytes, " bytes with the storage's prefix; expected at most ", max_key_bytes);
  return text;
}

std::int32_t create_stream(const char* path, std::int64_t expected_bytes, void** file, void* user_data) {
  return run(user_data, [&](Client& client) {
    *file = static_cast<File*>(new Upload(client, client.config().key(path_argument(client, path)), expected_bytes));
  });
}

std::int32_t create(const char* path, void** file, void* user_data) { return create_stream(path, 0, file, user_data); }

std::int32_t open(const char* path, void** file, void* user_data) {
  return run(user_data, [&](Client& client) {
    *file = static_cast<File*>(new Reader(client, client.config().key(path_argument(client, path))));
  });
}

void close(void* file, void* user_data) {
  auto* opened = static_cast<File*>(file);
  if (!static_cast<Storage*>(user_data)->is_own_process()) opened->abandon();
  delete opened;
}

std::int32_t file_size(void* file, std::int64_t* bytes, void* user_data) {
  return run(user_data, [&](Client&) { *bytes = static_cast<File*>(file)->size(); });
}

std::int32_t read(void* file, std::int64_t offset, void* buffer, std::int64_t bytes, std::int64_t* count, void* user_data) {
  return run(user_data, [&](Client&) {
    require(bytes >= 0, "bytes is ", bytes, "; expected at least 0");
    *count = static_cast<File*>(file)->read(offset, {static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)});
  });
}

std::int32_t write(void* file, std::int64_t offset, const void* buffer, std::int64_t bytes, void* user_data) {
  return run(user_data, [&](Client&) {
    require(bytes >= 0, "bytes is ", bytes, "; expected at least 0");
    static_cast<File*>(file)->write(offset, {static_cast<const std::byte*>(buffer), static_cast<std::size_t>(bytes)});
  });
}

std::int32_t sync(void* file, void* user_data) {
  return run(user_data, [&](Client&) { static_cast<File*>(file)->sync(); });
}

std::int32_t remove(const char* path, void* user_data) {
  return run(user_data, [&](Client& client) { remove_one(client, path_argument(client, path)); });
}

std::int32_t size(const char* path, std::int64_t* bytes, void* user_data) {
  return run(user_data, [&](Client& client) { *bytes = size_of(client, path_argument(client, path)); });
}

std::int32_t put(const char* path, const void* buffer, std::int64_t bytes, void* user_data) {
  return run(user_data, [&](Client& client) {
    require(bytes >= 0, "bytes is ", bytes, "; expected at least 0");
    put_if_absent(client, path_argument(client, path), {static_cast<const std::byte*>(buffer), static_cast<std::size_t>(bytes)});
  });
}

std::int32_t read_pieces(void* file, const ckpt_storage_range* ranges, std::int64_t ranges_count, void* user_data) {
  return run(user_data, [&](Client&) {
    require(ranges_count >= 0, "ranges_count is ", ranges_count, "; expected at least 0");
    static_cast<File*>(file)->read_ranges({ranges, static_cast<std::size_t>(ranges_count)});
  });
}

std::int32_t list(const char* prefix, const char* after, std::int64_t limit, ckpt_storage_object_fn object, void* listing,
                  void* user_data) {
  return run(user_data, [&](Client& client) -> ckpt_status {
    require(limit >= 1, "limit is ", limit, "; expected at least 1");
    return list_from(client, prefix, after, limit,
                     [&](const Listed& listed) { return object(listing, listed.path.c_str(), listed.bytes); });
  });
}

std::int32_t remove_all(const char* const* paths, std::int64_t paths_count, void* user_data) {
  return run(user_data, [&](Client& client) {
    require(paths_count >= 0, "paths_count is ", paths_count, "; expected at least 0");
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < paths_count; ++i) all.push_back(path_argument(client, paths[i]));
    remove_many(client, all);
  });
}

std::unique_ptr<Credentials> credentials_of(const FullConfig& config) {
  if (!config.given.access_key.empty()) return std::make_unique<Credentials>(config.given);
  return std::make_unique<Credentials>(config.environment);
}

}  // namespace

Storage::Storage(FullConfig config) : pid_(getpid()), client_(config.config, credentials_of(config)) {}

bool Storage::is_own_process() const noexcept { return getpid() == pid_; }

void Storage::check_process() const {
  if (!is_own_process()) fail(CKPT_E_FORKED, "the storage's connections belong to the parent process: create a new storage");
}

ckpt_storage_callbacks fill_callbacks() noexcept {
  ckpt_storage_callbacks callbacks = CKPT_STORAGE_CALLBACKS_INIT;
  callbacks.flags = CKPT_STORAGE_FLAG_OBJECTS;
  callbacks.create = create;
  callbacks.open = open;
  callbacks.close = close;
  callbacks.file_size = file_size;
  callbacks.read = read;
  callbacks.write = write;
  callbacks.sync = sync;
  callbacks.remove = remove;
  callbacks.size = size;
  callbacks.create_stream = create_stream;
  callbacks.put_if_absent = put;
  callbacks.read_ranges = read_pieces;
  callbacks.list_from = list;
  callbacks.remove_many = remove_all;
  return callbacks;
}

void destroy_storage(void* storage) noexcept { delete static_cast<Storage*>(storage); }

}  // namespace ckpt::s3
