// Strings that name a storage: SCHEME:REST, or a path of the file system.
#pragma once

#include <string>
#include <string_view>

namespace ckpt::storage {

struct Uri {
  std::string text;            // the whole string as given
  std::string scheme;          // in lower case; "" for a path, with all fields below empty
  bool has_authority = false;  // "//" follows the scheme
  std::string authority;       // decoded: from "//" to the next '/'
  std::string path;            // decoded: up to the query; without a trailing '/', except for the root
  bool has_query = false;      // '?' or '#' follows the path
  std::string query;           // still encoded: the text after that character
};

// Error(invalid_argument) names the string and the problem.
Uri parse_uri(std::string_view text);

// Returns a scheme's name in lower case; "" if it is not valid. A single letter is not a scheme: "c:run" is a path.
std::string scheme_name(std::string_view text);

}  // namespace ckpt::storage
