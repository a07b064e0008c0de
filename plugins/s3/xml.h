// Parses XML responses of a store with libexpat. Rejects document types, and thereby all entities that a document could declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ckpt::s3 {

struct Element {
  std::string name;
  std::string text;  // of this element without nested ones
  std::vector<Element> children;

  // Returns the first child with that name; nullptr if there is none.
  const Element* child(std::string_view wanted) const;
  // Returns the text of the first child with that name; "" if there is none.
  std::string_view value(std::string_view wanted) const;
};

// Error(IO) for invalid XML, and for a nesting above 16 elements or more than 200,000 elements; Error(UNSUPPORTED) for a document
// type.
Element parse_xml(std::string_view text);

}  // namespace ckpt::s3
