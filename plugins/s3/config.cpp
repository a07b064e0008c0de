#include "config.h"

#include <algorithm>
#include <cstdlib>

#include "error.h"
#include "text.h"

namespace ckpt::s3 {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

bool is_bucket(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return name.size() >= 3 && name.size() <= 255 && plain(name.front()) && plain(name.back()) &&
         name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '.' || c == '-' || c == '_'; });
}

// Returns whether the bucket can be the first label of a host name: with a dot in it no certificate would match.
bool is_label(std::string_view name) {
  return name.size() <= 63 &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

bool is_amazon(std::string_view host) { return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn"); }

// Returns a value for a header or a signature: printable ASCII.
std::string word(const char* text, const char* which) {
  if (text == nullptr) return "";
  const std::string value = text;
  require(std::all_of(value.begin(), value.end(), [](char c) { return c > 0x20 && c < 0x7f; }), "options.", which,
          ": expected printable ASCII without blanks");
  return value;
}

void check_keys(const Keys& keys) {
  for (const std::string* text : {&keys.access_key, &keys.secret_key, &keys.session_token}) {
    require(std::all_of(text->begin(), text->end(), [](char c) { return c > 0x20 && c < 0x7f; }),
            "a key or token: expected printable ASCII without blanks");
  }
}

void check_region(const std::string& region) {
  require(!region.empty() && region.size() <= 64 && sanitized(region) == region, "the region is ", in_quotes(region),
          "; expected letters, digits and '-'");
}

void read_numbers(const ckpt_s3_options& options, Config& config) {
  require(options.part_bytes >= 8 * mebibyte && options.part_bytes <= 64 * mebibyte, "options.part_bytes is ", options.part_bytes,
          "; expected 8388608 (8 MiB) .. 67108864 (64 MiB)");
  require(options.parts_in_flight >= 1 && options.parts_in_flight <= 64, "options.parts_in_flight is ", options.parts_in_flight,
          "; expected 1 .. 64");
  require(options.connect_timeout_ns > 0, "options.connect_timeout_ns is ", options.connect_timeout_ns, "; expected more than 0");
  require(options.request_timeout_ns > 0, "options.request_timeout_ns is ", options.request_timeout_ns, "; expected more than 0");
  config.part_bytes = options.part_bytes;
  config.parts_in_flight = options.parts_in_flight;
  config.connect_timeout_ns = options.connect_timeout_ns;
  config.request_timeout_ns = options.request_timeout_ns;
}

Keys given_keys(const ckpt_s3_options& options) {
  Keys keys{word(options.access_key, "access_key"), word(options.secret_key, "secret_key"),
            word(options.session_token, "session_token")};
  require(keys.access_key.empty() == keys.secret_key.empty(), "options has ",
          keys.access_key.empty() ? "a secret_key without an access_key" : "an access_key without a secret_key");
  require(!keys.access_key.empty() || keys.session_token.empty(), "options has a session_token without keys");
  return keys;
}

void choose_style(std::int32_t style, Config& config) {
  require(style >= CKPT_S3_PATH_STYLE_AUTO && style <= CKPT_S3_PATH_STYLE_OFF, "options.path_style is ", style,
          "; expected CKPT_S3_PATH_STYLE_AUTO (0) .. CKPT_S3_PATH_STYLE_OFF (2)");
  require(style != CKPT_S3_PATH_STYLE_OFF || is_label(config.bucket),
          "options.path_style is CKPT_S3_PATH_STYLE_OFF, and the bucket ", in_quotes(config.bucket),
          " cannot be part of a host name");
  config.is_path_style = style == CKPT_S3_PATH_STYLE_ON ||
                         (style == CKPT_S3_PATH_STYLE_AUTO && !(is_amazon(config.endpoint) && is_label(config.bucket)));
}

}  // namespace

std::string Config::host() const { return is_path_style ? endpoint : cat(bucket, '.', endpoint); }

std::string Config::path(std::string_view key) const {
  const std::string encoded = url_encode(key, true);
  if (!is_path_style) return "/" + encoded;
  return key.empty() ? "/" + bucket : cat('/', bucket, '/', encoded);
}

std::string Config::url(std::string_view key, const std::string& query) const {
  return cat(is_tls ? "https://" : "http://", host(), path(key), query.empty() ? "" : "?", query);
}

std::string Config::name() const { return cat("s3://", bucket, prefix.empty() ? "" : "/", prefix); }

std::string Config::key(std::string_view path) const {
  if (path.empty()) return prefix;
  return prefix.empty() ? std::string(path) : cat(prefix, '/', path);
}

void read_uri(std::string_view uri, Config& config) {
  const std::string shown = in_quotes(uri.substr(0, uri.find_first_of("?#")));
  require(uri.size() >= 5 && lower(uri.substr(0, 5)) == "s3://", "uri is ", shown, "; expected s3://bucket/prefix");
  const std::string_view rest = uri.substr(5);
  require(rest.find_first_of("?#") == std::string_view::npos, "uri ", shown,
          " has a query or fragment; encode '?' and '#' in names as %3F and %23");
  const std::size_t slash = rest.find('/');
  const std::string_view bucket = rest.substr(0, slash);
  require(is_bucket(bucket), "uri ", shown, " has no valid bucket name; expected 3 .. 255 letters, digits, '.', '-', '_'");
  std::string_view path = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (path.ends_with('/')) path.remove_suffix(1);
  std::string prefix;
  if (!path.empty()) {
    for (const char* encoded : {"%2F", "%2f"}) {
      require(path.find(encoded) == std::string_view::npos, "uri ", shown, " has an encoded '/'");
    }
    const auto decoded = url_decode(path, false);
    require(decoded.has_value(), "uri ", shown, " has a '%' without two hexadecimal digits");
    require(is_path(*decoded), "uri ", shown, " has an empty component, '.', '..' or a control character");
    prefix = *decoded;
  }
  require(slash == std::string_view::npos || rest.size() == slash + 1 || !prefix.empty(), "uri ", shown, " has an empty component");
  config.bucket = bucket;
  config.prefix = prefix;
}

void read_endpoint(std::string_view endpoint, Config& config) {
  std::string_view host = endpoint;
  bool is_tls = true;
  if (const std::size_t colon = endpoint.find("://"); colon != std::string_view::npos) {
    const std::string scheme = lower(endpoint.substr(0, colon));
    require(scheme == "https" || scheme == "http", "the endpoint: expected https:// or http://");
    is_tls = scheme == "https";
    host.remove_prefix(colon + 3);
  }
  if (host.ends_with('/')) host.remove_suffix(1);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':' ||
           c == '[' || c == ']';
  };
  // Not shown in the message: it may contain a password.
  require(!host.empty() && host.size() <= 255 && std::all_of(host.begin(), host.end(), allowed),
          "the endpoint: expected a host with an optional port, without user, path or query");
  std::string name = lower(host);
  for (const char* usual : {is_tls ? ":443" : ":80"}) {
    if (name.ends_with(usual)) name.resize(name.size() - std::string_view(usual).size());
  }
  config.is_tls = is_tls;
  config.endpoint = name;
}

