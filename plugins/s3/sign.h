// AWS Signature Version 4: "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)", Amazon S3 API
// Reference.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ckpt::s3 {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Credentials. Never printed.
struct Keys {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // "": none
  bool operator==(const Keys&) const = default;
};

std::string sha256_hex(std::span<const std::byte> bytes);
std::array<unsigned char, 32> sha256(std::span<const std::byte> bytes);
std::array<unsigned char, 32> hmac_sha256(std::span<const unsigned char> key, std::string_view text);

// Returns MD5 in base64, which some stores require for some requests; "" if the system's libcrypto does not permit MD5.
std::string md5_base64(std::span<const std::byte> bytes);

// Returns random hexadecimal digits for unique names.
std::string random_hex(std::size_t bytes);

// Returns a query as it is signed and sent: names and values encoded, sorted by the encoded names.
std::string canonical_query(const Pairs& query);

// The signed parts of a request.
struct Unsigned {
  std::string method;
  std::string path;  // encoded, as sent
  Pairs query;       // unencoded
  Pairs headers;     // all signed headers, including host and x-amz-date; names in any case
  std::string payload_sha256;
  std::string region;
  std::string time;  // 20130524T000000Z
};

std::string canonical_request(const Unsigned& request);

// Returns the value of the Authorization header.
std::string authorization(const Unsigned& request, const Keys& keys);

}  // namespace ckpt::s3
