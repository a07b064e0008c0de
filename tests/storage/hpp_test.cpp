// The C++ API of storages.
#include <ckpt/state.hpp>
#include <ckpt/storage.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

TEST(StorageHpp, RetryingAndLimitedStoragesSaveAndLoad) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "ckpt-storage-hpp-test";
  std::filesystem::remove_all(root);
  {
    ckpt::FileSystemOptions options;
    options.bytes_per_second = 1'000'000'000;
    const ckpt::FaultHandler handler;
    const ckpt::Storage storage = ckpt::Storage::file_system(root.string(), options).retrying(handler);
    ckpt::State state;
    state.set("lr", 0.25);
    ckpt::CheckpointManager checkpoints(storage);
    checkpoints.save(state, 0);
    state.set("lr", 1);
    EXPECT_TRUE(checkpoints.load_if_any(state));
    EXPECT_EQ(state.json("lr"), "0.25");
    EXPECT_EQ(handler.retry_count(), 0);
  }
  std::filesystem::remove_all(root);
}

// A custom handler decides: here about a root that is a file, which no retry fixes.
TEST(StorageHpp, AFunctionDecidesAboutRetries) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "ckpt-storage-hpp-decide-test";
  std::filesystem::remove_all(root);
  {
    ckpt::FaultHandlerOptions options;
    options.max_attempts = 3;
    std::vector<ckpt::Fault> faults;
    const ckpt::FaultHandler handler(options, [&](ckpt::Fault& fault) {
      faults.push_back(fault);
      fault.retry = fault.attempt == 1;
      fault.delay = {};
    });
    ckpt::CheckpointManagerOptions with_handler;
    with_handler.fault_handler = handler;
    ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system(root.string()), with_handler);
    std::filesystem::remove_all(root);  // while it is in use
    EXPECT_THROW(checkpoints.save(ckpt::State(), 0), ckpt::Error);
    ASSERT_GE(faults.size(), 2U);
    EXPECT_EQ(faults[0].attempt, 1);
    EXPECT_EQ(faults[1].attempt, 2);
    EXPECT_NE(faults[0].status, ckpt::Status::ok);
    EXPECT_FALSE(faults[0].retry);
    EXPECT_FALSE(faults[0].message.empty());
    EXPECT_GE(handler.retry_count(), 1);
  }
  std::filesystem::remove_all(root);
}

ckpt::Status status_of_uri(const std::string& uri, std::string* message = nullptr) {
  try {
    ckpt::Storage::from_uri(uri);
    return ckpt::Status::ok;
  } catch (const ckpt::Error& error) {
    if (message != nullptr) *message = error.what();
    return error.status();
  }
}

TEST(StorageHpp, UrisNameStorages) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "ckpt-storage-hpp-uri-test";
  std::filesystem::remove_all(root);
  ckpt::State state;
  state.set("lr", 0.25);
  ckpt::CheckpointManager(ckpt::Storage::from_uri("file://" + root.string() + "/a%20b")).save(state, 3);
  EXPECT_EQ(ckpt::CheckpointManager(ckpt::Storage::existing_file_system((root / "a b").string())).load(state).step, 3);
  EXPECT_EQ(ckpt::CheckpointManager(ckpt::Storage::from_uri((root / "a b").string())).load(state).step, 3);
  std::filesystem::remove_all(root);
  {
    const ckpt::Storage kept = ckpt::Storage::from_uri("memory:hpp");
    ckpt::CheckpointManager(ckpt::Storage::from_uri("memory:hpp")).save(state, 4);
    EXPECT_EQ(ckpt::CheckpointManager(kept).load(state).step, 4);
  }
  EXPECT_FALSE(ckpt::CheckpointManager(ckpt::Storage::from_uri("memory:hpp")).latest().has_value());
  std::string message;
  EXPECT_EQ(status_of_uri("s3://bucket/run", &message), ckpt::Status::unsupported);
  EXPECT_NE(message.find("libckpt-s3"), std::string::npos) << message;
  EXPECT_EQ(status_of_uri("memory:a/../b"), ckpt::Status::invalid_argument);
}

