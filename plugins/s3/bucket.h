// Operations on a bucket: whole objects and listings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client.h"

namespace ckpt::s3 {

// Error(ALREADY_EXISTS) if the object exists.
void put_if_absent(Client& client, const std::string& path, std::span<const std::byte> bytes);

// A missing object is not an error.
void remove_one(Client& client, const std::string& path);
void remove_many(Client& client, const std::vector<std::string>& paths);

std::int64_t size_of(Client& client, const std::string& path);

struct Listed {
  std::string path;  // below the storage's prefix
  std::int64_t bytes = 0;
};

// One page of a listing.
struct Page {
  std::vector<Listed> objects;
  std::string next;      // continuation token; "": end of the listing
  std::string last_key;  // last full key of the page, including names that are not paths
};

// after_key: the last key of the previous page; this page must continue after it.
Page read_page(const Config& config, std::string_view xml, const std::string& after_key);

// Calls object for each; a result other than 0 ends the listing and is returned.
std::int32_t list_from(Client& client, const std::string& prefix, const std::string& after, std::int64_t limit,
                       const std::function<std::int32_t(const Listed&)>& object);

}  // namespace ckpt::s3
