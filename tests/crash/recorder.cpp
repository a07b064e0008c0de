#include "recorder.h"

#include <array>
#include <cstdio>

#include "base/error.h"
#include "state/name.h"

namespace ckpt::tests {
namespace {

class RecordingFile final : public storage::File {
 public:
  RecordingFile(std::unique_ptr<storage::File> file, std::string path, std::shared_ptr<Recorder> recorder)
      : file_(std::move(file)), path_(std::move(path)), recorder_(std::move(recorder)) {}

  std::int64_t size() override {
    recorder_->require_alive(false);
    return file_->size();
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    recorder_->require_alive(false);
    return file_->read(offset, bytes);
  }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    recorder_->require_alive(true);
    file_->write(offset, bytes);
    recorder_->add({Kind::write, path_, "", offset, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
  }
  void sync() override {
    recorder_->require_alive(true);
    file_->sync();
    recorder_->add({Kind::sync, path_});
  }

 private:
  std::unique_ptr<storage::File> file_;
  std::string path_;
  std::shared_ptr<Recorder> recorder_;
};

}  // namespace

std::string to_text(const Operation& operation) {
  static const std::map<Kind, const char*> names = {{Kind::create, "create"},
                                                    {Kind::write, "write"},
                                                    {Kind::sync, "sync"},
                                                    {Kind::rename, "rename"},
                                                    {Kind::link, "link"},
                                                    {Kind::remove, "remove"},
                                                    {Kind::make_directory, "make_directory"},
                                                    {Kind::remove_directory, "remove_directory"},
                                                    {Kind::sync_directory, "sync_directory"},
                                                    {Kind::acknowledge, "acknowledge"},
                                                    {Kind::pin, "pin"},
                                                    {Kind::watch, "watch"}};
  return base::cat(names.at(operation.kind), ' ', operation.path.empty() ? "." : operation.path, operation.to.empty() ? "" : " ",
                   operation.to);
}

std::string Recorder::canonical(std::string path) const {
  for (const auto& [raw, name] : names_) {
    if (const std::size_t at = path.find(raw); at != std::string::npos) path.replace(at, raw.size(), name);
  }
  return path;
}

void Recorder::add(Operation operation) {
  if (operation.kind == Kind::make_directory && state::step_of_attempt(operation.path)) {
    std::array<char, 9> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", ++attempts_);
    names_[operation.path] = operation.path.substr(0, operation.path.size() - 8) + digits.data();
  }
  operation.path = canonical(operation.path);
  operation.to = canonical(operation.to);
  log.push_back(std::move(operation));
}

void Recorder::require_alive(bool changes) {
  if (left_ == 0) base::fail(base::Status::io, "the process is dead");
  if (changes && left_ != std::numeric_limits<std::int64_t>::max()) --left_;
}

std::unique_ptr<storage::File> RecordingStorage::create(const std::string& path) {
  recorder_->require_alive(true);
  auto file = inner_->create(path);
  recorder_->add({Kind::create, path});
  return std::make_unique<RecordingFile>(std::move(file), path, recorder_);
}

std::unique_ptr<storage::File> RecordingStorage::open(const std::string& path) {
  recorder_->require_alive(false);
  return std::make_unique<RecordingFile>(inner_->open(path), path, recorder_);
}

void RecordingStorage::rename(const std::string& from, const std::string& to) {
  recorder_->require_alive(true);
  inner_->rename(from, to);
  recorder_->add({Kind::rename, from, to});
}

bool RecordingStorage::link(const std::string& from, const std::string& to) {
  recorder_->require_alive(true);
  if (!inner_->link(from, to)) return false;
  recorder_->add({Kind::link, from, to});
  return true;
}

void RecordingStorage::remove(const std::string& path) {
  recorder_->require_alive(true);
  inner_->remove(path);
  recorder_->add({Kind::remove, path});
}

void RecordingStorage::remove_directory(const std::string& path) {
  recorder_->require_alive(true);
  inner_->remove_directory(path);
  recorder_->add({Kind::remove_directory, path});
}

void RecordingStorage::make_directory(const std::string& path) {
  recorder_->require_alive(true);
  inner_->make_directory(path);
  recorder_->add({Kind::make_directory, path});
}

void RecordingStorage::sync_directory(const std::string& path) {
  recorder_->require_alive(true);
  inner_->sync_directory(path);
  recorder_->add({Kind::sync_directory, path});
}

std::vector<storage::Entry> RecordingStorage::list(const std::string& path) {
  recorder_->require_alive(false);
  return inner_->list(path);
}

std::int64_t RecordingStorage::size(const std::string& path) {
  recorder_->require_alive(false);
  return inner_->size(path);
}

std::unique_ptr<storage::Lock> RecordingStorage::lock(const std::string& path) {
  recorder_->require_alive(false);
  return inner_->lock(path);
}

}  // namespace ckpt::tests
