// Generated from include/ckpt by tools/api: do not edit.
// storage.hpp - the values of storage.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_STORAGE_HPP
#define CKPT_VALUES_STORAGE_HPP

#include <ckpt/storage.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// How large files are written. Each mode falls back to the next one if the system or the file does not support it.
enum class WritePath : std::int32_t {
  // large files bypass the page cache (O_DIRECT), with eight chunks of 4 MiB in flight by io_uring; falls back to
  // WritePath::direct if the system or the file does not support it
  ring = CKPT_WRITE_PATH_RING,
  // large files bypass the page cache (O_DIRECT), one chunk after the other; falls back to WritePath::buffered if the system
  // or the file does not support it
  direct = CKPT_WRITE_PATH_DIRECT,
  // large files are written through the page cache
  buffered = CKPT_WRITE_PATH_BUFFERED,
};

// Options for creating a storage in the file system.
struct FileSystemOptions {
  // what happens if the directory is missing: false creates it and its parents durably; true: Status::not_found
  bool must_exist = false;
  // how large files are written: WritePath::ring (the default), WritePath::direct or WritePath::buffered
  WritePath write_path = WritePath::ring;
  // smallest size of a large file in bytes, >= 0; 0 (the default): 8 MiB
  std::int64_t large_from_bytes = 0;
  // limit of all writes through this storage together, in bytes per second, >= 0; 0: none. After a pause, 4 MiB may be written
  // at once. Reads of executors from the files of their tiers have a separate limit of the same value
  std::int64_t bytes_per_second = 0;
  // false: a save that needs more bytes than the file system has free fails with Status::no_space before it creates a file;
  // true: the save is tried anyway. For file systems that compress, where a file may occupy less space than its size
  bool may_compress = false;
  // kind of lock that excludes a second writer; all writers of a directory must use the same kind. Empty: "flock", a lock of
  // flock(2) on the file ".lock"; if the file system has no such locks, opening a writer fails with Status::unsupported.
  // "fcntl": a record lock (fcntl(2)) on ".lock", which belongs to the open file where the system has F_OFD_SETLK; elsewhere
  // to the process, which loses it when it closes any descriptor of ".lock". "file": a file ".lock-..." that records the host,
  // process and start time of the writer, and is removed when the writer is released. If the recorded process ran on this host
  // and has ended, its file is taken over; any other file means Status::busy. "none": no lock, and a warning; a save fails
  // with Status::busy before it commits if a second writer has committed. Status::invalid_argument for other names
  std::string lock_kind = {};
};
namespace detail {
inline ckpt_file_system_options to_c(const FileSystemOptions& from) {
  ckpt_file_system_options to = CKPT_FILE_SYSTEM_OPTIONS_INIT;
  put(from.must_exist, to.must_exist);
  put(from.write_path, to.write_path);
  put(from.large_from_bytes, to.large_from_bytes);
  put(from.bytes_per_second, to.bytes_per_second);
  put(from.may_compress, to.may_compress);
  put(from.lock_kind, to.lock_kind);
  return to;
}
}  // namespace detail

// A range of a file, and the buffer for its bytes.
struct StorageRange {
  // offset of the range in the file, in bytes, >= 0
  std::int64_t offset = 0;
  // size of the range in bytes, >= 0
  std::int64_t bytes = 0;
};
namespace detail {
inline StorageRange from_c(const ckpt_storage_range& from) {
  StorageRange to;
  take(to.offset, from.offset);
  take(to.bytes, from.bytes);
  return to;
}
}  // namespace detail

// Options for creating a fault handler: number of attempts and pauses between them.
struct FaultHandlerOptions {
  // maximum number of attempts of one operation, the first one included, >= 1; default 5
  std::int32_t max_attempts = 5;
  // pause before the second attempt, >= 0; default 10 ms
  std::chrono::nanoseconds first_delay = std::chrono::nanoseconds(10000000);
  // maximum pause, >= 0; default 10 s
  std::chrono::nanoseconds max_delay = std::chrono::nanoseconds(10000000000);
  // ratio of each pause to the previous one, >= 1; default 2
  double factor = 2.0;
  // maximum random change of a pause, as a fraction of it, 0 .. 1; default 0.5
  double jitter = 0.5;
  // seed of the random numbers for the jitter: Philox4x32-10
  std::uint64_t seed = 0;
};
namespace detail {
inline ckpt_fault_handler_options to_c(const FaultHandlerOptions& from) {
  ckpt_fault_handler_options to = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  put(from.max_attempts, to.max_attempts);
  put(from.first_delay, to.first_delay_ns);
  put(from.max_delay, to.max_delay_ns);
  put(from.factor, to.factor);
  put(from.jitter, to.jitter);
  put(from.seed, to.seed);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
