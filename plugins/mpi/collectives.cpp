#include "collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include <unistd.h>

#include "common/error.h"

namespace ckpt::mpi {
namespace {

using plugin::cat;
using plugin::fail;
using plugin::require;

using Clock = std::chrono::steady_clock;

// Limit of the memory for an operation; more does not increase the throughput.
constexpr std::size_t max_at_a_time = std::size_t{16} << 20;

void require_state(bool condition, const char* text) {
  if (!condition) fail(CKPT_E_INVALID_STATE, text);
}

// Fails unless MPI can be called by this thread.
void require_running() {
  int yes = 0;
  MPI_Initialized(&yes);
  require_state(yes != 0, "MPI is not initialized: call MPI_Init_thread first");
  MPI_Finalized(&yes);
  require_state(yes == 0, "MPI_Finalize has been called");
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  require_state(level != MPI_THREAD_SINGLE,
                "MPI was initialized with MPI_THREAD_SINGLE: call MPI_Init_thread with MPI_THREAD_FUNNELED or more");
  if (level == MPI_THREAD_FUNNELED) {
    MPI_Is_thread_main(&yes);
    require_state(yes != 0, "with MPI_THREAD_FUNNELED only the thread that initialized MPI can call this");
  }
}

std::string text_of_mpi(int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return cat("error ", code);
  return text;
}

Clock::time_point deadline_of(std::chrono::nanoseconds timeout) {
  const auto now = Clock::now();
  return timeout < Clock::time_point::max() - now ? now + timeout : Clock::time_point::max();
}

// Polls, since MPI makes progress only in its own functions.
bool ends_before(MPI_Request& request, Clock::time_point deadline, int& code) {
  for (int rounds = 0;; ++rounds) {
    int done = 0;
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done != 0) return true;
    if (Clock::now() >= deadline) return false;
    if (rounds < 1000) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

}  // namespace

// One call of an operation: fails if it cannot run, and holds its deadline.
class Collectives::Call {
 public:
  Call(Collectives& all, const char* name, Timeout timeout) : operation(name), deadline(deadline_of(timeout)) {
    if (::getpid() != all.process_) fail(CKPT_E_FORKED, "the coordinator belongs to the parent process");
    lock_ = std::unique_lock(all.in_a_call_, std::try_to_lock);
    require_state(lock_.owns_lock(), "another thread is in a call of this coordinator");
    require_running();
    if (!all.broken_.empty()) fail(CKPT_E_INVALID_STATE, "coordinator cannot be used any more: ", all.broken_);
  }

  const char* const operation;
  const Clock::time_point deadline;

