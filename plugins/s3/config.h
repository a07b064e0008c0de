// The validated configuration of a storage, from its URI, the caller's options and the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ckpt/s3.h>

#include "credentials.h"

namespace ckpt::s3 {

struct Config {
  bool is_tls = true;
  std::string endpoint;  // host, with its port unless that is the scheme's default
  std::string bucket;
  std::string prefix;  // of all keys, without '/' at the ends; "": none
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

  // The host to which requests are sent and for which they are signed.
  std::string host() const;
  // Returns the encoded path of a key, or of the bucket if key is "".
  std::string path(std::string_view key) const;
  std::string url(std::string_view key, const std::string& query) const;
  // Returns "s3://bucket/prefix".
  std::string name() const;
  // Returns the full key of a path below the prefix.
  std::string key(std::string_view path) const;
};

// Parses s3://bucket[/prefix], which can be percent-encoded. Error(INVALID_ARGUMENT) for an invalid URI.
void read_uri(std::string_view uri, Config& config);

// Parses "https://host:port", "http://host" or "host". Error(INVALID_ARGUMENT) for anything else.
void read_endpoint(std::string_view endpoint, Config& config);

// The complete configuration. Error(PERMISSION) if no keys are found.
struct FullConfig {
  Config config;
  Keys given;  // from the options; empty if they come from the environment
  Environment environment;
};
FullConfig make_config(std::string_view uri, const ckpt_s3_options& options);

}  // namespace ckpt::s3
