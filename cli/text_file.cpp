#include "text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "text.h"

namespace ckpt::cli {

std::string read_text_file(const std::string& path) {
  const std::string shown = printable(path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw std::runtime_error(shown + " is a directory, not a text file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + shown + ": " + reason_of(errno));
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    if (const void* const zero = std::memchr(block.data(), 0, count); zero != nullptr) {
      const auto offset = text.size() + static_cast<std::size_t>(static_cast<const char*>(zero) - block.data());
      throw std::runtime_error(shown + " is not a text file: NUL byte at offset " + std::to_string(offset));
    }
    text.append(block.data(), count);
  } while (file);
  if (file.bad()) throw std::runtime_error("cannot read " + shown);
  return text;
}

}  // namespace ckpt::cli