 private:
  std::unique_lock<std::mutex> lock_;
};

Collectives::Collectives(MPI_Comm comm, Timeout timeout) : process_(::getpid()) {
  require_running();
  require(comm != MPI_COMM_NULL, "comm is MPI_COMM_NULL");
  int is_inter = 0;
  check(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  require(is_inter == 0, "comm is an intercommunicator; expected an intracommunicator");
  int number = 0;
  check(MPI_Comm_rank(comm, &number), "MPI_Comm_rank");
  rank_ = number;
  check(MPI_Comm_size(comm, &number), "MPI_Comm_size");
  world_size_ = number;
  auto duplicate = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Comm_idup(comm, duplicate.get(), &request);
  if (code == MPI_SUCCESS && !ends_before(request, deadline_of(timeout), code)) {
    duplicate.release();  // NOLINT(bugprone-unused-return-value): MPI writes there when the others arrive
    fail(CKPT_E_TIMEOUT, "not all ", world_size_, " processes of comm arrived within ", timeout.count(), " ns");
  }
  check(code, "MPI_Comm_idup");
  comm_ = *duplicate;
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  buffer_ = new std::vector<std::byte>;
}

Collectives::~Collectives() {
  if (::getpid() != process_ || !broken_.empty()) return;
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over == 0) MPI_Comm_free(&comm_);
  delete buffer_;
}

void Collectives::barrier(Timeout timeout) {
  const Call call(*this, "barrier", timeout);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  wait(request, call);
}

void Collectives::broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) {
  const Call call(*this, "broadcast", timeout);
  const bool sends = rank_ == root;
  BroadcastOpening ours{.bytes = std::ssize(bytes), .data = {}};
  const std::size_t first = std::min(bytes.size(), BroadcastOpening::max);
  if (sends && first > 0) std::memcpy(ours.data, bytes.data(), first);
  std::byte* const memory = buffer(std::max(sizeof(BroadcastOpening), std::min(bytes.size() - first, max_at_a_time)));
  std::memcpy(memory, &ours, sizeof ours);
  send_from_root({memory, sizeof ours}, root, call);
  BroadcastOpening theirs;
  std::memcpy(&theirs, memory, sizeof theirs);
  compare(root, theirs.bytes, ours.bytes, call);
  if (!sends && first > 0) std::memcpy(bytes.data(), theirs.data, first);
  for (std::size_t at = first; at < bytes.size(); at += max_at_a_time) {
    const std::size_t count = std::min(max_at_a_time, bytes.size() - at);
    if (sends) std::memcpy(memory, bytes.data() + at, count);
    send_from_root({memory, count}, root, call);
    if (!sends) std::memcpy(bytes.data() + at, memory, count);
  }
}

void Collectives::all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) {
  const Call call(*this, "all_gather", timeout);
  const auto world = static_cast<std::size_t>(world_size_);
  const std::size_t first = std::min(sent.size(), Opening::max);
  const std::size_t max = std::max<std::size_t>(1, max_at_a_time / world);
  const std::size_t piece = std::max(sizeof(Opening), std::min(sent.size() - first, max));
  std::byte* const memory = buffer(piece * (world + 1));
  std::byte* const all = memory + piece;
  const auto send_all = [&](std::size_t count) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int number = static_cast<int>(count);
    check(MPI_Iallgather(memory, number, MPI_BYTE, all, number, MPI_BYTE, comm_, &request), "MPI_Iallgather");
    wait(request, call);
  };
  const auto place = [&](std::size_t rank, std::size_t at) { return received.data() + rank * sent.size() + at; };

  Opening ours{.bytes = std::ssize(sent), .data = {}};
  if (first > 0) std::memcpy(ours.data, sent.data(), first);
  std::memcpy(memory, &ours, sizeof ours);
  send_all(sizeof ours);
  for (std::size_t rank = 0; rank < world; ++rank) {
    Opening theirs;
    std::memcpy(&theirs, all + rank * sizeof theirs, sizeof theirs);
    compare(static_cast<std::int64_t>(rank), theirs.bytes, ours.bytes, call);
    if (first > 0) std::memcpy(place(rank, 0), theirs.data, first);
  }
  for (std::size_t at = first; at < sent.size(); at += max) {
    const std::size_t count = std::min(max, sent.size() - at);
    std::memcpy(memory, sent.data() + at, count);
    send_all(count);
    for (std::size_t rank = 0; rank < world; ++rank) std::memcpy(place(rank, at), all + rank * count, count);
  }
}

void Collectives::send_from_root(std::span<std::byte> bytes, std::int64_t root, const Call& call) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(root), comm_, &request), "MPI_Ibcast");
  wait(request, call);
}

void Collectives::send_to_root(std::span<std::byte> bytes, std::byte* all, std::int64_t root, const Call& call) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = static_cast<int>(bytes.size());
  check(MPI_Igather(bytes.data(), count, MPI_BYTE, all, count, MPI_BYTE, static_cast<int>(root), comm_, &request), "MPI_Igather");
  wait(request, call);
}

