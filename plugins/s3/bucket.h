// What a storage's functions do in a bucket: whole objects and lists of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client.h"

namespace ckpt::s3 {

// Error(ALREADY_EXISTS) when there is one of that name.
void put_if_absent(Client& client, const std::string& path, std::span<const std::byte> bytes);

// What is not there is no error.
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
  std::string next;      // continues the listing; "": it is at its end
  std::string last_key;  // whole, of all that the page had, also of what is no path
};

// after_key: the last one of the page before, which this page must come behind.
Page read_page(const Config& config, std::string_view xml, const std::string& after_key);

// Calls object for each; what that returns, when it is not 0, ends it and is returned.
std::int32_t list_from(Client& client, const std::string& prefix, const std::string& after, std::int64_t limit,
                       const std::function<std::int32_t(const Listed&)>& object);

}  // namespace ckpt::s3
