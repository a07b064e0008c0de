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

// Who asks. Nothing prints one of these.
struct Keys {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // "": none
  bool operator==(const Keys&) const = default;
};

std::string sha256_hex(std::span<const std::byte> bytes);
std::array<unsigned char, 32> sha256(std::span<const std::byte> bytes);
std::array<unsigned char, 32> hmac_sha256(std::span<const unsigned char> key, std::string_view text);

// MD5 in base64, for stores that want it of some requests; "" where the system's libcrypto refuses to make it.
std::string md5_base64(std::span<const std::byte> bytes);

// So many random hexadecimal digits, for names that nobody else has.
std::string random_hex(std::size_t bytes);

// A query as it is signed and sent: names and values encoded, sorted by the encoded names.
std::string canonical_query(const Pairs& query);

// What is signed of a request.
struct Unsigned {
  std::string method;
  std::string path;  // encoded, as it is sent
  Pairs query;       // not encoded
  Pairs headers;     // all that are signed, host and x-amz-date among them; names in any case
  std::string payload_sha256;
  std::string region;
  std::string time;  // 20130524T000000Z
};

std::string canonical_request(const Unsigned& request);

// The value of the header Authorization.
std::string authorization(const Unsigned& request, const Keys& keys);

}  // namespace ckpt::s3
