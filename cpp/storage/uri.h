// Texts that name a storage: SCHEME:REST, or a path of the file system.
#pragma once

#include <string>
#include <string_view>

namespace ckpt::storage {

struct Uri {
  std::string text;            // the whole of it, as it was given
  std::string scheme;          // in lower case; "" for a path, and then all below is empty
  bool has_authority = false;  // "//" stands behind the scheme
  std::string authority;       // decoded: from "//" to the next '/'
  std::string path;            // decoded: from there to the query; without a '/' at its end, unless it is the root's
  bool has_query = false;      // '?' or '#' stands behind the path
  std::string query;           // still encoded: what follows that character
};

// Error(invalid_argument) that names the text and what is wrong with it.
Uri parse_uri(std::string_view text);

// A scheme's name in lower case; "" when it is none. One letter alone is none: "c:run" is a path.
std::string scheme_name(std::string_view text);

}  // namespace ckpt::storage
