// Who asks, where and in which region, as the environment and the profile files of the AWS tools say.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sign.h"

namespace ckpt::s3 {

// A file as it was when it was read: another time, length or number means that it is another one. All 0: it was not there.
struct FileStamp {
  std::string path;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;
  std::uint64_t number = 0;
  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_of(const std::string& path);

// What the environment says and, where it is silent, the profile (AWS_PROFILE, else "default").
struct Surroundings {
  std::optional<Keys> keys;
  std::string region;            // "": not said
  std::string endpoint;          // "": not said
  std::string hint;              // when there are no keys: why the profile does not do; "" when there is nothing to add
  std::vector<FileStamp> files;  // those that keys came from, or might come from; none when the environment has them
};

// Error(INVALID_ARGUMENT) for half a pair of keys, Error(NOT_FOUND) for a profile that AWS_PROFILE names and no file has, unless
// keys were given and it isn't needed.
Surroundings read_surroundings(bool has_keys);

// The keys of one storage. Synchronised.
class Credentials {
 public:
  // Keys that were given stay as they are.
  explicit Credentials(Keys given) : keys_(std::move(given)), fixed_(true) {}
  // Keys of the surroundings are read again when a file changed.
  explicit Credentials(const Surroundings& surroundings);

  Keys current();

  // Reads them again: the store says that used is not valid any more. Whether there are others now.
  bool refresh(const Keys& used);

 private:
  void read_again();

  std::mutex mutex_;
  Keys keys_;
  bool fixed_ = false;
  std::vector<FileStamp> files_;
};

}  // namespace ckpt::s3
