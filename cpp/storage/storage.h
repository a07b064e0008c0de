// The only door to files. Everything above speaks to Storage, so a recording, failing or slow one can stand in between.
//
// Paths are relative to the storage's root, with '/' between components; "" is the root itself. No path leaves the root: ".", "..",
// empty components and absolute paths are refused, and links are never followed.
//
// Errors: not_found, already_exists, no_space, permission, io; busy (lock); invalid_argument for a path that is not allowed or not
// of the kind that was asked for (a directory or a link where a file is expected, and so on).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt::storage {

// A file's bytes in memory, without a copy, as long as this lives. Whoever shortens the file meanwhile makes reading what is gone a
// fault of the whole process (SIGBUS): no call here can turn that into an error.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual std::span<const std::byte> bytes() const noexcept = 0;
};

// A piece of a file, and where its bytes go.
struct Range {
  std::int64_t offset = 0;
  std::span<std::byte> bytes;
};

// An open file; closed by its destructor. One thread at a time.
class File {
 public:
  virtual ~File() = default;
  virtual std::int64_t size() = 0;
  // Fills bytes from offset on; returns how many there were: fewer than asked only at the end of the file.
  virtual std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) = 0;
  // Fills all ranges, or throws; Error(invalid_argument) when the file ends before one does.
  virtual void read_ranges(std::span<const Range> ranges);
  // True where ranges that are asked for together come sooner than one after the other.
  virtual bool has_ranges() const noexcept { return false; }
  // What will be read next is in [begin, end), in this order. A hint.
  virtual void expect(std::int64_t begin, std::int64_t end) {
    static_cast<void>(begin);
    static_cast<void>(end);
  }
  // Writes all bytes at offset, or throws. Only for files from Storage::create.
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  // The same for bytes that stay as they are until sync has returned or the file is closed: no copy of them is needed.
  virtual void write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) { write(offset, bytes); }
  // Returns when the contents are durable. After an error what was written must be taken for lost: write it anew under another
  // name, since a second sync may report success for pages that the system has already thrown away.
  virtual void sync() = 0;
  // True where the system keeps what was read: a second read comes from memory. Several threads may then read at once, and map()
  // works.
  virtual bool is_cached() const noexcept { return false; }
  // The first size bytes, for reading; nullptr where this storage has no mappings.
  virtual std::shared_ptr<Mapping> map(std::int64_t size) {
    static_cast<void>(size);
    return nullptr;
  }
};

// Room for bytes that need not outlive the process, which no other object reaches and of which nothing is left however the process
// ends. One thread may write while another one reads, elsewhere. What is read was written before.
class Scratch {
 public:
  virtual ~Scratch() = default;
  // Writes all bytes at offset, or throws. Error(cancelled) soon after stop becomes true.
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>& stop) = 0;
  // The same for reading: fills all bytes from offset on.
  virtual void read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) = 0;
};

// Where whatever is written to a scratch and read from it should begin: the way past the page cache needs that.
constexpr std::int64_t scratch_alignment = 4096;

// Held as long as it lives.
class Lock {
 public:
  virtual ~Lock() = default;
  // Error(busy) when another program has removed or replaced the file that is locked: the next one that locks the path has a lock,
  // too. Does nothing where the storage cannot find that out.
  virtual void require_held() const {}
  // Returns false if the storage does not exclude a second writer: the caller must then detect one by the files that it writes.
  virtual bool is_exclusive() const noexcept { return true; }
};

struct Entry {
  std::string name;
  bool is_directory = false;
  bool is_link = false;  // a symbolic link; false where that is not known
};

// A file by its whole path.
struct Object {
  std::string path;
  std::int64_t bytes = 0;
};

// Identifies the state of a file: differs after each change.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// What one call of list_from may hold at most: what stores give at once.
constexpr std::int64_t list_limit = 1000;

