#include "custom_storage.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/entered.h"
#include "base/os/thread.h"
#include "callback_status.h"
#include "custom_listing.h"
#include "storage/objects.h"

namespace ckpt::capi {
namespace {

using base::require;
using base::Status;

// The table of callbacks and its user data; shared by the storage, its files and its locks.
struct Table {
  std::string name;
  ckpt_storage_callbacks callbacks;
  std::shared_ptr<UserData> user;

  void* data() const noexcept { return user->get(); }

  // Runs one of the functions. Calls that reenter this storage from the function are refused, not nested.
  template <class Call>
  void run(const char* which, std::string_view path, Call&& call) const {
    base::Entered::refuse(this, "storage");
    std::int32_t code = CKPT_OK;
    {
      const base::Entered entered(this);
      code = user_call(call);
    }
    require_ok(code, [&] { return base::cat("storage ", base::quote(name), ' ', which, ' ', base::quote(path)); });
  }
};

class CustomFile final : public storage::File {
 public:
  // is_immutable: an open file does not change, as in an object store.
  CustomFile(std::shared_ptr<const Table> table, std::string path, void* file, bool is_immutable)
      : table_(std::move(table)), path_(std::move(path)), file_(file), is_immutable_(is_immutable) {}
  ~CustomFile() override {
    const base::Entered entered(table_.get());
    user_notice("storage close", [this] { table_->callbacks.close(file_, table_->data()); });
  }

  std::int64_t size() override {
    if (is_immutable_ && size_ >= 0) return size_;
    std::int64_t bytes = -1;
    table_->run("file_size", path_, [&] { return table_->callbacks.file_size(file_, &bytes, table_->data()); });
    if (bytes < 0) base::fail(Status::callback, "storage file_size of ", base::quote(path_), " set *bytes to ", bytes);
    size_ = bytes;
    return bytes;
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    const auto wanted = static_cast<std::int64_t>(bytes.size());
    std::int64_t count = -1;
    table_->run("read", path_, [&] { return table_->callbacks.read(file_, offset, bytes.data(), wanted, &count, table_->data()); });
    if (count < 0 || count > wanted) {
      base::fail(Status::callback, "storage read of ", base::quote(path_), " set *read to ", count, "; expected 0 .. ", wanted);
    }
    return count;
  }
  void read_ranges(std::span<const storage::Range> ranges) override {
    if (!has_ranges()) return File::read_ranges(ranges);
    std::vector<ckpt_storage_range> pieces;
    pieces.reserve(ranges.size());
    for (const storage::Range& range : ranges) pieces.push_back({range.offset, std::ssize(range.bytes), range.bytes.data()});
    table_->run("read_ranges", path_,
                [&] { return table_->callbacks.read_ranges(file_, pieces.data(), std::ssize(pieces), table_->data()); });
  }
  bool has_ranges() const noexcept override { return table_->callbacks.read_ranges != nullptr; }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const auto count = static_cast<std::int64_t>(bytes.size());
    table_->run("write", path_, [&] { return table_->callbacks.write(file_, offset, bytes.data(), count, table_->data()); });
  }
  void sync() override {
    table_->run("sync", path_, [&] { return table_->callbacks.sync(file_, table_->data()); });
  }

 private:
  std::shared_ptr<const Table> table_;
  std::string path_;
  void* file_;
  const bool is_immutable_;
  std::int64_t size_ = -1;  // unknown until the first call of size
};

class CustomLock final : public storage::Lock {
 public:
  CustomLock(std::shared_ptr<const Table> table, void* lock) : table_(std::move(table)), lock_(lock) {}
  // In a forked child the lock belongs to the parent: unlock would release the parent's lock.
  ~CustomLock() override {
    if (generation_ != base::fork_generation()) return;
    const base::Entered entered(table_.get());
    user_notice("storage unlock", [this] { table_->callbacks.unlock(lock_, table_->data()); });
  }

 private:
  std::shared_ptr<const Table> table_;
  void* lock_;
  std::uint64_t generation_ = base::fork_generation();
};

// The common part of both kinds; Base: storage::Storage or storage::ObjectStorage.
template <class Base>
class Custom : public Base {
 public:
  explicit Custom(std::shared_ptr<const Table> table) : table_(std::move(table)) {}

