#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <ckpt/ckpt.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_output(const fs::path& path, const std::string& why) {
  throw std::runtime_error("cannot write " + printable(path.string()) + ": " + why);
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, mode_t mode = 0) : number_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (number_ >= 0) (void)close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

// A private temporary directory, which is removed with its contents.
class Workplace {
 public:
  Workplace(const fs::path& parent, const fs::path& target) : path_((parent / ".ckpt-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) refuse_output(target, reason_of(errno));
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Returns the target of a link, also if it does not exist yet.
fs::path followed(fs::path path) {
  constexpr int max_links = 40;  // Linux's limit
  const fs::path asked = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(path, error); ++links) {
    if (links == max_links) refuse_output(asked, reason_of(ELOOP));
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

std::optional<struct stat> facts_of(const fs::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) == 0) return facts;
  if (errno != ENOENT) refuse_output(path, reason_of(errno));
  return std::nullopt;
}

// Creates an empty file and returns its mode, which follows from the umask.
mode_t make_empty(const std::string& file, const fs::path& target) {
  struct stat facts {};
  const Descriptor created(file, O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (!created.is_open() || fstat(created.number(), &facts) != 0) refuse_output(target, reason_of(errno));
  return facts.st_mode & 07777U;
}

// Changes the owner first: that clears the set-user-ID bits, which is right if the owner cannot be preserved.
void give_mode(const Descriptor& file, const std::optional<struct stat>& replaced, mode_t mode, const fs::path& target) {
  if (replaced) {
    mode = replaced->st_mode & 07777U;
    struct stat own {};
    const bool same = fstat(file.number(), &own) == 0 && own.st_uid == replaced->st_uid && own.st_gid == replaced->st_gid;
    if (!same && fchown(file.number(), replaced->st_uid, replaced->st_gid) != 0) {
      mode &= 0777U;
      (void)!fchown(file.number(), static_cast<uid_t>(-1), replaced->st_gid);
    }
  }
  if (fchmod(file.number(), mode) != 0) refuse_output(target, reason_of(errno));
}

std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Replaces the temporary name in errors by the requested name.
void write_under(const std::string& file, const fs::path& target, const std::function<void(const std::string&)>& write) {
  try {
    write(file);
  } catch (const Error& error) {
    throw Error(error.status(), replaced_in(error.what(), file, target.string()));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(replaced_in(error.what(), file, target.string()));
  }
}

void write_all(const fs::path& shown, const fs::path& path, int flags, std::string_view text) {
  const Descriptor file(path, flags);
  if (!file.is_open()) refuse_output(shown, reason_of(errno));
  while (!text.empty()) {
    const ssize_t count = write(file.number(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_output(shown, reason_of(errno));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

void write_whole(const std::string& path, const std::function<void(const std::string&)>& write) {
  const fs::path target = followed(path);
  const std::optional<struct stat> before = facts_of(target);
  if (before && !S_ISREG(before->st_mode))
    refuse_output(path, S_ISDIR(before->st_mode) ? reason_of(EISDIR) : "it is not a regular file");
  const fs::path parent = folder_of(target);
  const Workplace workplace(parent, path);
  const std::string file = (workplace.path() / target.filename()).string();
  const mode_t mode = make_empty(file, path);
  write_under(file, path, write);
  {
    const Descriptor written(file, O_RDONLY);
    if (!written.is_open()) refuse_output(path, reason_of(errno));
    give_mode(written, before, mode, path);
    if (fsync(written.number()) != 0) refuse_output(path, reason_of(errno));
  }
  if (std::rename(file.c_str(), target.c_str()) != 0) refuse_output(path, reason_of(errno));
  const Descriptor directory(parent, O_RDONLY | O_DIRECTORY);
  if (directory.is_open()) (void)fsync(directory.number());
}

void write_text(const std::string& path, const std::string& text) {
  const std::optional<struct stat> there = facts_of(followed(path));
  if (there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode)) return write_all(path, path, O_WRONLY, text);
  write_whole(path, [&](const std::string& file) { write_all(path, file, O_WRONLY | O_TRUNC, text); });
}

void require_outputs(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    const fs::path target = followed(path);
    const std::optional<struct stat> there = facts_of(target);
    if (there && S_ISDIR(there->st_mode)) refuse_output(path, reason_of(EISDIR));
    if (there && !S_ISREG(there->st_mode)) {
      // Not opened: closing it again would signal the end of input to a pipe's reader.
      if (access(target.c_str(), W_OK) != 0) refuse_output(path, reason_of(errno));
      continue;
    }
    const Workplace workplace(folder_of(target), path);
    make_empty((workplace.path() / target.filename()).string(), path);
  }
}

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // open returns the lowest free descriptor, which is this one. Standard output is opened for reading only: writes then fail.
    if (open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) != stream) std::_Exit(EXIT_FAILURE);
  }
}

void finish_standard_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if (flushed && std::cout.flush() && std::ferror(stdout) == 0) return;
  throw std::runtime_error("cannot write to standard output" + (reason == 0 ? std::string() : ": " + reason_of(reason)));
}

}  // namespace ckpt::cli
