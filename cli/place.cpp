#include "place.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "load.h"
#include "text.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_there(const std::string& text) {
  std::error_code error;
  return fs::exists(fs::symlink_status(text, error));
}

// Returns the scheme in lower case; "" if there is none.
std::string scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 2 || !is_letter(text[0])) return "";
  std::string scheme(text.substr(0, colon));
  for (char& c : scheme) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!is_letter(c) && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') return "";
  }
  return scheme;
}

[[noreturn]] void refuse_place(const std::string& uri, const std::string& what) {
  throw std::invalid_argument("'" + printable(uri) + "' " + what);
}

std::string decoded(std::string_view piece, const std::string& uri) {
  std::string out;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(piece[i]);
    if (piece[i] == '%') {
      const std::string_view digits = piece.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (error != std::errc() || digits.size() < 2 || end != digits.data() + 2)
        refuse_place(uri, "contains a '%' without two hexadecimal digits after it");
      if (byte == '/') refuse_place(uri, "contains an encoded slash");
      i += 2;
    } else if (byte == '?' || byte == '#') {
      refuse_place(uri, "contains '?' or '#'; encode them as %3F and %23");
    }
    out += static_cast<char>(byte);
  }
  return out;
}

void check_path(std::string_view path, const std::string& uri) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto byte = static_cast<unsigned char>(path[i]);
    const bool is_long = byte == 0xC2 && i + 1 < path.size() && static_cast<unsigned char>(path[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || is_long) refuse_place(uri, "contains a control character");
  }
  if (path.find("//") != std::string_view::npos) refuse_place(uri, "contains an empty component: \"//\"");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    if (component == "." || component == "..") refuse_place(uri, "contains the component '" + std::string(component) + "'");
    begin = end + 1;
  }
}

// Returns the path of a file URI, by the library's rules: the command must inspect the path before it opens the storage.
std::string path_of(const std::string& uri) {
  std::string_view rest = std::string_view(uri).substr(std::string_view("file:").size());
  if (rest.substr(0, 2) == "//") {
    rest.remove_prefix(2);
    if (rest.substr(0, 1) != "/") refuse_place(uri, "has a host or no path; expected file:PATH or file:///PATH");
  }
  std::string path = decoded(rest, uri);
  check_path(path, uri);
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.find_first_not_of(' ') == std::string_view::npos) refuse_place(uri, "has no path; expected file:PATH or file:///PATH");
  return is_uri(path) ? "./" + path : path;
}

// The lock kinds that file URIs of the command line specify, by path.
std::map<std::string, std::string>& lock_kinds() {
  static std::map<std::string, std::string> kinds;
  return kinds;
}

std::string path_with_lock(const std::string& uri) {
  constexpr std::string_view mark = "?lock=";
  const std::size_t at = uri.find(mark);
  std::string path = path_of(uri.substr(0, at));
  if (at == std::string::npos) return path;
  const std::string kind = uri.substr(at + mark.size());
  if (kind != "flock" && kind != "fcntl" && kind != "file" && kind != "none")
    refuse_place(uri, "has an unknown kind of lock; expected flock, fcntl, file or none");
  lock_kinds()[path] = kind;
  return path;
}

Storage open_directory(const std::string& place, bool must_exist) {
  FileSystemOptions options;
  options.must_exist = must_exist;
  if (const auto kind = lock_kinds().find(place); kind != lock_kinds().end()) options.lock_kind = kind->second;
  return Storage::file_system(place, options);
}

Storage open_uri(const std::string& uri) {
  ckpt_storage* storage = nullptr;
  check(load::create_storage(uri.c_str(), "", &storage));
  return Storage::adopt(storage);
}

}  // namespace

std::string place_of(const std::string& text) { return scheme_of(text) != "file" || is_there(text) ? text : path_with_lock(text); }

bool is_uri(const std::string& place) {
  const std::string scheme = scheme_of(place);
  if (scheme.empty() || scheme == "file") return false;
  return (scheme == "memory" || place.compare(scheme.size(), 3, "://") == 0) && !is_there(place);
}

bool is_store(const std::string& place) { return is_uri(place) && scheme_of(place) != "memory"; }

Storage open_place(const std::string& place) { return is_uri(place) ? open_uri(place) : open_directory(place, true); }

Storage make_place(const std::string& place) { return is_uri(place) ? open_uri(place) : open_directory(place, false); }

bool is_one_checkpoint(const CheckpointManager& checkpoints, const std::string& place) {
  if (!is_uri(place)) return fs::exists(fs::path(place) / "manifest.json");
  try {
    (void)checkpoints.manifest(CheckpointManager::self);
  } catch (const Error& error) {
    if (error.status() == Status::not_found) return false;
    throw;
  }
  return true;
}

}  // namespace ckpt::cli