  std::unique_ptr<storage::File> create(const std::string& path) final { return open("create", calls().create, path, false); }
  std::unique_ptr<storage::File> create_stream(const std::string& path, const storage::StreamOptions& options) final {
    if (calls().create_stream == nullptr) return create(path);
    storage::require_path(path);
    void* file = nullptr;
    table_->run("create_stream", path,
                [&] { return calls().create_stream(path.c_str(), options.expected_bytes, &file, table_->data()); });
    return std::make_unique<CustomFile>(table_, path, file, false);
  }
  std::unique_ptr<storage::File> open(const std::string& path) final {
    return open("open", calls().open, path, this->is_objects());
  }
  void remove(const std::string& path) final { at("remove", calls().remove, path); }
  std::int64_t size(const std::string& path) final {
    storage::require_path(path);
    std::int64_t bytes = -1;
    table_->run("size", path, [&] { return calls().size(path.c_str(), &bytes, table_->data()); });
    if (bytes < 0) base::fail(Status::callback, "storage size of ", base::quote(path), " set *bytes to ", bytes);
    return bytes;
  }

  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) final {
    if constexpr (std::is_same_v<Base, storage::Storage>) {
      if (calls().put_if_absent == nullptr) return Base::put_if_absent(path, bytes);
    }
    storage::require_path(path);
    table_->run("put_if_absent", path,
                [&] { return calls().put_if_absent(path.c_str(), bytes.data(), std::ssize(bytes), table_->data()); });
  }
  std::vector<storage::Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) final {
    if constexpr (std::is_same_v<Base, storage::Storage>) {
      if (calls().list_from == nullptr) return Base::list_from(prefix, after, limit);
    }
    ObjectListing listing(prefix, after, limit);
    return listed("list_from", prefix, listing, [&] {
      return calls().list_from(prefix.c_str(), after.c_str(), limit, ObjectListing::add, &listing, table_->data());
    });
  }
  void remove_many(std::span<const std::string> paths) final {
    if (calls().remove_many == nullptr) return Base::remove_many(paths);
    if (paths.empty()) return;
    std::vector<const char*> texts;
    texts.reserve(paths.size());
    for (const std::string& path : paths) {
      storage::require_path(path);
      texts.push_back(path.c_str());
    }
    table_->run("remove_many", paths.front(), [&] { return calls().remove_many(texts.data(), std::ssize(texts), table_->data()); });
  }
  const std::string& name() const final { return table_->name; }

 protected:
  const ckpt_storage_callbacks& calls() const { return table_->callbacks; }
  void at(const char* which, ckpt_storage_path_fn call, const std::string& path) {
    storage::require_path(path);
    table_->run(which, path, [&] { return call(path.c_str(), table_->data()); });
  }
  // Runs a listing function, and returns its items. An error of an item takes precedence over the function's result.
  template <class Listing, class Call>
  auto listed(const char* which, std::string_view path, Listing& listing, Call&& call) const {
    table_->run(which, path, [&] {
      const std::int32_t code = call();
      return listing.problem().empty() ? code : CKPT_OK;
    });
    if (!listing.problem().empty())
      base::fail(Status::callback, "storage ", base::quote(name()), ' ', which, ' ', base::quote(path), ": ", listing.problem());
    return listing.take_items();
  }

  std::shared_ptr<const Table> table_;

 private:
  std::unique_ptr<storage::File> open(const char* which, ckpt_storage_open_fn call, const std::string& path, bool is_immutable) {
    storage::require_path(path);
    void* file = nullptr;
    table_->run(which, path, [&] { return call(path.c_str(), &file, table_->data()); });
    return std::make_unique<CustomFile>(table_, path, file, is_immutable);
  }
};

using CustomObjects = Custom<storage::ObjectStorage>;

class CustomFiles final : public Custom<storage::Storage> {
 public:
  using Custom::Custom;

  void rename(const std::string& from, const std::string& to) override {
    storage::require_path(from);
    storage::require_path(to);
    table_->run("rename", from, [&] { return calls().rename(from.c_str(), to.c_str(), table_->data()); });
  }
  void remove_directory(const std::string& path) override { at("remove_directory", calls().remove_directory, path); }
  void make_directory(const std::string& path) override { at("make_directory", calls().make_directory, path); }
  void sync_directory(const std::string& path) override { at("sync_directory", calls().sync_directory, path); }

  std::vector<storage::Entry> list(const std::string& path) override {
    storage::require_path(path);
    DirectoryListing listing;
    std::vector<storage::Entry> entries =
        listed("list", path, listing, [&] { return calls().list(path.c_str(), DirectoryListing::add, &listing, table_->data()); });
    std::ranges::sort(entries, {}, &storage::Entry::name);
    return entries;
  }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override {
    storage::require_path(path);
    void* lock = nullptr;
    table_->run("lock", path, [&] { return calls().lock(path.c_str(), &lock, table_->data()); });
    return std::make_unique<CustomLock>(table_, lock);
  }
};

void require_functions(const ckpt_storage_callbacks& callbacks, bool is_objects) {
  const auto require_set = [](auto function, const char* which) { require(function != nullptr, "callbacks.", which, " is NULL"); };
  require_set(callbacks.create, "create");
  require_set(callbacks.open, "open");
  require_set(callbacks.close, "close");
  require_set(callbacks.file_size, "file_size");
  require_set(callbacks.read, "read");
  require_set(callbacks.write, "write");
  require_set(callbacks.sync, "sync");
  require_set(callbacks.remove, "remove");
  require_set(callbacks.size, "size");
  if (is_objects) {
    require_set(callbacks.create_stream, "create_stream");
    require_set(callbacks.put_if_absent, "put_if_absent");
    return require_set(callbacks.list_from, "list_from");
  }
  require_set(callbacks.rename, "rename");
  require_set(callbacks.remove_directory, "remove_directory");
  require_set(callbacks.make_directory, "make_directory");
  require_set(callbacks.sync_directory, "sync_directory");
  require_set(callbacks.list, "list");
  require_set(callbacks.lock, "lock");
  require_set(callbacks.unlock, "unlock");
}

}  // namespace

std::shared_ptr<storage::Storage> make_custom_storage(std::string name, const ckpt_storage_callbacks& callbacks,
                                                      std::shared_ptr<UserData> user) {
  require((callbacks.flags & ~CKPT_STORAGE_FLAG_OBJECTS) == 0, "callbacks.flags is ", callbacks.flags,
          "; expected CKPT_STORAGE_FLAG_OBJECTS (1) or 0");
  const bool is_objects = (callbacks.flags & CKPT_STORAGE_FLAG_OBJECTS) != 0;
  require_functions(callbacks, is_objects);
  auto table = std::make_shared<const Table>(Table{std::move(name), callbacks, std::move(user)});
  if (is_objects) return std::make_shared<CustomObjects>(std::move(table));
  return std::make_shared<CustomFiles>(std::move(table));
}

}  // namespace ckpt::capi
