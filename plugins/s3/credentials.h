// Keys, endpoint and region from the environment and from the profile files of the AWS tools.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sign.h"

namespace ckpt::s3 {

// Identifies the version of a file: a different time, size or inode number means that it has changed. All 0: the file was missing.
struct FileStamp {
  std::string path;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;
  std::uint64_t number = 0;
  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_of(const std::string& path);

// Values from the environment variables, otherwise from the profile (AWS_PROFILE, or "default").
struct Environment {
  std::optional<Keys> keys;
  std::string region;            // "": not specified
  std::string endpoint;          // "": not specified
  std::string hint;              // why the profile is not usable, if it has no keys; "" otherwise
  std::vector<FileStamp> files;  // files that can contain the keys; none if they are in the environment
};

// Error(INVALID_ARGUMENT) for half a pair of keys, Error(NOT_FOUND) if the profile named in AWS_PROFILE is missing, unless keys
// were given and the profile is not needed.
Environment read_environment(bool has_keys);

// The keys of one storage. Synchronized.
class Credentials {
 public:
  // Fixed keys.
  explicit Credentials(Keys given) : keys_(std::move(given)), fixed_(true) {}
  // Keys from the environment are read again if a file has changed.
  explicit Credentials(const Environment& environment);

  Keys current();

  // Reads the keys again after the store has rejected `used` as no longer valid. Returns whether the keys have changed.
  bool refresh(const Keys& used);

 private:
  void read_again();

  std::mutex mutex_;
  Keys keys_;
  bool fixed_ = false;
  std::vector<FileStamp> files_;
};

}  // namespace ckpt::s3