TEST(StorageHpp, SchemesAreKnownWhileTheirObjectLives) {
  std::vector<std::string> asked;
  {
    const ckpt::StorageScheme mine("mine", [&](std::string_view uri) {
      asked.emplace_back(uri);
      if (uri == "mine:none") throw ckpt::Error(ckpt::Status::not_found, "no such storage");
      if (uri == "mine:odd") throw std::string("odd");
      return ckpt::Storage::from_uri("memory:shelf");
    });
    ckpt::CheckpointManager shelf(ckpt::Storage::from_uri("mine://Shelf?x=1"));
    std::string message;
    EXPECT_EQ(status_of_uri("mine:none", &message), ckpt::Status::not_found);
    EXPECT_NE(message.find("no such storage"), std::string::npos) << message;
    EXPECT_EQ(status_of_uri("mine:odd"), ckpt::Status::callback);
    EXPECT_EQ(asked, (std::vector<std::string>{"mine://Shelf?x=1", "mine:none", "mine:odd"}));
    const auto again = [] { ckpt::StorageScheme("MINE", [](std::string_view) { return ckpt::Storage::memory(); }); };
    EXPECT_THROW(again(), ckpt::Error);
    EXPECT_EQ(status_of_uri("mine:x"), ckpt::Status::ok);  // the refused registration changed nothing
    EXPECT_THROW(ckpt::StorageScheme("other", nullptr), ckpt::Error);
    EXPECT_THROW(ckpt::CheckpointManager(ckpt::Storage::from_uri("memory:shelf")), ckpt::Error);  // shelf writes there
  }
  EXPECT_EQ(status_of_uri("mine:x"), ckpt::Status::unsupported);
}

TEST(StorageHpp, ErrorsAreExceptions) {
  EXPECT_THROW(ckpt::Storage::custom("nowhere", nullptr), ckpt::Error);
  ckpt::FaultHandlerOptions options;
  options.max_attempts = 0;
  EXPECT_THROW(ckpt::FaultHandler{options}, ckpt::Error);
}

// ---- A custom storage ----

struct Counts {
  int files = 0;  // open files
  int locks = 0;
  int storages = 0;
  bool full = false;
  bool odd = false;
};

// Files in a map. The objects in it count their instances in Counts, which outlives it.
class MapStorage : public ckpt::CustomStorage {
  using Bytes = std::vector<std::byte>;

 public:
  explicit MapStorage(Counts& counts) : counts_(counts) { ++counts_.storages; }
  ~MapStorage() override { --counts_.storages; }

  std::unique_ptr<ckpt::CustomFile> create(const std::string& path) override {
    if (counts_.odd) throw std::runtime_error("odd: " + path);
    if (files_.count(path) != 0) throw ckpt::Error(ckpt::Status::already_exists, path + " exists");
    files_[path] = std::make_shared<Bytes>();
    return std::make_unique<File>(files_[path], counts_);
  }
  std::unique_ptr<ckpt::CustomFile> open(const std::string& path) override {
    return std::make_unique<File>(files_.at(require(path)), counts_);
  }
  void rename(const std::string& from, const std::string& to) override {
    std::map<std::string, std::shared_ptr<Bytes>> files;
    std::set<std::string> directories;
    for (auto& [path, bytes] : files_) files[moved(path, from, to)] = bytes;
    for (const auto& path : directories_) directories.insert(moved(path, from, to));
    files_ = std::move(files);
    directories_ = std::move(directories);
  }
  void remove(const std::string& path) override { files_.erase(require(path)); }
  void remove_directory(const std::string& path) override {
    if (!list(path).empty()) throw ckpt::Error(ckpt::Status::already_exists, path + " is not empty");
    directories_.erase(path);
  }
  void make_directory(const std::string& path) override {
    if (!directories_.insert(path).second) throw ckpt::Error(ckpt::Status::already_exists, path + " exists");
  }
  void sync_directory(const std::string&) override {}
  std::vector<Entry> list(const std::string& path) override {
    if (!path.empty() && directories_.count(path) == 0) throw ckpt::Error(ckpt::Status::not_found, "no directory " + path);
    std::vector<Entry> entries;
    const std::string before = path.empty() ? "" : path + "/";
    const auto take = [&](const std::string& each, bool is_directory) {
      if (each.compare(0, before.size(), before) == 0 && each.find('/', before.size()) == std::string::npos) {
        entries.push_back({each.substr(before.size()), is_directory});
      }
    };
    for (const auto& [each, bytes] : files_) take(each, false);
    for (const auto& each : directories_) take(each, true);
    return entries;
  }
  std::int64_t size(const std::string& path) override { return static_cast<std::int64_t>(files_.at(require(path))->size()); }
  std::unique_ptr<ckpt::CustomLock> lock(const std::string&) override {
    if (counts_.locks > 0) throw ckpt::Error(ckpt::Status::busy, "it is locked");
    return std::make_unique<Lock>(counts_);
  }

