#include "custom_storage.h"

#include <algorithm>
#include <utility>

#include "base/entered.h"
#include "base/os/thread.h"

namespace ckpt::capi {
namespace {

using base::require;
using base::Status;

// The table with what it works on; shared by the storage, its files and its locks.
struct Table {
  std::string name;
  ckpt_storage_callbacks callbacks;
  std::shared_ptr<UserData> user;

  void* data() const noexcept { return user->get(); }

  // Runs one of the functions. It works for this storage while it runs: a call that comes back in is refused, not nested.
  template <class Call>
  void run(const char* which, std::string_view path, Call&& call) const {
    base::Entered::refuse(this, "storage");
    std::int32_t code = CKPT_OK;
    {
      const base::Entered entered(this);
      code = call();
    }
    check(which, path, code);
  }

 private:
  // A status of the library stays what it is, so that what calls a storage can distinguish "not there" from "broken".
  void check(const char* which, std::string_view path, std::int32_t code) const {
    if (code == CKPT_OK) return;
    const std::string who = base::cat("storage ", base::quoted(name), ' ', which, ' ', base::quoted(path));
    const auto status = static_cast<Status>(code);
    if (code > 0 || code < CKPT_E_INTERNAL) base::fail_callback(who, code);
    const std::string reason = base::take_callback_error();
    base::fail(status, who, ": ", reason.empty() ? std::string(base::status_name(status)) : reason);
  }
};

class CustomFile final : public storage::File {
 public:
  CustomFile(std::shared_ptr<const Table> table, std::string path, void* file)
      : table_(std::move(table)), path_(std::move(path)), file_(file) {}
  ~CustomFile() override {
    const base::Entered entered(table_.get());
    table_->callbacks.close(file_, table_->data());
  }

  std::int64_t size() override {
    std::int64_t bytes = -1;
    table_->run("file_size", path_, [&] { return table_->callbacks.file_size(file_, &bytes, table_->data()); });
    if (bytes < 0) base::fail(Status::callback, "storage file_size of ", base::quoted(path_), " set *bytes to ", bytes);
    return bytes;
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    const auto wanted = static_cast<std::int64_t>(bytes.size());
    std::int64_t count = -1;
    table_->run("read", path_, [&] { return table_->callbacks.read(file_, offset, bytes.data(), wanted, &count, table_->data()); });
    if (count < 0 || count > wanted) {
      base::fail(Status::callback, "storage read of ", base::quoted(path_), " set *read to ", count, "; 0 .. ", wanted);
    }
    return count;
  }
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
};

class CustomLock final : public storage::Lock {
 public:
  CustomLock(std::shared_ptr<const Table> table, void* lock) : table_(std::move(table)), lock_(lock) {}
  // In a forked child the lock stays the parent's: whatever unlock does would be done to that.
  ~CustomLock() override {
    if (generation_ != base::fork_generation()) return;
    const base::Entered entered(table_.get());
    table_->callbacks.unlock(lock_, table_->data());
  }

 private:
  std::shared_ptr<const Table> table_;
  void* lock_;
  std::uint64_t generation_ = base::fork_generation();
};

// What ckpt_storage_list_fn fills. Nothing may be thrown through the user's function.
struct Listing {
  std::vector<storage::Entry> entries;

  static std::int32_t add(void* listing, const char* name, std::int32_t is_directory) noexcept {
    return guard([&] {
      not_null(name, "name");
      const std::string_view text = name;
      require(!text.empty() && text != "." && text != ".." && text.find('/') == std::string_view::npos, "name is ",
              base::quoted(text), ": not one path component");
      static_cast<Listing*>(not_null(listing, "listing"))->entries.push_back({std::string(text), is_directory != 0});
    });
  }
};

class CustomStorage final : public storage::Storage {
 public:
  explicit CustomStorage(std::shared_ptr<const Table> table) : table_(std::move(table)) {}

  std::unique_ptr<storage::File> create(const std::string& path) override { return open("create", calls().create, path); }
  std::unique_ptr<storage::File> open(const std::string& path) override { return open("open", calls().open, path); }

  void rename(const std::string& from, const std::string& to) override {
    storage::require_path(from);
    storage::require_path(to);
    table_->run("rename", from, [&] { return calls().rename(from.c_str(), to.c_str(), table_->data()); });
  }
  void remove(const std::string& path) override { at("remove", calls().remove, path); }
  void remove_directory(const std::string& path) override { at("remove_directory", calls().remove_directory, path); }
  void make_directory(const std::string& path) override { at("make_directory", calls().make_directory, path); }
  void sync_directory(const std::string& path) override { at("sync_directory", calls().sync_directory, path); }

  std::vector<storage::Entry> list(const std::string& path) override {
    storage::require_path(path);
    Listing listing;
    table_->run("list", path, [&] { return calls().list(path.c_str(), Listing::add, &listing, table_->data()); });
    std::ranges::sort(listing.entries, {}, &storage::Entry::name);
    return std::move(listing.entries);
  }
  std::int64_t size(const std::string& path) override {
    storage::require_path(path);
    std::int64_t bytes = -1;
    table_->run("size", path, [&] { return calls().size(path.c_str(), &bytes, table_->data()); });
    if (bytes < 0) base::fail(Status::callback, "storage size of ", base::quoted(path), " set *bytes to ", bytes);
    return bytes;
  }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override {
    storage::require_path(path);
    void* lock = nullptr;
    table_->run("lock", path, [&] { return calls().lock(path.c_str(), &lock, table_->data()); });
    return std::make_unique<CustomLock>(table_, lock);
  }
  const std::string& name() const override { return table_->name; }

 private:
  const ckpt_storage_callbacks& calls() const noexcept { return table_->callbacks; }

  std::unique_ptr<storage::File> open(const char* which, ckpt_storage_open_fn call, const std::string& path) {
    storage::require_path(path);
    void* file = nullptr;
    table_->run(which, path, [&] { return call(path.c_str(), &file, table_->data()); });
    return std::make_unique<CustomFile>(table_, path, file);
  }
  void at(const char* which, ckpt_storage_path_fn call, const std::string& path) {
    storage::require_path(path);
    table_->run(which, path, [&] { return call(path.c_str(), table_->data()); });
  }

  std::shared_ptr<const Table> table_;
};

}  // namespace

std::shared_ptr<storage::Storage> make_custom_storage(std::string name, const ckpt_storage_callbacks& callbacks,
                                                      std::shared_ptr<UserData> user) {
  const auto there = [](auto function, const char* which) { require(function != nullptr, "callbacks.", which, " is NULL"); };
  there(callbacks.create, "create");
  there(callbacks.open, "open");
  there(callbacks.close, "close");
  there(callbacks.file_size, "file_size");
  there(callbacks.read, "read");
  there(callbacks.write, "write");
  there(callbacks.sync, "sync");
  there(callbacks.rename, "rename");
  there(callbacks.remove, "remove");
  there(callbacks.remove_directory, "remove_directory");
  there(callbacks.make_directory, "make_directory");
  there(callbacks.sync_directory, "sync_directory");
  there(callbacks.list, "list");
  there(callbacks.size, "size");
  there(callbacks.lock, "lock");
  there(callbacks.unlock, "unlock");
  return std::make_shared<CustomStorage>(std::make_shared<const Table>(Table{std::move(name), callbacks, std::move(user)}));
}

}  // namespace ckpt::capi
