// Record locks (fcntl(2)) of whole files. Where the system has F_OFD_SETLK, they belong to the open file. Elsewhere they belong
// to the process: a second lock by the same process succeeds, and closing any descriptor of the file releases them. This module
// therefore records the files that this process has locked that way, and callers refuse to open them again.
#pragma once

#include <mutex>
#include <string>

#include "base/fork_mutex.h"

namespace ckpt::storage {

// Locks the file of an open descriptor. Returns 0 or the error number: EWOULDBLOCK if another process or descriptor has locked it.
int try_record_lock(int descriptor);
void release_record_lock(int descriptor) noexcept;
// Returns whether another process or descriptor has locked it. False where the file system has no record locks.
bool has_record_lock(int descriptor) noexcept;
// Returns a mutex lock, held only where record locks belong to the process. While it is held, no other thread opens and closes a
// file that this thread is about to lock. descriptor: of any file.
std::unique_lock<base::ForkMutex> wait_for_other_openings(int descriptor);
// Returns whether this process would lose a lock by opening and closing the file of this name.
bool is_locked_by_process(int directory, const std::string& name);

}  // namespace ckpt::storage
