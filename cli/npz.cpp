#include "npz.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "npy.h"
#include "text.h"

namespace ckpt::cli {
namespace {

constexpr std::string_view suffix = ".npy";

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw std::runtime_error(path + ": " + why); }

struct CloseFile {
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};
struct Discard {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Archive open_archive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  refuse(path, why);
}

// One entry from its begin to its end.
class Entry {
 public:
  Entry(zip_t* archive, zip_uint64_t index) : file_(zip_fopen_index(archive, index, 0)) {
    if (file_ == nullptr) throw std::runtime_error(zip_strerror(archive));
  }

  void read(char* to, std::size_t bytes) {
    if (read_at_most(to, bytes) != bytes) throw std::runtime_error("the entry is shorter than the archive says");
  }

  // The checksum is compared where nothing comes any more.
  void finish() {
    char more = 0;
    if (read_at_most(&more, 1) != 0) throw std::runtime_error("the entry is longer than the archive says");
  }

 private:
  std::size_t read_at_most(char* to, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
      const zip_int64_t count = zip_fread(file_.get(), to + done, bytes - done);
      if (count < 0) throw std::runtime_error(zip_file_strerror(file_.get()));
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  std::unique_ptr<zip_file_t, CloseFile> file_;
};

// What an archive says of its entries, compared with what it can hold, before memory is taken for them.
class Sizes {
 public:
  explicit Sizes(std::uint64_t archive_bytes) : left_(archive_bytes) {}

  void check(const zip_stat_t& stat) {
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & needed) != needed) throw std::runtime_error("the archive does not say how long it is");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      throw std::runtime_error("it is compressed by method " + std::to_string(stat.comp_method) +
                               "; stored and deflated ones can be read");
    }
    if (stat.comp_size > left_) throw std::runtime_error("the archive is too short for what it says of its entries");
    left_ -= stat.comp_size;
    // deflate makes at most 258 bytes of two bits: zlib's documentation says 1032 to 1.
    const bool possible = stat.comp_method == ZIP_CM_STORE ? stat.size == stat.comp_size : stat.size / 1032 <= stat.comp_size;
    if (!possible) {
      throw std::runtime_error("it cannot have " + std::to_string(stat.size) + " bytes, of " + std::to_string(stat.comp_size) +
                               " in the archive");
    }
  }

 private:
  std::uint64_t left_;
};

Tensor read_array(zip_t* archive, zip_uint64_t index, std::uint64_t bytes) {
  Entry entry(archive, index);
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

// An array that is read from the reader when the archive is written.
class Source {
 public:
  Source(Reader& reader, std::int64_t index, std::exception_ptr& problem)
      : reader_(reader),
        index_(index),
        info_(reader.tensor(index)),
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
    return static_cast<zip_int64_t>(done);
  }

  static constexpr time_t first_day_of_zip = 315619200;  // 1980-01-02: the same files make the same archive

  Reader& reader_;
  std::int64_t index_;
  TensorInfo info_;
  std::exception_ptr& problem_;
  std::string head_;
  std::optional<Tensor> tensor_;
  std::size_t at_ = 0;
  zip_error_t error_{};
};

void add_array(zip_t* archive, std::unique_ptr<Source> source, const std::string& name) {
  zip_source_t* const made = zip_source_function(archive, Source::call, source.get());
  if (made == nullptr) throw std::runtime_error(zip_strerror(archive));
  static_cast<void>(source.release());  // is deleted by ZIP_SOURCE_FREE
  const zip_int64_t index = zip_file_add(archive, (name + std::string(suffix)).c_str(), made, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    const std::string why = zip_strerror(archive);
    zip_source_free(made);
    throw std::runtime_error(why);
  }
  if (zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0)
    throw std::runtime_error(zip_strerror(archive));
}

}  // namespace

std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path) {
  const Archive archive = open_archive(path, ZIP_RDONLY);
  std::vector<std::pair<std::string, Tensor>> arrays;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  Sizes sizes(std::filesystem::file_size(path));
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive.get(), i, 0, &stat) != 0) refuse(path, zip_strerror(archive.get()));
    std::string name = stat.name;
    try {
      sizes.check(stat);
      if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
      arrays.emplace_back(name, read_array(archive.get(), i, stat.size));
    } catch (const std::exception& error) {
      refuse(path, "array " + printable(name) + ": " + error.what());
    }
  }
  return arrays;
}

void write_npz(const std::string& path, Reader& reader, const std::vector<std::pair<std::int64_t, std::string>>& names) {
  std::exception_ptr problem;
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [index, name] : names) {
    try {
      add_array(archive.get(), std::make_unique<Source>(reader, index, problem), name);
    } catch (const std::exception& error) {
      refuse(path, "array " + printable(name) + ": " + error.what());
    }
  }
  if (zip_close(archive.get()) != 0) {
    if (problem) std::rethrow_exception(problem);
    refuse(path, zip_strerror(archive.get()));
  }
  static_cast<void>(archive.release());
}

}  // namespace ckpt::cli