 private:
  class File : public ckpt::CustomFile {
   public:
    File(std::shared_ptr<Bytes> bytes, Counts& counts) : bytes_(std::move(bytes)), counts_(counts) { ++counts_.files; }
    ~File() override { --counts_.files; }
    std::int64_t size() override { return static_cast<std::int64_t>(bytes_->size()); }
    std::int64_t read(std::int64_t offset, ckpt::Span<std::byte> buffer) override {
      const auto begin = std::min(static_cast<std::size_t>(offset), bytes_->size());
      const std::size_t count = std::min(buffer.size(), bytes_->size() - begin);
      if (count > 0) std::memcpy(buffer.data(), bytes_->data() + begin, count);
      return static_cast<std::int64_t>(count);
    }
    void write(std::int64_t offset, ckpt::Span<const std::byte> bytes) override {
      if (counts_.full) throw ckpt::Error(ckpt::Status::no_space, "the map is full");
      const std::size_t end = static_cast<std::size_t>(offset) + bytes.size();
      if (end > bytes_->size()) bytes_->resize(end);
      std::memcpy(bytes_->data() + offset, bytes.data(), bytes.size());
    }
    void sync() override {}

   private:
    std::shared_ptr<Bytes> bytes_;
    Counts& counts_;
  };
  class Lock : public ckpt::CustomLock {
   public:
    explicit Lock(Counts& counts) : counts_(counts) { ++counts_.locks; }
    ~Lock() override { --counts_.locks; }

   private:
    Counts& counts_;
  };

  const std::string& require(const std::string& path) const {
    if (files_.count(path) == 0) throw ckpt::Error(ckpt::Status::not_found, "no file " + path);
    return path;
  }
  static std::string moved(const std::string& path, const std::string& from, const std::string& to) {
    if (path == from) return to;
    return path.compare(0, from.size() + 1, from + "/") == 0 ? to + path.substr(from.size()) : path;
  }

  Counts& counts_;
  std::map<std::string, std::shared_ptr<Bytes>> files_;
  std::set<std::string> directories_;
};

ckpt::Status status_of_save(ckpt::CheckpointManager& checkpoints, const ckpt::State& state, std::string& message) {
  try {
    checkpoints.save(state, 9);
    return ckpt::Status::ok;
  } catch (const ckpt::Error& error) {
    message = error.what();
    return error.status();
  }
}

TEST(StorageHpp, AClassCanBeAStorage) {
  Counts counts;
  {
    const ckpt::Storage storage = ckpt::Storage::custom("a map", std::make_unique<MapStorage>(counts));
    ckpt::Tensor weight(ckpt::DType::f32, {1000});
    weight.fill(2.5);
    ckpt::State state;
    state.add("weight", weight);
    ckpt::CheckpointManager checkpoints(storage);
    EXPECT_EQ(counts.locks, 1);
    EXPECT_FALSE(checkpoints.latest().has_value());
    checkpoints.save(state, 3);
    weight.fill(0);
    EXPECT_EQ(checkpoints.load(state).step, 3);
    EXPECT_EQ(weight.data_as<float>()[999], 2.5F);
    EXPECT_EQ(checkpoints.verify().tensors, 1);
    try {
      ckpt::CheckpointManager second(storage);
      ADD_FAILURE() << "two writers";
    } catch (const ckpt::Error& error) {
      EXPECT_EQ(error.status(), ckpt::Status::busy);  // the class's own status
    }
    std::string message;
    counts.full = true;
    EXPECT_EQ(status_of_save(checkpoints, state, message), ckpt::Status::no_space);
    EXPECT_NE(message.find("the map is full"), std::string::npos) << message;
    counts.full = false;
    counts.odd = true;
    EXPECT_EQ(status_of_save(checkpoints, state, message), ckpt::Status::callback);
    EXPECT_NE(message.find("odd: "), std::string::npos) << message;
    counts.odd = false;
    EXPECT_EQ(status_of_save(checkpoints, state, message), ckpt::Status::ok);
    EXPECT_EQ(checkpoints.list().size(), 2U);
    checkpoints.remove(checkpoints.latest().value().name);
    EXPECT_EQ(checkpoints.latest().value().step, 3);
  }
  EXPECT_EQ(counts.files, 0);
  EXPECT_EQ(counts.locks, 0);
  EXPECT_EQ(counts.storages, 0);
}

