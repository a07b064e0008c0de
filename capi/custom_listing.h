// What the listing functions of a custom storage fill. Nothing may be thrown through the user's function, which may also go on
// after an answer that was refused: the problem is kept, and the listing fails by it in any case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "guard.h"
#include "storage/storage.h"

namespace ckpt::capi {

// For ckpt_storage_list_fn.
struct Listing {
  std::vector<storage::Entry> entries;

  static std::int32_t add(void* listing, const char* name, std::int32_t is_directory) noexcept {
    return guard([&] {
      not_null(name, "name");
      const std::string_view text = name;
      base::require(!text.empty() && text != "." && text != ".." && text.find('/') == std::string_view::npos, "name is ",
                    base::quote(text), ": not one path component");
      static_cast<Listing*>(not_null(listing, "listing"))->entries.push_back({std::string(text), is_directory != 0});
    });
  }
};

// For ckpt_storage_list_from_fn: what follows relies on the order, on the prefix, and on the number.
class ObjectListing {
 public:
  ObjectListing(const std::string& prefix, const std::string& after, std::int64_t limit)
      : prefix_(prefix), last_(after), limit_(limit) {}

  static std::int32_t add(void* listing, const char* path, std::int64_t bytes) noexcept {
    return guard([&] {
      auto& self = *static_cast<ObjectListing*>(not_null(listing, "listing"));
      try {
        self.take(not_null(path, "path"), bytes);
      } catch (const base::Error& error) {
        if (self.problem_.empty()) self.problem_ = error.message();
        throw;
      }
    });
  }
  // The problem of what was listed, "" when there is none.
  const std::string& problem() const noexcept { return problem_; }
  std::vector<storage::Object> take_objects() { return std::move(objects_); }

 private:
  void take(const std::string& path, std::int64_t bytes) {
    using base::quote;
    storage::require_path(path);
    base::require(!path.empty() && path.starts_with(prefix_), "path is ", quote(path), "; it begins with ", quote(prefix_));
    base::require(path > last_, "path is ", quote(path), "; it comes behind ", quote(last_));
    base::require(bytes >= 0, "the length of ", quote(path), " is ", bytes, "; at least 0");
    base::require(std::ssize(objects_) < limit_, "path is ", quote(path), " behind as many as were asked for, ", limit_);
    objects_.push_back({path, bytes});
    last_ = path;
  }

  const std::string& prefix_;
  std::string last_;
  std::int64_t limit_;
  std::vector<storage::Object> objects_;
  std::string problem_;
};

}  // namespace ckpt::capi
