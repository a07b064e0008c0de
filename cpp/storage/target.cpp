#include "storage/target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "storage/descriptor.h"
#include "storage/os_error.h"

namespace ckpt::storage {
namespace {

constexpr int max_links = 40;  // as the Linux kernel

const char* kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR: return "a directory";
    case S_IFIFO: return "a FIFO";
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    case S_IFSOCK: return "a socket";
    case S_IFLNK: return "a link that cannot be followed";
    default: return "a file of an unknown kind";
  }
}

[[noreturn]] void refuse(const std::string& path, const char* found) {
  base::fail(base::Status::invalid_argument, "path is ", base::quote(path), ": expected a regular file or nothing, found ", found);
}

// Returns nothing if the file does not exist. examine: stat or lstat.
template <class Examine>
std::optional<struct stat> facts_of(Examine examine, const std::string& path) {
  struct stat facts {};
  if (examine(path.c_str(), &facts) == 0) return facts;
  if (errno != ENOENT) fail_os(errno, "examine", path);
  return std::nullopt;
}

std::string text_of_link(const std::string& path) {
  constexpr std::size_t max_bytes = std::size_t{64} << 10;
  for (std::size_t bytes = 256; bytes <= max_bytes; bytes *= 2) {
    std::string text(bytes, '\0');
    const ssize_t count = ::readlink(path.c_str(), text.data(), text.size());
    if (count < 0) fail_os(errno, "read the link", path);
    text.resize(static_cast<std::size_t>(count));
    if (text.size() < bytes) return text;
  }
  refuse(path, kind_of(S_IFLNK));
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Resolves links in the path's last component.
std::string followed(const std::string& path) {
  std::string at = path;
  for (int links = 0;; ++links) {
    const auto facts = facts_of(::lstat, at);
    if (!facts || !S_ISLNK(facts->st_mode)) return at;
    if (links == max_links) fail_os(ELOOP, "follow the link", path);
    const std::string text = text_of_link(at);
    at = text.starts_with('/') ? text : base::cat(directory_of(at), '/', text);
  }
}

// Returns the last component of file, the resolved path.
std::string name_in(const std::string& file, const std::string& path) {
  std::string name = file.substr(file.rfind('/') + 1);  // all of it without a '/'
  base::require(!name.empty() && name != "." && name != "..", "path is ", base::quote(path), "; expected the path of a file");
  return name;
}

}  // namespace

Target target_of(const std::string& path) {
  base::require(path.find('\0') == std::string::npos, "path contains a NUL: ", base::quote(path));
  name_in(path, path);
  // First with stat: links in /proc may lead to a pipe or socket, which has no path.
  const auto there = facts_of(::stat, path);
  if (there && !S_ISREG(there->st_mode)) refuse(path, kind_of(there->st_mode));
  const std::string file = followed(path);
  std::string name = name_in(file, path);
  if (!there) return {directory_of(file), std::move(name), {}};
  const auto facts = facts_of(::lstat, file);
  if (!facts || facts->st_dev != there->st_dev || facts->st_ino != there->st_ino) refuse(path, kind_of(S_IFLNK));
  return {directory_of(file), std::move(name), there->st_mode & 0777};
}

}  // namespace ckpt::storage
