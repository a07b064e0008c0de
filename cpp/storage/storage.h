// The storage interface: all file access of the upper layers goes through Storage, so tests can insert one that records, fails or
// delays.
//
// Paths are relative to the storage's root, with '/' between components; "" is the root itself. Paths cannot leave the root: ".",
// "..", empty components and absolute paths are refused, and links are never followed.
//
// Errors: not_found, already_exists, no_space, permission, io; busy (lock); invalid_argument for an invalid path and for a file
// of the wrong type (a directory or a link where a file is expected, and so on).
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

// A file's bytes in memory, without a copy, for the lifetime of this object. If a program truncates the file meanwhile, reading
// the lost part raises SIGBUS in the whole process: no call here can turn that into an error.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual std::span<const std::byte> bytes() const noexcept = 0;
};

// A piece of a file, and the destination of its bytes.
struct Range {
  std::int64_t offset = 0;
  std::span<std::byte> bytes;
};

// An open file; closed by its destructor. Not thread-safe.
class File {
 public:
  virtual ~File() = default;
  virtual std::int64_t size() = 0;
  // Fills bytes from offset on; returns the number read, fewer than requested only at the end of the file.
  virtual std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) = 0;
  // Fills all ranges, or throws; Error(invalid_argument) if the file ends before a range does.
  virtual void read_ranges(std::span<const Range> ranges);
  // True if requesting ranges together is faster than one after the other.
  virtual bool has_ranges() const noexcept { return false; }
  // Hint: the next reads are in [begin, end), in ascending order.
  virtual void expect(std::int64_t begin, std::int64_t end) {
    static_cast<void>(begin);
    static_cast<void>(end);
  }
  // Writes all bytes at offset, or throws. Only for files from Storage::create.
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  // The same for bytes that do not change until sync has returned or the file is closed: they need not be copied.
  virtual void write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) { write(offset, bytes); }
  // Returns when the contents are durable. After an error treat everything written as lost and write it again under another name:
  // a second sync may report success for pages that the system has already dropped.
  virtual void sync() = 0;
  // True if the system caches reads: a second read comes from memory. Several threads may then read concurrently, and map()
  // works.
  virtual bool is_cached() const noexcept { return false; }
  // Maps the first size bytes for reading; nullptr if this storage has no mappings.
  virtual std::shared_ptr<Mapping> map(std::int64_t size) {
    static_cast<void>(size);
    return nullptr;
  }
};

// Temporary space for bytes that do not outlive the process; inaccessible to other objects, and reclaimed however the process
// ends. One thread may write while another one reads elsewhere. Only written bytes may be read.
class Scratch {
 public:
  virtual ~Scratch() = default;
  // Writes all bytes at offset, or throws. Error(cancelled) soon after stop becomes true.
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>& stop) = 0;
  // Fills all bytes from offset on, under the same conditions.
  virtual void read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) = 0;
};

// Alignment of offsets in a scratch; bypassing the page cache requires it.
constexpr std::int64_t scratch_alignment = 4096;

// A lock, held for the lifetime of the object.
class Lock {
 public:
  virtual ~Lock() = default;
  // Fails with Error(busy) if another program has removed or replaced the locked file: the next process that locks the path then
  // has a lock too. Does nothing if the storage cannot detect that.
  virtual void require_held() const {}
  // Returns false if the storage does not exclude a second writer: the caller must then detect one by the files that it writes.
  virtual bool is_exclusive() const noexcept { return true; }
};

struct Entry {
  std::string name;
  bool is_directory = false;
  bool is_link = false;  // a symbolic link; false if unknown
};

// A file with its full path.
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

// The most entries that one call of list_from may return: the page size of object stores.
constexpr std::int64_t list_limit = 1000;