// A custom object store with defaults for the optional functions.
class MapObjects : public ckpt::CustomObjects {
  using Bytes = std::vector<std::byte>;
  using Files = std::map<std::string, Bytes>;

 public:
  explicit MapObjects(std::shared_ptr<Files> files) : files_(std::move(files)) {}

  std::unique_ptr<ckpt::CustomFile> create(const std::string& path) override { return create_stream(path, 0); }
  std::unique_ptr<ckpt::CustomFile> create_stream(const std::string& path, std::int64_t) override {
    return std::make_unique<File>(files_, path, Bytes());
  }
  std::unique_ptr<ckpt::CustomFile> open(const std::string& path) override {
    return std::make_unique<File>(files_, path, found(path));
  }
  void remove(const std::string& path) override {
    found(path);
    files_->erase(path);
  }
  std::int64_t size(const std::string& path) override { return static_cast<std::int64_t>(found(path).size()); }
  void put_if_absent(const std::string& path, ckpt::Span<const std::byte> bytes) override {
    if (files_->count(path) != 0) throw ckpt::Error(ckpt::Status::already_exists, path + " exists");
    (*files_)[path] = Bytes(bytes.begin(), bytes.end());
  }
  std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override {
    std::vector<Object> objects;
    for (const auto& file : *files_) {
      if (file.first.compare(0, prefix.size(), prefix) != 0 || file.first <= after) continue;
      if (static_cast<std::int64_t>(objects.size()) == limit) break;
      objects.push_back({file.first, static_cast<std::int64_t>(file.second.size())});
    }
    return objects;
  }

 private:
  struct File : ckpt::CustomFile {
    File(std::shared_ptr<Files> files, std::string path, Bytes bytes)
        : files_(std::move(files)), path_(std::move(path)), bytes_(std::move(bytes)) {}
    std::int64_t size() override { return static_cast<std::int64_t>(bytes_.size()); }
    std::int64_t read(std::int64_t offset, ckpt::Span<std::byte> buffer) override {
      if (offset >= size()) return 0;
      const std::int64_t count = std::min(size() - offset, static_cast<std::int64_t>(buffer.size()));
      std::memcpy(buffer.data(), bytes_.data() + offset, static_cast<std::size_t>(count));
      return count;
    }
    void write(std::int64_t, ckpt::Span<const std::byte> bytes) override {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void sync() override { (*files_)[path_] = bytes_; }

    std::shared_ptr<Files> files_;
    std::string path_;
    Bytes bytes_;
  };

  const Bytes& found(const std::string& path) const {
    const auto file = files_->find(path);
    if (file == files_->end()) throw ckpt::Error(ckpt::Status::not_found, "no " + path);
    return file->second;
  }

  std::shared_ptr<Files> files_;
};

TEST(StorageHpp, ACustomObjectStore) {
  const auto files = std::make_shared<std::map<std::string, std::vector<std::byte>>>();
  const ckpt::Storage storage = ckpt::Storage::custom("map", std::make_unique<MapObjects>(files));
  ckpt::CheckpointManagerOptions options;
  options.keep_last = 1;
  ckpt::CheckpointManager first(storage, options);
  ckpt::CheckpointManager second(storage, options);
  ckpt::State state;
  ckpt::Tensor weight(ckpt::DType::f32, {3});
  weight.fill(2);
  state.add("model", "weight", weight);
  first.save(state, 1);
  first.save(state, 2);
  EXPECT_EQ(files->size(), 3U);  // file, manifest and record of the second save
  try {
    second.save(state, 3);
    ADD_FAILURE() << "two writers";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::busy);
  }
  weight.fill(0);
  EXPECT_EQ(second.load(state).step, 2);
  EXPECT_EQ(weight.data_as<float>()[1], 2);
}

}  // namespace
