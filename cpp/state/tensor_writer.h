// A group's tensors written as one safetensors file with checksums: for saves that wait and saves in the background alike.
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

// The layout refers to the tensors.
FileLayout layout_of(const StateGroup& group, const Metadata& metadata = {});

// Makes the digests of a file and of its tensors' chunks. This one does so at once, on the thread that adds.
class FileHasher {
 public:
  struct Part {
    std::span<const std::byte> bytes;
    bool of_chunk = false;    // of a tensor's, not of the header
    bool ends_chunk = false;  // its last
    bool again = false;       // a tensor's bytes as its memory holds them after they were written; they are not the file's
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

  // The bytes stay as they are until wait_for(what added() gives next) or finish() has returned.
  virtual void add(const Part& part) { hash(part); }
  virtual std::uint64_t added() const noexcept { return 0; }
  virtual void wait_for(std::uint64_t) {}
  // Of all that was added; begins anew.
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

// One file being written.
class TensorFileWriter {
 public:
  // file: empty. stop and limit may be nullptr: Error(cancelled) when *stop is true before a write.
  TensorFileWriter(storage::File& file, const FileLayout& layout, FileHasher& hasher, const std::atomic<bool>* stop = nullptr,
                   storage::RateLimit* limit = nullptr);
  // Whatever happens, the hasher is done with the bytes before their memory is used again.
  ~TensorFileWriter() { hasher_.finish(); }
  TensorFileWriter(const TensorFileWriter&) = delete;
  TensorFileWriter& operator=(const TensorFileWriter&) = delete;

  // The next bytes of the file, the header's first, which stay as they are until the hasher is done with them.
  void append(std::span<const std::byte> bytes) { append_by(&storage::File::write, bytes); }
  // The same for bytes that stay as they are until the file was synced or closed.
  void append_borrowed(std::span<const std::byte> bytes) { append_by(&storage::File::write_borrowed, bytes); }
  // The next bytes of the tensors' memory, which were appended by way of a copy: finish compares the two.
  void compare(std::span<const std::byte> bytes);
  // What was written, under the name given. changed: the first tensor whose bytes were compared and were others; "" when none was.
  WrittenFile finish(const std::string& name, std::string* changed = nullptr);

 private:
  // A place in the file. Cuts what follows it where the header, chunks and tensors end.
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

// Writes tensors from their memory through small blocks of its own, so that what is hashed is what is written, even when a thread
// changes the tensors meanwhile.
class TensorCopier {
 public:
  // blocks: 1, or 2 to fill one while a hasher on another thread reads the other.
  TensorCopier(FileHasher& hasher, std::size_t blocks) : hasher_(hasher), blocks_(blocks) {}

  // compare: reads the memory again after it was written. written: bytes of tensors that were; may be empty.
  void write(TensorFileWriter& writer, const FileLayout& layout, bool compare = false,
             const std::function<void(std::int64_t bytes)>& written = {});

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t free_after = 0;  // what the hasher was given
  };
  class Pass;
  Block& next_block();

  FileHasher& hasher_;
  std::vector<Block> blocks_;
  std::size_t turn_ = 0;
};

// All of the above for tensors whose bytes are hashed at once: writes them to an empty file and records what was written. progress:
// told of the tensors' bytes; may be nullptr.
WrittenFile write_tensor_file(storage::File& file, const std::string& name, const StateGroup& group, const Metadata& metadata = {},
                              base::Progress* progress = nullptr);

// Bytes of a tensor of the layout from offset on: at least one and at most so many.
using ReadTensor = std::function<std::span<const std::byte>(std::size_t tensor, std::int64_t offset, std::int64_t most)>;

// True when the group was recorded with exactly these tensors and their bytes have the digests they have now.
bool holds_same_tensors(const GroupRecord& recorded, const FileLayout& layout, const ReadTensor& read);
bool holds_same_tensors(const GroupRecord& recorded, const StateGroup& group);

}  // namespace ckpt::state
