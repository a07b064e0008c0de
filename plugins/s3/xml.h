// The answers of a store that are XML, by libexpat. A document type is refused, and with it every entity that a document could
// declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ckpt::s3 {

struct Element {
  std::string name;
  std::string text;  // of this element alone, not of those in it
  std::vector<Element> children;

  // The first one of that name; nullptr when there is none.
  const Element* child(std::string_view wanted) const;
  // The text of the first one of that name; "" when there is none.
  std::string_view value(std::string_view wanted) const;
};

// Error(IO) for what is no XML, and for what is nested deeper than 16 elements or has more than 200,000 of them; Error(UNSUPPORTED)
// for a document type.
Element parse_xml(std::string_view text);

}  // namespace ckpt::s3
