// The writer of tensor files: how it splits the bytes, and its record of the written data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "state/tensor_file.h"
#include "state/tensor_writer.h"
#include "storage/memory.h"

namespace {

using namespace ckpt::state;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;

StateTensor tensor_of(const char* name, Dtype dtype, std::int64_t elements) {
  StateTensor item{name, Tensor::create(dtype, {elements})};
  const auto bytes = item.tensor->byte_span();
  const std::size_t step = bytes.size() / 100'000 + 1;  // every size would take too long for the large one
  std::ranges::fill(bytes, std::byte{3});
  for (std::size_t i = 0; i < bytes.size(); i += step) bytes[i] = static_cast<std::byte>(i * 7 + i / 509);
  return item;
}

// One tensor with two chunks, and small and empty ones around it.
std::vector<StateTensor> tensors() {
  return {tensor_of("first", Dtype::f64, 3), tensor_of("empty", Dtype::u8, 0), tensor_of("large", Dtype::u8, chunk_bytes + 1001),
          tensor_of("last", Dtype::u8, 5), tensor_of("void", Dtype::u8, 0)};
}

// Returns the complete file as written by write_tensor_file.
std::vector<std::byte> bytes_of(const FileLayout& layout) {
  std::vector<std::byte> all(layout.header.size());
  std::memcpy(all.data(), layout.header.data(), all.size());
  for (const StateTensor* const item : layout.items)
    all.insert(all.end(), item->tensor->byte_span().begin(), item->tensor->byte_span().end());
  return all;
}

void expect_same(const WrittenFile& a, const WrittenFile& b) {
  EXPECT_EQ(a.file.bytes, b.file.bytes);
  EXPECT_EQ(a.file.digest, b.file.digest);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    EXPECT_EQ(a.tensors[i].chunks, b.tensors[i].chunks) << a.tensors[i].name;
  }
}

std::vector<const TensorRecord*> records_of(const WrittenFile& written) {
  std::vector<const TensorRecord*> records;
  for (const TensorRecord& record : written.tensors) records.push_back(&record);
  return records;
}

// However the bytes are split into calls, the file and its record are the same and consistent.
TEST(StateTensorWriter, BytesMaySplitAnywhere) {
  const auto storage = ckpt::storage::make_memory_storage();
  const auto items = tensors();
  const WrittenFile whole = write_tensor_file(*storage->create("whole"), "f", {"g", items});
  EXPECT_EQ(whole.tensors[1].name, "empty");
  EXPECT_EQ(whole.tensors[1].chunks.size(), 0U);
  EXPECT_EQ(whole.tensors[2].chunks.size(), 2U);
  verify_tensor_file(*storage->open("whole"), whole.file, records_of(whole));
  const StateGroup group{"g", items};  // the layout points into it
  const FileLayout layout = layout_of(group);
  const std::vector<std::byte> all = bytes_of(layout);
  EXPECT_EQ(whole.file.bytes, static_cast<std::int64_t>(all.size()));
  for (const std::size_t size : {std::size_t{400'009}, static_cast<std::size_t>(chunk_bytes) - 3, all.size()}) {
    const auto file = storage->create("cut" + std::to_string(size));
    FileHasher hasher;
    TensorFileWriter writer(*file, layout, hasher);
    for (std::size_t at = 0; at < all.size(); at += size)
      writer.append(std::span(all).subspan(at, std::min(size, all.size() - at)));
    expect_same(writer.finish("f"), whole);
    verify_tensor_file(*file, whole.file, records_of(whole));
  }
}

// Calls a function at each write, as another thread might.
class MeddledFile final : public ckpt::storage::File {
 public:
  MeddledFile(std::unique_ptr<ckpt::storage::File> file, std::function<void()> meddle)
      : file_(std::move(file)), meddle_(std::move(meddle)) {}
  std::int64_t size() override { return file_->size(); }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override { return file_->read(offset, bytes); }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    meddle_();
    file_->write(offset, bytes);
  }
  void sync() override { file_->sync(); }

 private:
  std::unique_ptr<ckpt::storage::File> file_;
  std::function<void()> meddle_;
};

// A change between the copy and the second read is detected, the first changed tensor is named, and the file is complete.
TEST(StateTensorWriter, ComparesWrittenBytesWithMemory) {
  const auto storage = ckpt::storage::make_memory_storage();
  std::vector<StateTensor> items{tensor_of("a", Dtype::u8, 3 << 20), tensor_of("b", Dtype::u8, 3), tensor_of("c", Dtype::u8, 9)};
  const StateGroup group{"g", items};
  const FileLayout layout = layout_of(group);
  FileHasher hasher;
  TensorCopier copier(hasher, 2);
  for (const char* name : {"", "a", "b", "c"}) {
    MeddledFile file(storage->create(std::string("f") + name), [&] {
      for (const StateTensor& item : items) {
        if (item.name == name) item.tensor->byte_span()[1] ^= std::byte{1};
      }
    });
    TensorFileWriter writer(file, layout, hasher);
    std::int64_t done = 0;
    copier.write(writer, layout, true, [&](std::int64_t bytes) { done += bytes; });
    std::string changed;
    const WrittenFile written = writer.finish("f", &changed);
    EXPECT_EQ(changed, name);
    EXPECT_EQ(done, (3 << 20) + 12);
    verify_tensor_file(file, written.file, records_of(written));
  }
}

TEST(StateTensorWriter, AnUnchangedGroupIsRecognised) {
  const auto storage = ckpt::storage::make_memory_storage();
  const auto items = tensors();
  WrittenFile written = write_tensor_file(*storage->create("f"), "f", {"g", items});
  const GroupRecord record{"g", {written.file}, written.tensors};
  EXPECT_TRUE(holds_same_tensors(record, {"g", items}));
  for (const std::size_t at : {std::size_t{0}, static_cast<std::size_t>(chunk_bytes) + 1000}) {
    items[2].tensor->byte_span()[at] ^= std::byte{1};
    EXPECT_FALSE(holds_same_tensors(record, {"g", items})) << at;
    items[2].tensor->byte_span()[at] ^= std::byte{1};
  }
  EXPECT_FALSE(holds_same_tensors(record, {"g", {items.begin(), items.begin() + 4}}));
  auto renamed = items;
  renamed[3].name = "later";
  EXPECT_FALSE(holds_same_tensors(record, {"g", renamed}));
}

}  // namespace