// Options of a file that is written once, from its first byte to its last.
struct StreamOptions {
  std::int64_t expected_bytes = 0;  // approximate total; 0 if unknown
  // Fails with Error(cancelled) at the next chunk once it is true; nullptr: never stopped.
  std::shared_ptr<const std::atomic<bool>> stop;
  // Permission bits (0777) of the new file, where files have them; nothing: determined by the process's umask.
  std::optional<std::uint32_t> mode = {};
};

// Thread-safe.
class Storage {
 public:
  virtual ~Storage() = default;

  // Creates an empty file; Error(already_exists) if the name exists.
  virtual std::unique_ptr<File> create(const std::string& path) = 0;
  // Like create, for a file that is written sequentially without gaps and synced once: the storage may use a faster path. Others
  // see its bytes only after sync. A write that threw may be repeated with the same bytes.
  virtual std::unique_ptr<File> create_stream(const std::string& path, const StreamOptions&) { return create(path); }
  // Creates a scratch of this size; Error(unsupported) if the storage has none.
  virtual std::unique_ptr<Scratch> create_scratch(std::int64_t bytes);
  // Opens an existing regular file for reading.
  virtual std::unique_ptr<File> open(const std::string& path) = 0;
  // Renames atomically and replaces an existing file; a directory needs a new name. Durable after sync_directory of both parents.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Creates a hard link: no bytes are copied, and removing one name keeps the other. Returns false if this storage or file does
  // not support it. Durable after sync_directory of to's parent.
  virtual bool link(const std::string& from, const std::string& to) {
    static_cast<void>(from);
    static_cast<void>(to);
    return false;
  }
  virtual void remove(const std::string& path) = 0;
  // The directory must be empty.
  virtual void remove_directory(const std::string& path) = 0;
  // Creates one level; Error(already_exists) if the name exists.
  virtual void make_directory(const std::string& path) = 0;
  // Returns when names created, renamed and removed in the directory are durable.
  virtual void sync_directory(const std::string& path) = 0;
  // Returns the entries sorted by name, without "." and "..".
  virtual std::vector<Entry> list(const std::string& path) = 0;
  // Returns the size of a regular file in bytes.
  virtual std::int64_t size(const std::string& path) = 0;
  // Returns nothing if the storage has no stamps, or if the file may have changed so recently that another change could leave its
  // stamp unchanged.
  virtual std::optional<Stamp> stamp(const std::string& path) noexcept {
    static_cast<void>(path);
    return std::nullopt;
  }

  // True for an object store: see objects.h.
  virtual bool is_objects() const noexcept { return false; }
  // Creates a complete and durable file of these bytes if none of that name exists; Error(already_exists) otherwise. Among several
  // concurrent callers, in any process, one succeeds. Error(unsupported) if the storage cannot guarantee that.
  virtual void put_if_absent(const std::string& path, std::span<const std::byte> bytes);
  // Returns files with this path prefix that sort after `after`, ascending by bytes, at most limit (>= 1). Directories removed
  // meanwhile are skipped.
  virtual std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit);
  // Missing files are ignored. All are tried; the first error is thrown.
  virtual void remove_many(std::span<const std::string> paths);

  // Returns the bytes available to new files of this process; nothing if unknown. A hint: other programs write too.
  virtual std::optional<std::int64_t> free_bytes() noexcept { return std::nullopt; }
  // Creates the file if necessary and locks it exclusively. Never waits: fails with Error(busy) that names the holder.
  virtual std::unique_ptr<Lock> lock(const std::string& path) = 0;
  // The location of the root, for messages.
  virtual const std::string& name() const = 0;
  // Returns equal strings for objects known to reach the same files, and different ones for all other objects of this process.
  virtual std::string identity() const;

 private:
  static std::uint64_t next_number() noexcept;
  std::uint64_t number_ = next_number();
};

// Fails with Error(invalid_argument) unless path is allowed as described above.
void require_path(std::string_view path);
// Returns directory/name; name alone if directory is "".
std::string join(std::string_view directory, std::string_view name);
// Returns the part before the last '/', "" without one.
std::string_view parent(std::string_view path);

}  // namespace ckpt::storage
