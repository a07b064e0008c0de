#include "storage/os_error.h"

#include <cerrno>
#include <system_error>

namespace ckpt::storage {

base::Status status_of_errno(int code) noexcept {
  using base::Status;
  switch (code) {
    case ENOENT: return Status::not_found;
    case EEXIST:
    case ENOTEMPTY: return Status::already_exists;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return Status::no_space;
    case EACCES:
    case EPERM:
    case EROFS: return Status::permission;
    case EWOULDBLOCK:
    case ETXTBSY:
    case EBUSY: return Status::busy;
    case ENOMEM: return Status::out_of_memory;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG: return Status::invalid_argument;
    default: return Status::io;
  }
}

void fail_os(int code, std::string_view verb, std::string_view path) {
  base::fail(status_of_errno(code), "cannot ", verb, ' ', base::quote(path), ": ", std::generic_category().message(code));
}

}  // namespace ckpt::storage
