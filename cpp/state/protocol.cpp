#include "state/protocol.h"

#include <random>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "state/caught.h"
#include "state/manifest_text.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

using base::Status;

constexpr int max_files = 3;  // attempts per call of place

// A file that place writes. The destructor removes it if it was not kept and has a temporary name.
class Written {
 public:
  Written(storage::Storage& storage, std::string path, bool is_temporary, const storage::StreamOptions& options)
      : storage_(storage), path_(std::move(path)), is_temporary_(is_temporary), file_(storage.create_stream(path_, options)) {}
  ~Written() {
    file_.reset();
    if (!is_temporary_) return;
    log_error_of([&] { storage_.remove(path_); });
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  storage::File& file() { return *file_; }
  // Returns false if sync failed with an error that writing a new file can avoid.
  bool sync(bool is_last) {
    try {
      file_->sync();
      return true;
    } catch (const base::Error& error) {
      if (error.status() != Status::io || is_last) throw;
      base::warn("state", base::cat(error.message(), "; writing the file again"));
      return false;
    }
  }
  void keep_as(const std::string& path) {
    file_.reset();
    if (is_temporary_) storage_.rename(path_, path);
    is_temporary_ = false;
  }

 private:
  storage::Storage& storage_;
  const std::string path_;
  bool is_temporary_;
  std::unique_ptr<storage::File> file_;
};

}  // namespace

std::int64_t Protocol::place(const std::string& path, const storage::StreamOptions& options, const Write& write,
                             const std::function<void()>& before_naming) {
  for (int number = 1;; ++number) {
    std::string name = written_name(path, number);
    const bool is_temporary = name != path;
    Written written(*storage_, std::move(name), is_temporary, options);
    write(written.file());
    if (!written.sync(number == max_files)) continue;
    if (before_naming) before_naming();
    written.keep_as(path);
    return number - 1;
  }
}

std::int64_t Protocol::place_text(const std::string& path, const std::string& text, const std::function<void()>& before_naming) {
  const auto write = [&](storage::File& file) { file.write(0, std::as_bytes(std::span(text))); };
  return place(path, {std::ssize(text), nullptr}, write, before_naming);
}

std::string Protocol::make_attempt(const std::string& prefix, std::int64_t step, const LineMark& mark) {
  std::random_device random;
  for (int tries = 1;; ++tries) {
    std::string name = attempt_name(prefix, step, random(), mark);
    try {
      storage_->make_directory(name);
      return name;
    } catch (const base::Error& error) {
      if (error.status() != Status::already_exists || tries == 100) throw;
    }
  }
}

std::string text_to_commit(const Manifest& manifest) {
  std::string text = to_text(manifest);
  if (std::ssize(text) > largest_manifest_bytes) {
    base::fail(Status::out_of_range, "the manifest has ", text.size(), " bytes; expected at most ", largest_manifest_bytes);
  }
  return text;
}

}  // namespace ckpt::state
