#include "profile_file.h"

#include <stdexcept>

#include "text.h"
#include "text_file.h"

namespace ckpt::cli {

Profile read_profile(const std::string& path) {
  const std::string text = read_text_file(path);
  try {
    return Profile::from_json(text);
  } catch (const Error& error) {
    throw std::runtime_error(printable(path) + ": " + printable(error.what()));
  }
}

}  // namespace ckpt::cli
