#include "storage/owner_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "storage/listing.h"
#include "storage/lock_owner.h"
#include "storage/open_at.h"
#include "storage/os_error.h"

namespace ckpt::storage {
namespace {

constexpr std::size_t random_digits = 16;
constexpr std::string_view hex_digits = "0123456789abcdef";

// Returns ".lock-" and random digits: names are never reused.
std::string new_name(const std::string& leaf) {
  std::random_device random;
  std::string name = leaf + '-';
  for (std::size_t i = 0; i < random_digits; ++i) name += hex_digits[random() % hex_digits.size()];
  return name;
}

bool is_owner_file(std::string_view name, const std::string& leaf) {
  if (!name.starts_with(leaf) || name.size() != leaf.size() + 1 + random_digits || name[leaf.size()] != '-') return false;
  return name.substr(leaf.size() + 1).find_first_not_of(hex_digits) == std::string_view::npos;
}

// The contents are written under this name; the file is renamed once they are complete.
constexpr std::string_view unfinished_suffix = ".new";

bool is_unfinished_file(std::string_view name, const std::string& leaf) {
  return name.ends_with(unfinished_suffix) && is_owner_file(name.substr(0, name.size() - unfinished_suffix.size()), leaf);
}

std::string shown_as(const LockPlace& place, const std::string& name) { return place.shown + name.substr(place.leaf.size()); }

void release_owner_file(int, int directory, const std::string& name) noexcept { ::unlinkat(directory, name.c_str(), 0); }

// Renames the file to its name only after its contents are complete and durable.
Descriptor make_owner_file(const LockPlace& place, const LockOwner& owner, const std::string& name) {
  const std::string shown = shown_as(place, name);
  const std::string unfinished = name + std::string(unfinished_suffix);
  Descriptor file = open_at(place.directory, unfinished, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "create", shown);
  try {
    const std::string text = to_text(owner);
    write_all(file.get(), 0, std::as_bytes(std::span(text)), shown);
    if (uninterrupted([&] { return ::fsync(file.get()); }) != 0) fail_os(errno, "sync", shown);
    if (::renameat(place.directory, unfinished.c_str(), place.directory, name.c_str()) != 0) fail_os(errno, "rename", shown);
  } catch (...) {
    ::unlinkat(place.directory, unfinished.c_str(), 0);
    throw;
  }
  return file;
}

// Returns nothing for a file that no longer exists.
std::optional<std::string> contents_of(const LockPlace& place, const std::string& name) {
  const int number =
      uninterrupted([&] { return ::openat(place.directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); });
  if (number < 0 && errno == ENOENT) return std::nullopt;
  if (number < 0) fail_os(errno, "open", shown_as(place, name));
  const Descriptor file(number);
  std::array<char, 4096> text{};
  std::size_t count = 0;
  const auto bytes = std::as_writable_bytes(std::span(text));
  if (const int code = try_read_all(file.get(), 0, bytes, count); code != 0) fail_os(code, "read", shown_as(place, name));
  return std::string(text.data(), count);
}

[[noreturn]] void fail_owned(const LockPlace& place, const std::string& name, const std::optional<LockOwner>& owner,
                             OwnerState state) {
  const std::string file = base::quote(shown_as(place, name));
  if (!owner) {
    base::fail(base::Status::busy, base::quote(place.storage), " may be in use by another writer: the owner in the lock file ",
               file, " cannot be read; if no writer is active, remove the file");
  }
  if (state == OwnerState::running) {
    base::fail(base::Status::busy, base::quote(place.storage), " is being written by process ", owner->process, ", which holds ",
               file);
  }
  base::fail(base::Status::busy, base::quote(place.storage), " may be in use by process ", owner->process, " of host ",
             base::quote(owner->host), ", which holds ", file,
             ": this process cannot determine whether that process still runs; if it has ended, remove the file");
}

// Removes a file left by a process that was killed before the rename. Such a file locks nothing, so failures are ignored.
void remove_unfinished(const LockPlace& place, const LockOwner& self, const std::string& name) {
  try {
    const auto text = contents_of(place, name);
    const auto owner = text ? parse_lock_owner(*text) : std::nullopt;
    if (owner && judge(*owner, self) == OwnerState::ended) ::unlinkat(place.directory, name.c_str(), 0);
  } catch (const base::Error&) {  // unreadable
  }
}

// Fails if a file of another active writer exists. own: the file of this writer; "" for none. removes: whether to remove the
// files of ended owners, including unfinished ones.
void check_other_owners(const LockPlace& place, const LockOwner& self, const std::string& own, bool removes) {
  const auto directory = [&] { return open_at(place.directory, ".", O_RDONLY | O_DIRECTORY, "list", place.storage); };
  std::vector<std::string> ended;
  for (const Entry& entry : list_directory(directory(), place.storage)) {
    if (removes && is_unfinished_file(entry.name, place.leaf)) remove_unfinished(place, self, entry.name);
    if (!is_owner_file(entry.name, place.leaf) || entry.name == own) continue;
    const auto text = contents_of(place, entry.name);
    if (!text) continue;
    const auto owner = parse_lock_owner(*text);
    const OwnerState state = owner ? judge(*owner, self) : OwnerState::unknown;
    if (state != OwnerState::ended) fail_owned(place, entry.name, owner, state);
    if (!removes) continue;
    base::write_log(base::LogLevel::info, "storage",
                    base::cat("process ", owner->process, " has ended without releasing ", base::quote(shown_as(place, entry.name)),
                              ": its lock is taken over"));
    ended.push_back(entry.name);
  }
  for (const std::string& name : ended) {
    if (::unlinkat(place.directory, name.c_str(), 0) != 0 && errno != ENOENT) fail_os(errno, "remove", shown_as(place, name));
  }
}

}  // namespace

std::unique_ptr<Lock> take_owner_file(const LockPlace& place) {
  const LockOwner self = this_owner();
  check_other_owners(place, self, "", false);  // no file is created while another writer is active
  const std::string name = new_name(place.leaf);
  Descriptor file = make_owner_file(place, self, name);
  std::unique_ptr<HeldFile> lock;
  try {
    lock = std::make_unique<HeldFile>(std::move(file), place, name);
  } catch (...) {
    ::unlinkat(place.directory, name.c_str(), 0);  // the file would block every later writer
    throw;
  }
  lock->release_by(release_owner_file);
  check_other_owners(place, self, name, true);
  return lock;
}

void require_no_owner_file(const LockPlace& place) { check_other_owners(place, this_owner(), "", false); }

}  // namespace ckpt::storage