FullConfig make_config(std::string_view uri, const ckpt_s3_options& options) {
  FullConfig full;
  Config& config = full.config;
  read_uri(uri, config);
  read_numbers(options, config);
  full.given = given_keys(options);
  full.environment = read_environment(!full.given.access_key.empty());
  if (full.given.access_key.empty()) {
    if (!full.environment.keys) {
      fail(CKPT_E_PERMISSION, "no keys for ", config.name(),
           ": set them in options, in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials",
           full.environment.hint);
    }
    check_keys(*full.environment.keys);
  }
  config.region = word(options.region, "region");
  if (config.region.empty()) config.region = full.environment.region;
  if (config.region.empty()) config.region = "us-east-1";
  check_region(config.region);
  std::string endpoint = options.endpoint == nullptr ? "" : options.endpoint;
  if (endpoint.empty()) endpoint = full.environment.endpoint;
  if (endpoint.empty()) {
    endpoint = cat("https://s3.", config.region, config.region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
  }
  read_endpoint(endpoint, config);
  choose_style(options.path_style, config);
  config.server_side_encryption = word(options.server_side_encryption, "server_side_encryption");
  config.kms_key = word(options.kms_key, "kms_key");
  require(config.kms_key.empty() || config.server_side_encryption.starts_with("aws:kms"),
          "options.kms_key requires options.server_side_encryption 'aws:kms'");
  config.storage_class = word(options.storage_class, "storage_class");
  if (const char* file = std::getenv("AWS_CA_BUNDLE"); file != nullptr) config.ca_file = file;
  return full;
}

}  // namespace ckpt::s3
