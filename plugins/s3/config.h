// What a storage was made with: its URI, the caller's options and what the surroundings say, checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ckpt/s3.h>

#include "credentials.h"

namespace ckpt::s3 {

struct Config {
  bool is_tls = true;
  std::string endpoint;  // host, with its port when that is not the scheme's own
  std::string bucket;
  std::string prefix;  // of all keys, without '/' at its ends; "": none
  bool is_path_style = false;
  std::string region;
  std::string server_side_encryption;
  std::string kms_key;
  std::string storage_class;
  std::int64_t part_bytes = 0;
  std::int32_t parts_in_flight = 0;
  std::int64_t connect_timeout_ns = 0;
  std::int64_t request_timeout_ns = 0;
  std::string ca_file;                    // "": the system's
  std::int64_t clock_offset_seconds = 0;  // added to the time in signatures; tests set it

  // What requests are sent to and signed for.
  std::string host() const;
  // The encoded path of a key; of the bucket when the key is "".
  std::string path(std::string_view key) const;
  std::string url(std::string_view key, const std::string& query) const;
  // s3://bucket/prefix
  std::string name() const;
  // The whole key of a path below the prefix.
  std::string key(std::string_view path) const;
};

// Bucket and prefix of s3://bucket[/prefix], which may be encoded. Error(INVALID_ARGUMENT) for what is none.
void read_uri(std::string_view uri, Config& config);

// Of "https://host:port", "http://host" or "host". Error(INVALID_ARGUMENT) for anything else.
void read_endpoint(std::string_view endpoint, Config& config);

// All of it. Error(PERMISSION) when there are no keys anywhere.
struct Made {
  Config config;
  Keys given;  // by the options; empty when they are the surroundings' own
  Surroundings surroundings;
};
Made make_config(std::string_view uri, const ckpt_s3_options& options);

}  // namespace ckpt::s3
