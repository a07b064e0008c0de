// Listings that the functions of a custom storage fill. No exception may propagate through the user's function, and that function
// may continue after an item was refused. So the first error is stored, and the listing fails with it in any case.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "guard.h"
#include "storage/storage.h"

namespace ckpt::capi {

// Checks the names of one listing: each is a path inside the storage, and is listed once. A name that is listed twice would be
// counted twice, for example by the retention rules.
class ListedNames {
 public:
  enum class Order { any, ascending };

  // All names must begin with prefix and, if the order is ascending (by bytes), be greater than after.
  ListedNames(Order order, const std::string& prefix, const std::string& after) : order_(order), prefix_(prefix), last_(after) {}

  // kind: "name" or "path", for messages.
  void require_new(const char* kind, const std::string& name) {
    using base::quote;
    base::require(!name.empty(), kind, " is empty");
    storage::require_path(name);
    base::require(name.starts_with(prefix_), kind, " is ", quote(name), "; expected the prefix ", quote(prefix_));
    if (order_ == Order::ascending) {
      base::require(name > last_, kind, " is ", quote(name), "; expected a path after ", quote(last_));
      last_ = name;
    } else {
      base::require(names_.insert(name).second, kind, ' ', quote(name), " is listed twice");
    }
  }

 private:
  const Order order_;
  const std::string prefix_;
  std::string last_;
  std::set<std::string> names_;
};

// The items of one call of a listing function.
template <class Item>
class CustomListing {
 public:
  // The first error of the items; "" if there is none.
  const std::string& problem() const noexcept { return problem_; }
  std::vector<Item> take_items() { return std::move(items_); }

 protected:
  CustomListing(ListedNames::Order order, const std::string& prefix, const std::string& after) : names_(order, prefix, after) {}

  // Runs body, which takes one item from the user's function.
  template <class Body>
  std::int32_t taken(Body&& body) noexcept {
    return guard([&] {
      try {
        body();
      } catch (const base::Error& error) {
        if (problem_.empty()) problem_ = error.message();
        throw;
      }
    });
  }

  ListedNames names_;
  std::vector<Item> items_;

 private:
  std::string problem_;
};

// A listing for ckpt_storage_list_fn: the names in one directory, in any order.
class DirectoryListing : public CustomListing<storage::Entry> {
 public:
  DirectoryListing() : CustomListing(ListedNames::Order::any, "", "") {}

  static std::int32_t add(void* listing, const char* name, std::int32_t is_directory) noexcept {
    if (listing == nullptr) return guard([&] { not_null(listing, "listing"); });
    auto& self = *static_cast<DirectoryListing*>(listing);
    return self.taken([&] {
      const std::string text = not_null(name, "name");
      base::require(text.find('/') == std::string::npos, "name is ", base::quote(text), "; expected one path component");
      self.names_.require_new("name", text);
      self.items_.push_back({text, is_directory != 0});
    });
  }
};

// A listing for ckpt_storage_list_from_fn: the library relies on the order, the prefix and the number of the paths.
class ObjectListing : public CustomListing<storage::Object> {
 public:
  ObjectListing(const std::string& prefix, const std::string& after, std::int64_t limit)
      : CustomListing(ListedNames::Order::ascending, prefix, after), limit_(limit) {}

  static std::int32_t add(void* listing, const char* path, std::int64_t bytes) noexcept {
    if (listing == nullptr) return guard([&] { not_null(listing, "listing"); });
    auto& self = *static_cast<ObjectListing*>(listing);
    return self.taken([&] { self.take(not_null(path, "path"), bytes); });
  }

 private:
  void take(const std::string& path, std::int64_t bytes) {
    using base::quote;
    names_.require_new("path", path);
    base::require(bytes >= 0, "the length of ", quote(path), " is ", bytes, "; expected at least 0");
    base::require(std::ssize(items_) < limit_, "path is ", quote(path), "; expected at most ", limit_, " paths");
    items_.push_back({path, bytes});
  }

  std::int64_t limit_;
};

}  // namespace ckpt::capi
