#include "tensor_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "output.h"
#include "text.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;
using ordered = nlohmann::ordered_json;

constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
constexpr const char* index_name = "model.safetensors.index.json";

struct ChosenEntry {
  std::int64_t index = 0;
  std::string name;
  TensorInfo info;
};

std::vector<ChosenEntry> chosen_entries(const Reader& reader, const ChosenTensors& tensors) {
  std::vector<ChosenEntry> entries;
  for (const auto& [index, name] : tensors) entries.push_back({index, name, reader.tensor(index)});
  return entries;
}

class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb"), &std::fclose) {
    if (file_ == nullptr) refuse();
  }
  void write(const void* bytes, std::size_t count) {
    if (count > 0 && std::fwrite(bytes, 1, count, file_.get()) != count) refuse();  // a tensor without elements has no bytes
  }
  void finish() {
    if (std::fflush(file_.get()) != 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const { throw std::runtime_error(path_ + ": " + reason_of(errno)); }

  const std::string path_;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// Returns the header. Tensors are ordered as by the library, larger element types first, so that all are aligned; the data begins
// at a multiple of 64.
std::string beginning(const FileMetadata& metadata, std::vector<ChosenEntry>& entries) {
  std::ranges::sort(entries, [](const ChosenEntry& a, const ChosenEntry& b) {
    const auto bits_a = dtype_bits(a.info.dtype);
    const auto bits_b = dtype_bits(b.info.dtype);
    return bits_a != bits_b ? bits_a > bits_b : a.name < b.name;
  });
  ordered header = ordered::object();
  for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
  std::int64_t offset = 0;
  for (const ChosenEntry& entry : entries) {
    header[entry.name] = {{"dtype", dtype_name(entry.info.dtype)},
                          {"shape", entry.info.shape},
                          {"data_offsets", {offset, offset + entry.info.bytes}}};
    offset += entry.info.bytes;
  }
  std::string text = header.dump();
  constexpr std::size_t alignment = 64;
  constexpr std::size_t length_bytes = 8;
  text.append((alignment - (length_bytes + text.size()) % alignment) % alignment, ' ');
  std::string length;
  for (std::size_t i = 0; i < length_bytes; ++i) length += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return length + text;
}

// Returns the number of rows per piece; 0 if the tensor must be read as a whole.
std::int64_t rows_of_piece(const TensorInfo& info) {
  if (info.bytes <= piece_bytes || info.shape.empty() || info.bytes % info.shape[0] != 0) return 0;
  return std::max<std::int64_t>(1, piece_bytes / (info.bytes / info.shape[0]));
}

void copy(Output& output, Reader& reader, const ChosenEntry& entry, const Wrote& wrote) {
  const auto put = [&](const Tensor& tensor) {
    output.write(tensor.data(), static_cast<std::size_t>(tensor.bytes()));
    wrote(tensor.bytes());
  };
  const std::int64_t rows = rows_of_piece(entry.info);
  if (rows == 0) return put(reader.read(entry.index));
  for (std::int64_t row = 0; row < entry.info.shape[0]; row += rows)
    put(reader.read_slice(entry.index, row, std::min(rows, entry.info.shape[0] - row)));
}

void write_entries(const std::string& path, Reader& reader, std::vector<ChosenEntry> entries, const FileMetadata& metadata,
                   const Wrote& wrote) {
  write_whole(path, [&](const std::string& file) {
    Output output(file);
    const std::string begin = beginning(metadata, entries);
    output.write(begin.data(), begin.size());
    for (const ChosenEntry& entry : entries) copy(output, reader, entry, wrote);
    output.finish();
  });
}

std::string numbered(std::size_t number, std::size_t count) {
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", number, count);
  return name;
}

}  // namespace

void write_file(const std::string& path, Reader& reader, const ChosenTensors& tensors, const FileMetadata& metadata,
                const Wrote& wrote) {
  write_entries(path, reader, chosen_entries(reader, tensors), metadata, wrote);
}

std::int64_t write_folder(const std::string& folder, Reader& reader, const ChosenTensors& tensors, const FileMetadata& metadata,
                          std::int64_t max_bytes, const Wrote& wrote) {
  const fs::path place(folder);
  if (fs::exists(place) && (!fs::is_directory(place) || !fs::is_empty(place)))
    throw std::runtime_error(folder + (fs::is_directory(place) ? ": expected an empty folder" : ": expected a folder"));
  std::vector<std::vector<ChosenEntry>> files;
  std::int64_t in_last = 0;
  std::int64_t all_bytes = 0;
  for (ChosenEntry& entry : chosen_entries(reader, tensors)) {
    if (files.empty() || (in_last > 0 && entry.info.bytes > max_bytes - in_last)) {
      files.emplace_back();
      in_last = 0;
    }
    in_last += entry.info.bytes;
    all_bytes += entry.info.bytes;
    files.back().push_back(std::move(entry));
  }
  fs::create_directories(place);
  ordered index = {{"metadata", {{"total_size", all_bytes}}}, {"weight_map", ordered::object()}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = numbered(i + 1, files.size());
    write_entries((place / name).string(), reader, files[i], metadata, wrote);
    for (const ChosenEntry& entry : files[i]) index["weight_map"][entry.name] = name;
  }
  write_text((place / index_name).string(), index.dump(2) + '\n');
  return std::ssize(files);
}

}  // namespace ckpt::cli
