// Writes a group's tensors as one safetensors file with checksums, for foreground and background saves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "state/hash.h"
#include "state/manifest.h"
#include "state/safetensors.h"
#include "state/state.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

struct FileLayout {
  std::string header;
  std::vector<TensorEntry> entries;       // in the order of the data
  std::vector<const StateTensor*> items;  // the same
  std::int64_t bytes_of_chunk = chunk_bytes;
};

// Returns the layout, which refers to the tensors.
FileLayout layout_of(const StateGroup& group, const Metadata& metadata = {});

// Computes the digests of a file and of its tensors' chunks. This implementation does so synchronously, on the calling thread.
class FileHasher {
 public:
  struct Part {
    std::span<const std::byte> bytes;
    bool of_chunk = false;    // part of a tensor, not of the header
    bool ends_chunk = false;  // last part of a chunk
    bool again = false;       // a tensor's memory, read again after it was written; not bytes of the file
  };
  struct Digests {
    Digest file;
    std::vector<Digest> chunks;
    std::vector<Digest> again;
  };

  FileHasher() = default;
  virtual ~FileHasher() = default;
  FileHasher(const FileHasher&) = delete;
  FileHasher& operator=(const FileHasher&) = delete;

  // The bytes must not change until wait_for(result of added()) or finish() has returned.
  virtual void add(const Part& part) { hash(part); }
  virtual std::uint64_t added() const noexcept { return 0; }
  virtual void wait_for(std::uint64_t) {}
  // Returns the digests of all added parts, and resets the hasher.
  virtual Digests finish();

 protected:
  void hash(const Part& part);

 private:
  Hasher file_;
  Hasher chunk_;
  Hasher again_;
  std::vector<Digest> chunks_;
  std::vector<Digest> chunks_again_;
};

struct WrittenFile {
  FileRecord file;
  std::vector<TensorRecord> tensors;  // in the order of their data
};

// Writes one file.
class TensorFileWriter {
 public:
  // file: empty. stop and limit may be nullptr: Error(cancelled) if *stop is true before a write.
  TensorFileWriter(storage::File& file, const FileLayout& layout, FileHasher& hasher, const std::atomic<bool>* stop = nullptr,
                   storage::RateLimit* limit = nullptr);
  // In any case the hasher must be finished with the bytes before their memory is used again.
  ~TensorFileWriter() { hasher_.finish(); }
  TensorFileWriter(const TensorFileWriter&) = delete;
  TensorFileWriter& operator=(const TensorFileWriter&) = delete;

  // Appends bytes of the file, starting with the header; they must not change until the hasher is finished with them.
  void append(std::span<const std::byte> bytes) { append_by(&storage::File::write, bytes); }
  // The same for bytes that do not change until the file was synced or closed.
  void append_borrowed(std::span<const std::byte> bytes) { append_by(&storage::File::write_borrowed, bytes); }
  // Adds the next bytes of the tensors' memory, of which a copy was appended: finish compares the two.
  void compare(std::span<const std::byte> bytes);
  // Returns the record of the file under the given name. changed: the first tensor with compared bytes that differ; "" if none.
  WrittenFile finish(const std::string& name, std::string* changed = nullptr);

 private:
  // A position in the file. Cuts the following bytes at the ends of the header, chunks and tensors.
  struct Place {
    std::int64_t header_left = 0;
    std::size_t tensor = 0;
    std::int64_t offset = 0;  // in the tensor
  };
  using Write = void (storage::File::*)(std::int64_t offset, std::span<const std::byte> bytes);
  void append_by(Write write, std::span<const std::byte> bytes);
  void add_parts(Place& place, std::span<const std::byte> bytes, bool again);

  storage::File& file_;
  const FileLayout& layout_;
  FileHasher& hasher_;
  const std::atomic<bool>* stop_;
  storage::RateLimit* limit_;
  std::int64_t size_ = 0;
  Place appended_;
  Place compared_;
};

// Writes tensors through small private blocks, so that the hashed bytes are the written ones even if a thread changes the tensors
// during the save.
class TensorCopier {
 public:
  // blocks: 1, or 2 to fill one while a hasher on another thread reads the other.
  TensorCopier(FileHasher& hasher, std::size_t blocks) : hasher_(hasher), blocks_(blocks) {}

  // compare: reads the memory again after it was written. written: called with the number of tensor bytes written; may be empty.
  void write(TensorFileWriter& writer, const FileLayout& layout, bool compare = false,
             const std::function<void(std::int64_t bytes)>& written = {});

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t free_after = 0;  // position of the hasher after which the block is free
  };
  class Pass;
  Block& next_block();

  FileHasher& hasher_;
  std::vector<Block> blocks_;
  std::size_t next_block_ = 0;
};

// Writes tensors to an empty file with synchronous hashing and returns its record. progress: counts the tensors' bytes; may be
// nullptr.
WrittenFile write_tensor_file(storage::File& file, const std::string& name, const StateGroup& group, const Metadata& metadata = {},
                              base::Progress* progress = nullptr);

// Returns bytes of a tensor of the layout from offset on: at least one, at most `max`.
using ReadTensor = std::function<std::span<const std::byte>(std::size_t tensor, std::int64_t offset, std::int64_t max)>;

// Returns whether the group was recorded with exactly these tensors and the current digests of their bytes.
bool holds_same_tensors(const GroupRecord& recorded, const FileLayout& layout, const ReadTensor& read);
bool holds_same_tensors(const GroupRecord& recorded, const StateGroup& group);

}  // namespace ckpt::state
