#include "credentials.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "text.h"

namespace ckpt::s3 {
namespace {

constexpr std::int64_t max_file_bytes = 1 << 20;

using Profile = std::map<std::string, std::string, std::less<>>;
using Profiles = std::map<std::string, Profile, std::less<>>;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(trim(value));
}

std::string home() {
  std::string path = variable("HOME");
  if (!path.empty()) return path;
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) return found->pw_dir;
  return "";
}

std::string file_path(const char* name, const char* usual) {
  std::string path = variable(name);
  if (path.empty()) path = cat("~/.aws/", usual);
  return path.starts_with("~/") ? home() + path.substr(1) : path;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  std::string text(static_cast<std::size_t>(max_file_bytes) + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  require(text.size() <= static_cast<std::size_t>(max_file_bytes), "the profile file ", in_quotes(path), " is larger than 1 MiB");
  return text;
}

// Parses sections of "name = value" lines. Indented lines belong to the setting of the line before; no such setting is used here.
// The config file calls profiles "profile NAME", except "default"; the credentials file calls all of them NAME.
Profiles parse(const std::string& text, bool is_config) {
  Profiles profiles;
  Profile* section = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_indented = !line.empty() && (line.front() == ' ' || line.front() == '\t');
    std::string_view rest = trim(line);
    if (rest.empty() || rest.front() == '#' || rest.front() == ';') continue;
    if (rest.front() == '[') {
      section = nullptr;
      const std::size_t end = rest.find(']');
      if (end == std::string_view::npos) continue;
      std::string_view name = trim(rest.substr(1, end - 1));
      if (is_config && name != "default") {
        if (!name.starts_with("profile ") && !name.starts_with("profile\t")) continue;  // services, sso-session
        name = trim(name.substr(8));
      }
      section = &profiles[std::string(name)];
      continue;
    }
    const std::size_t equals = rest.find('=');
    if (section == nullptr || is_indented || equals == std::string_view::npos) continue;
    std::string_view value = trim(rest.substr(equals + 1));
    if (const std::size_t comment = value.find(" #"); comment != std::string_view::npos) value = trim(value.substr(0, comment));
    (*section)[lower(trim(rest.substr(0, equals)))] = value;
  }
  return profiles;
}

std::string setting(const Profile& profile, std::string_view name) {
  const auto found = profile.find(name);
  return found == profile.end() ? std::string() : found->second;
}

std::optional<Keys> keys_of(const std::string& access, const std::string& secret, const std::string& token,
                            std::string_view where) {
  if (access.empty() && secret.empty()) return std::nullopt;
  require(!access.empty() && !secret.empty(), where, " has ",
          access.empty() ? "a secret key without an access key" : "an access key without a secret key");
  return Keys{access, secret, token};
}

// Keys of the profile are read from credentials, otherwise from config.
void read_profile(Environment& found, bool has_keys) {
  const std::string chosen = variable("AWS_PROFILE");
  const std::string name = chosen.empty() ? "default" : chosen;
  const std::string credentials_path = file_path("AWS_SHARED_CREDENTIALS_FILE", "credentials");
  const std::string config_path = file_path("AWS_CONFIG_FILE", "config");
  // Take the stamps first: a file that changes during the read is read again later.
  found.files = {stamp_of(credentials_path), stamp_of(config_path)};
  const Profiles credentials = parse(read_file(credentials_path), false);
  const Profiles config = parse(read_file(config_path), true);
  const auto in_credentials = credentials.find(name);
  const auto in_config = config.find(name);
  if (!chosen.empty() && in_credentials == credentials.end() && in_config == config.end() && !has_keys) {
    fail(CKPT_E_PERMISSION, "AWS_PROFILE is ", in_quotes(chosen), "; the profile is missing in ", in_quotes(credentials_path),
         " and ", in_quotes(config_path));
  }
  for (const auto* profile : {in_credentials == credentials.end() ? nullptr : &in_credentials->second,
                              in_config == config.end() ? nullptr : &in_config->second}) {
    if (profile == nullptr) continue;
    if (found.region.empty()) found.region = setting(*profile, "region");
    if (found.endpoint.empty()) found.endpoint = setting(*profile, "endpoint_url");
    if (!found.keys) {
      found.keys = keys_of(setting(*profile, "aws_access_key_id"), setting(*profile, "aws_secret_access_key"),
                           setting(*profile, "aws_session_token"), cat("the profile ", in_quotes(name)));
    }
    for (const char* other : {"credential_process", "role_arn", "sso_session", "sso_start_url", "web_identity_token_file"}) {
      if (found.hint.empty() && profile->contains(other)) {
        found.hint = cat("; the profile ", in_quotes(name), " has ", other,
                         ", which libckpt-s3 does not support: convert it to keys with `aws configure export-credentials`");
      }
    }
  }
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  FileStamp stamp;
  stamp.path = path;
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) {
    stamp.seconds = info.st_mtim.tv_sec;
    stamp.nanoseconds = info.st_mtim.tv_nsec;
    stamp.bytes = info.st_size;
    stamp.number = info.st_ino;
  }
  return stamp;
}

Environment read_environment(bool has_keys) {
  Environment found;
  found.keys = keys_of(variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"), variable("AWS_SESSION_TOKEN"),
                       "the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)");
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (found.region.empty()) found.region = variable(name);
  }
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}) {
    if (found.endpoint.empty()) found.endpoint = variable(name);
  }
  const bool in_environment = found.keys.has_value();
  read_profile(found, has_keys || in_environment);
  if (in_environment) found.files.clear();
  return found;
}

Credentials::Credentials(const Environment& environment) : keys_(*environment.keys), files_(environment.files) {}

Keys Credentials::current() {
  const std::lock_guard lock(mutex_);
  bool has_changed = false;
  for (const FileStamp& file : files_) has_changed = has_changed || stamp_of(file.path) != file;
  if (has_changed) read_again();
  return keys_;
}

bool Credentials::refresh(const Keys& used) {
  const std::lock_guard lock(mutex_);
  if (fixed_) return false;
  if (keys_ == used) read_again();
  return keys_ != used;
}

// If a file cannot be read at the moment, or is incomplete, keeps the current keys: the store verifies them.
void Credentials::read_again() {
  try {
    const Environment found = read_environment(false);
    if (found.keys) keys_ = *found.keys;
    files_ = found.files;
  } catch (const Error&) {
    return;
  }
}

}  // namespace ckpt::s3
