#include "sign.h"

#include <algorithm>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "error.h"
#include "text.h"

namespace ckpt::s3 {
namespace {

std::span<const unsigned char> raw(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Returns lower-case names in ascending order, and values without surrounding blanks.
Pairs canonical_headers(const Pairs& headers) {
  Pairs sorted;
  for (const auto& [name, value] : headers) sorted.emplace_back(lower(name), trim(value));
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::string signed_names(const Pairs& sorted) {
  std::string names;
  for (const auto& header : sorted) {
    if (!names.empty()) names += ';';
    names += header.first;
  }
  return names;
}

}  // namespace

std::array<unsigned char, 32> sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 || length != digest.size()) {
    fail(CKPT_E_INTERNAL, "libcrypto failed to compute SHA-256");
  }
  return digest;
}

std::string sha256_hex(std::span<const std::byte> bytes) { return hex(sha256(bytes)); }

std::array<unsigned char, 32> hmac_sha256(std::span<const unsigned char> key, std::string_view text) {
  std::array<unsigned char, 32> digest{};
  unsigned int length = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text).data(), text.size(), digest.data(), &length) ==
          nullptr ||
      length != digest.size()) {
    fail(CKPT_E_INTERNAL, "libcrypto failed to compute HMAC-SHA-256");
  }
  return digest;
}

std::string md5_base64(std::span<const std::byte> bytes) {
  std::array<unsigned char, 16> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_md5(), nullptr) != 1 || length != digest.size()) return "";
  return base64(digest);
}

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (RAND_bytes(random.data(), static_cast<int>(bytes)) != 1) fail(CKPT_E_IO, "libcrypto failed to generate random bytes");
  return hex(random);
}

std::string canonical_query(const Pairs& query) {
  Pairs encoded;
  for (const auto& [name, value] : query) encoded.emplace_back(url_encode(name, false), url_encode(value, false));
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (const auto& [name, value] : encoded) {
    if (!text.empty()) text += '&';
    text += name;
    text += '=';
    text += value;
  }
  return text;
}

std::string canonical_request(const Unsigned& request) {
  const Pairs headers = canonical_headers(request.headers);
  std::string text = cat(request.method, '\n', request.path, '\n', canonical_query(request.query), '\n');
  for (const auto& [name, value] : headers) text += cat(name, ':', value, '\n');
  return text + cat('\n', signed_names(headers), '\n', request.payload_sha256);
}

std::string authorization(const Unsigned& request, const Keys& keys) {
  const std::string date = request.time.substr(0, 8);
  const std::string scope = cat(date, '/', request.region, "/s3/aws4_request");
  const std::string to_sign =
      cat("AWS4-HMAC-SHA256\n", request.time, '\n', scope, '\n', sha256_hex(bytes_of(canonical_request(request))));
  auto key = hmac_sha256(raw("AWS4" + keys.secret_key), date);
  key = hmac_sha256(key, request.region);
  key = hmac_sha256(key, "s3");
  key = hmac_sha256(key, "aws4_request");
  return cat("AWS4-HMAC-SHA256 Credential=", keys.access_key, '/', scope,
             ",SignedHeaders=", signed_names(canonical_headers(request.headers)), ",Signature=", hex(hmac_sha256(key, to_sign)));
}

}  // namespace ckpt::s3
