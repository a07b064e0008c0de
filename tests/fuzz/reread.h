// Shared by fuzz targets of formats with a checksum: any bytes, unchanged and with a corrected checksum, are refused with a
// specific status, or unchanged after writing and reading again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "state/hash.h"

namespace ckpt::tests {

template <class Parse>
void reread_text(const std::string& text, const Parse& parse) {
  std::string again;
  try {
    again = to_text(parse(text));
  } catch (const base::Error& error) {
    if (error.status() != base::Status::corrupt && error.status() != base::Status::unsupported) std::abort();
    return;
  }
  if (to_text(parse(again)) != again) std::abort();
}

template <class Parse>
int reread(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  reread_text(text, parse);
  reread_text(text + ",\n\"checksum\":\"" + state::to_hex(state::hash_of(text)) + "\"}\n", parse);
  return 0;
}

}  // namespace ckpt::tests