// MPI_Igather can complete on a rank other than root when its bytes are sent. Therefore root acknowledges each piece. Otherwise a
// rank would not detect a late root, and its next pieces would accumulate at root.
void Collectives::gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) {
  const Call call(*this, "gather", timeout);
  const bool receives = rank_ == root;
  const auto world = static_cast<std::size_t>(world_size_);
  const std::size_t first = std::min(sent.size(), Opening::max);
  const std::size_t max = std::max<std::size_t>(1, max_at_a_time / world);
  const std::size_t piece = std::max(sizeof(Opening), std::min(sent.size() - first, max));
  std::byte* const memory = buffer(receives ? piece * (world + 1) : piece);
  std::byte* const all = receives ? memory + piece : nullptr;
  const auto place = [&](std::size_t rank, std::size_t at) { return received.data() + rank * sent.size() + at; };

  Opening ours{.bytes = std::ssize(sent), .data = {}};
  if (first > 0) std::memcpy(ours.data, sent.data(), first);
  std::memcpy(memory, &ours, sizeof ours);
  send_to_root({memory, sizeof ours}, all, root, call);
  agree(memory, ours, all, root, call);
  for (std::size_t rank = 0; receives && first > 0 && rank < world; ++rank) {
    std::memcpy(place(rank, 0), all + rank * sizeof ours + offsetof(Opening, data), first);
  }
  for (std::size_t at = first; at < sent.size(); at += max) {
    const std::size_t count = std::min(max, sent.size() - at);
    std::memcpy(memory, sent.data() + at, count);
    send_to_root({memory, count}, all, root, call);
    for (std::size_t rank = 0; receives && rank < world; ++rank) std::memcpy(place(rank, at), all + rank * count, count);
    send_from_root({memory, 1}, root, call);
  }
}

// memory: the buffer that was sent through MPI. all: the openings of all ranks, at root.
void Collectives::agree(std::byte* memory, const Opening& ours, const std::byte* all, std::int64_t root, const Call& call) {
  Mismatch mismatch{.other = -1, .other_bytes = 0, .root_bytes = ours.bytes};
  for (std::int64_t rank = 0; rank_ == root && rank < world_size_ && mismatch.other < 0; ++rank) {
    Opening theirs;
    std::memcpy(&theirs, all + static_cast<std::size_t>(rank) * sizeof theirs, sizeof theirs);
    if (theirs.bytes != ours.bytes) mismatch = {.other = rank, .other_bytes = theirs.bytes, .root_bytes = ours.bytes};
  }
  std::memcpy(memory, &mismatch, sizeof mismatch);
  send_from_root({memory, sizeof mismatch}, root, call);
  std::memcpy(&mismatch, memory, sizeof mismatch);
  if (mismatch.other < 0) return;
  broken_ = cat("the processes passed different arguments to ", call.operation);
  fail(CKPT_E_INVALID_STATE, "rank ", mismatch.other, " specified ", mismatch.other_bytes, " bytes, rank ", root, " specified ",
       mismatch.root_bytes);
}

void Collectives::wait(MPI_Request& request, const Call& call) {
  int code = MPI_SUCCESS;
  if (!ends_before(request, call.deadline, code)) {
    broken_ = cat("its ", call.operation, " has timed out");
    fail(CKPT_E_TIMEOUT, "not all ", world_size_, " processes arrived in time");
  }
  check(code, "MPI_Test");
}

void Collectives::check(int code, const char* function) {
  if (code == MPI_SUCCESS) return;
  broken_ = cat(function, " has failed: ", text_of_mpi(code));
  fail(CKPT_E_IO, broken_);
}

std::byte* Collectives::buffer(std::size_t bytes) {
  try {
    if (buffer_->size() < bytes) buffer_->resize(bytes);
  } catch (const std::bad_alloc&) {
    broken_ = "no memory left";  // the others are in the operation
    throw;
  }
  return buffer_->data();
}

void Collectives::compare(std::int64_t rank, std::int64_t theirs, std::int64_t ours, const Call& call) {
  if (theirs == ours) return;
  broken_ = cat("the processes passed different arguments to ", call.operation);
  fail(CKPT_E_INVALID_STATE, "rank ", rank, " specified ", theirs, " bytes, rank ", rank_, " specified ", ours);
}

}  // namespace ckpt::mpi
