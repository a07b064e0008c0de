// Opens and examines files relative to their directory's descriptor; errors name the path.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "storage/descriptor.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

namespace ckpt::storage {

constexpr mode_t everyone = 0666;  // reduced by the process's umask

// verb, shown: for the message.
Descriptor open_at(int directory, const std::string& name, int flags, const char* verb, const std::string& shown,
                   mode_t mode = everyone);
struct stat status_of(int descriptor, const std::string& shown);
void require_regular(const struct stat& status, const std::string& shown);

}  // namespace ckpt::storage