// A file that is written once, from its first byte to its last.
struct StreamOptions {
  std::int64_t expected_bytes = 0;  // about how many will come; 0 when that is not known
  // Error(cancelled) from the next chunk on once it is true; nullptr when no caller will stop it.
  std::shared_ptr<const std::atomic<bool>> stop;
  // Permission bits (0777) of the new file, where files have such; nothing: the process's umask decides.
  std::optional<std::uint32_t> mode = {};
};

// Synchronised.
class Storage {
 public:
  virtual ~Storage() = default;

  // A new, empty file; Error(already_exists) when the name is taken.
  virtual std::unique_ptr<File> create(const std::string& path) = 0;
  // Like create, for a file that is written without gaps from front to back, then synced once: a storage may take a faster way for
  // it. Its bytes are there for others after sync only. A write that threw may be repeated with the same bytes.
  virtual std::unique_ptr<File> create_stream(const std::string& path, const StreamOptions&) { return create(path); }
  // A scratch of so many bytes; Error(unsupported) where this storage has none.
  virtual std::unique_ptr<Scratch> create_scratch(std::int64_t bytes);
  // An existing regular file, for reading.
  virtual std::unique_ptr<File> open(const std::string& path) = 0;
  // Atomically, replacing a file of that name; a directory must go to a new name. Durable after sync_directory of both parents.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Makes a second, new name of a regular file: no bytes are copied, and removing one name leaves the other. False when this
  // storage or this file has no second names. Durable after sync_directory of to's parent.
  virtual bool link(const std::string& from, const std::string& to) {
    static_cast<void>(from);
    static_cast<void>(to);
    return false;
  }
  virtual void remove(const std::string& path) = 0;
  // The directory must be empty.
  virtual void remove_directory(const std::string& path) = 0;
  // One level; Error(already_exists) when the name is taken.
  virtual void make_directory(const std::string& path) = 0;
  // Returns when names made, renamed and removed in the directory are durable.
  virtual void sync_directory(const std::string& path) = 0;
  // Sorted by name, without "." and "..".
  virtual std::vector<Entry> list(const std::string& path) = 0;
  // Bytes of a regular file.
  virtual std::int64_t size(const std::string& path) = 0;
  // Returns nothing if the storage has no stamps. Also returns nothing if the file may have changed so recently that another change
  // could leave its stamp unchanged.
  virtual std::optional<Stamp> stamp(const std::string& path) noexcept {
    static_cast<void>(path);
    return std::nullopt;
  }

  // True for an object store: see objects.h.
  virtual bool is_objects() const noexcept { return false; }
  // Makes a file of these bytes, whole and durable, if there is none of that name: Error(already_exists) else. Of several callers
  // at once, in any process, one succeeds. Error(unsupported) where that cannot be done.
  virtual void put_if_absent(const std::string& path, std::span<const std::byte> bytes);
  // Files whose paths begin with prefix and come behind after, ascending by their bytes, limit (>= 1) of them at most. Directories
  // that go meanwhile are left out.
  virtual std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit);
  // Those that are not there are no error. All are tried; the first error is thrown.
  virtual void remove_many(std::span<const std::string> paths);

  // Bytes that new files may take by now, for this process; nothing where that is not known. A hint: others write, too.
  virtual std::optional<std::int64_t> free_bytes() noexcept { return std::nullopt; }
  // Makes the file if need be and holds an exclusive lock on it, or throws Error(busy) that names the holder at once.
  virtual std::unique_ptr<Lock> lock(const std::string& path) = 0;
  // For messages: where the root is.
  virtual const std::string& name() const = 0;
  // The same text for objects that are known to reach the same files; of no other two objects of this process.
  virtual std::string identity() const;

 private:
  static std::uint64_t next_number() noexcept;
  std::uint64_t number_ = next_number();
};

// Error(invalid_argument) unless path may be used as described above.
void require_path(std::string_view path);
// directory/name; name alone when directory is "".
std::string join(std::string_view directory, std::string_view name);
// What comes before the last '/', "" when there is none.
std::string_view parent(std::string_view path);

}  // namespace ckpt::storage
