#include "npz.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>

#include "archive.h"
#include "npy.h"
#include "text.h"

namespace ckpt::cli {
namespace {

constexpr std::string_view suffix = ".npy";

[[noreturn]] void refuse_npz(const std::string& path, const std::string& why) { throw std::runtime_error(path + ": " + why); }

Tensor read_array(zip_t* archive, zip_uint64_t index, std::uint64_t bytes) {
  EntryReader entry(archive, index);
  std::string header(std::min<std::uint64_t>(bytes, npy_prefix_bytes), '\0');
  entry.read(header.data(), header.size());
  const std::size_t read = header.size();
  header.resize(std::max(read, npy_header_bytes(header, bytes)));
  entry.read(header.data() + read, header.size() - read);
  const NpyHeader parsed = parse_npy(header, bytes);
  Tensor tensor(parsed.dtype, parsed.shape);
  const auto size = static_cast<std::size_t>(tensor.bytes());
  if (is_row_major(parsed)) {
    entry.read(static_cast<char*>(tensor.data()), size);
    entry.finish();
    to_native_order(parsed, tensor);
    return tensor;
  }
  std::string data(size, '\0');
  entry.read(data.data(), size);
  entry.finish();
  copy_elements(parsed, data, tensor);
  return tensor;
}

// An array that libzip reads from the reader while it writes the archive.
class Source {
 public:
  Source(Reader& reader, std::int64_t index, const Wrote& wrote, std::exception_ptr& problem)
      : reader_(reader),
        index_(index),
        info_(reader.tensor(index)),
        wrote_(wrote),
        problem_(problem),
        head_(npy_header(info_.dtype, info_.shape)) {
    zip_error_init(&error_);
  }
  ~Source() { zip_error_fini(&error_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto* const source = static_cast<Source*>(self);
    if (command == ZIP_SOURCE_FREE) {
      delete source;
      return 0;
    }
    try {
      return source->run(data, length, command);
    } catch (...) {
      source->problem_ = std::current_exception();
      zip_error_set(&source->error_, ZIP_ER_READ, 0);
      return -1;
    }
  }

 private:
  zip_int64_t run(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_OPEN:
        tensor_ = reader_.read(index_);
        at_ = 0;
        return 0;
      case ZIP_SOURCE_READ: return read(static_cast<char*>(data), length);
      case ZIP_SOURCE_CLOSE: tensor_.reset(); return 0;
      case ZIP_SOURCE_STAT: {
        auto* const stat = static_cast<zip_stat_t*>(data);
        zip_stat_init(stat);
        stat->valid = ZIP_STAT_SIZE | ZIP_STAT_MTIME;
        stat->size = head_.size() + static_cast<zip_uint64_t>(info_.bytes);
        stat->mtime = first_day_of_zip;
        return sizeof *stat;
      }
      case ZIP_SOURCE_ERROR: return zip_error_to_data(&error_, data, length);
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                              ZIP_SOURCE_FREE, -1);
      default: zip_error_set(&error_, ZIP_ER_OPNOTSUPP, 0); return -1;
    }
  }

  zip_int64_t read(char* to, zip_uint64_t length) {
    std::size_t done = 0;
    const auto take = [&](const char* from, std::size_t size, std::size_t before) {
      if (at_ < before || at_ >= before + size || done == length) return;
      const std::size_t count = std::min<std::size_t>(before + size - at_, length - done);
      std::memcpy(to + done, from + (at_ - before), count);
      done += count;
      at_ += count;
    };
    take(head_.data(), head_.size(), 0);
    take(static_cast<const char*>(tensor_->data()), static_cast<std::size_t>(info_.bytes), head_.size());
    wrote_(static_cast<std::int64_t>(done));
    return static_cast<zip_int64_t>(done);
  }

  static constexpr time_t first_day_of_zip = 315619200;  // 1980-01-02: a fixed time makes archives reproducible

  Reader& reader_;
  std::int64_t index_;
  TensorInfo info_;
  const Wrote& wrote_;
  std::exception_ptr& problem_;
  std::string head_;
  std::optional<Tensor> tensor_;
  std::size_t at_ = 0;
  zip_error_t error_{};
};

void add_array(zip_t* archive, std::unique_ptr<Source> source, const std::string& name) {
  zip_source_t* const created = zip_source_function(archive, Source::call, source.get());
  if (created == nullptr) throw std::runtime_error(zip_strerror(archive));
  static_cast<void>(source.release());  // deleted by ZIP_SOURCE_FREE
  const zip_int64_t index = zip_file_add(archive, (name + std::string(suffix)).c_str(), created, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    const std::string why = zip_strerror(archive);
    zip_source_free(created);
    throw std::runtime_error(why);
  }
  if (zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0)
    throw std::runtime_error(zip_strerror(archive));
}

}  // namespace

std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path) {
  const Archive archive = open_archive(path, ZIP_RDONLY);
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const ArchiveEntry& entry : entries_of(archive.get(), path, "array")) {
    std::string name = entry.name;
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    try {
      arrays.emplace_back(name, read_array(archive.get(), entry.index, entry.bytes));
    } catch (const std::exception& error) {
      refuse_npz(path, "array " + printable(name) + ": " + error.what());
    }
  }
  return arrays;
}

void write_npz(const std::string& path, Reader& reader, const ChosenTensors& tensors, const Wrote& wrote) {
  std::exception_ptr problem;
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [index, name] : tensors) {
    try {
      add_array(archive.get(), std::make_unique<Source>(reader, index, wrote, problem), name);
    } catch (const std::exception& error) {
      refuse_npz(path, "array " + printable(name) + ": " + error.what());
    }
  }
  if (zip_close(archive.get()) != 0) {
    if (problem) std::rethrow_exception(problem);
    refuse_npz(path, zip_strerror(archive.get()));
  }
  static_cast<void>(archive.release());
}

}  // namespace ckpt::cli
