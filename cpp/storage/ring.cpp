#include "storage/ring.h"

#include <utility>

#if defined(__linux__) && __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#include <sys/syscall.h>
#endif

#if defined(__linux__) && defined(IORING_OFF_SQES) && defined(IORING_FEAT_FAST_POLL) && defined(SYS_io_uring_setup) && \
    defined(SYS_io_uring_enter)
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "storage/descriptor.h"

namespace ckpt::storage {
namespace {

std::size_t ring_bytes(const io_uring_params& params) {
  return std::max(params.sq_off.array + params.sq_entries * sizeof(std::uint32_t),
                  params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe));
}

// These synchronize with the kernel.
// NOLINTBEGIN(readability-non-const-parameter): std::atomic_ref does not accept const
std::uint32_t acquire(std::uint32_t* shared) { return std::atomic_ref(*shared).load(std::memory_order_acquire); }
void publish(std::uint32_t* shared, std::uint32_t value) { std::atomic_ref(*shared).store(value, std::memory_order_release); }
// NOLINTEND(readability-non-const-parameter)

}  // namespace

class SharedMemory {
 public:
  SharedMemory(int descriptor, std::size_t bytes, off_t offset)
      : bytes_(bytes), start_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, offset)) {
    // A forked child must not touch memory that the kernel shares with its parent.
    if (good()) ::madvise(start_, bytes_, MADV_DONTFORK);
  }
  ~SharedMemory() {
    if (good()) ::munmap(start_, bytes_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  bool good() const { return start_ != MAP_FAILED; }
  template <class T>
  T* at(std::size_t offset) const {
    return static_cast<T*>(static_cast<void*>(static_cast<std::byte*>(start_) + offset));
  }

 private:
  std::size_t bytes_;
  void* start_;
};

struct Ring::Mapped {
  Mapped(Descriptor given, const io_uring_params& given_params)
      : descriptor(std::move(given)),
        params(given_params),
        rings(descriptor.get(), ring_bytes(params), IORING_OFF_SQ_RING),
        entries(descriptor.get(), params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES) {}

  // Retries when a signal interrupts the call.
  int enter(unsigned submit, unsigned wait_for, unsigned flags) {
    return static_cast<int>(uninterrupted(
        [&] { return ::syscall(SYS_io_uring_enter, descriptor.get(), submit, wait_for, flags, nullptr, std::size_t{0}); }));
  }

  Descriptor descriptor;
  io_uring_params params;
  SharedMemory rings;
  SharedMemory entries;
};

std::unique_ptr<Ring> Ring::make(unsigned entries) {
  io_uring_params params{};
  Descriptor descriptor(static_cast<int>(::syscall(SYS_io_uring_setup, entries, &params)));  // closed on exec by the kernel
  if (descriptor.get() < 0 || (params.features & IORING_FEAT_SINGLE_MMAP) == 0) return nullptr;
  auto mapped = std::make_unique<Mapped>(std::move(descriptor), params);
  if (!mapped->rings.good() || !mapped->entries.good()) return nullptr;
  return std::unique_ptr<Ring>(new Ring(std::move(mapped)));
}

Ring::Ring(std::unique_ptr<Mapped> mapped) : mapped_(std::move(mapped)) {}
Ring::~Ring() = default;

bool Ring::start_write(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t tag) {
  return start(IORING_OP_WRITE, descriptor, offset, bytes, tag);
}

bool Ring::start_read(int descriptor, std::int64_t offset, std::span<std::byte> bytes, std::uint64_t tag) {
  return start(IORING_OP_READ, descriptor, offset, bytes, tag);
}

bool Ring::start(std::uint8_t operation, int descriptor, std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t tag) {
  const auto& at = mapped_->params.sq_off;
  auto* const tail = mapped_->rings.at<std::uint32_t>(at.tail);
  const std::uint32_t position = *tail;  // only this thread moves it
  const std::uint32_t index = position & *mapped_->rings.at<std::uint32_t>(at.ring_mask);
  io_uring_sqe entry{};
  entry.opcode = operation;
  entry.fd = descriptor;
  entry.off = static_cast<std::uint64_t>(offset);
  entry.addr = reinterpret_cast<std::uintptr_t>(bytes.data());
  entry.len = static_cast<std::uint32_t>(bytes.size());
  entry.user_data = tag;
  std::memcpy(mapped_->entries.at<io_uring_sqe>(index * sizeof entry), &entry, sizeof entry);
  mapped_->rings.at<std::uint32_t>(at.array)[index] = index;
  publish(tail, position + 1);
  if (mapped_->enter(1, 0, 0) == 1) return true;
  // Without a polling thread the kernel reads the tail only inside the call above; it took nothing, so the entry can be
  // withdrawn.
  publish(tail, position);
  return false;
}

std::optional<Ring::End> Ring::take() {
  const auto& at = mapped_->params.cq_off;
  auto* const head = mapped_->rings.at<std::uint32_t>(at.head);
  const std::uint32_t position = *head;
  if (position == acquire(mapped_->rings.at<std::uint32_t>(at.tail))) return std::nullopt;
  const std::uint32_t index = position & *mapped_->rings.at<std::uint32_t>(at.ring_mask);
  const io_uring_cqe* const entry = mapped_->rings.at<io_uring_cqe>(at.cqes) + index;
  const End end{entry->user_data, entry->res};
  publish(head, position + 1);
  return end;
}

bool Ring::wait() { return mapped_->enter(0, 1, IORING_ENTER_GETEVENTS) >= 0; }

}  // namespace ckpt::storage

#else

namespace ckpt::storage {

struct Ring::Mapped {};
std::unique_ptr<Ring> Ring::make(unsigned) { return nullptr; }
Ring::Ring(std::unique_ptr<Mapped> mapped) : mapped_(std::move(mapped)) {}
Ring::~Ring() = default;
bool Ring::start_write(int, std::int64_t, std::span<const std::byte>, std::uint64_t) { return false; }
bool Ring::start_read(int, std::int64_t, std::span<std::byte>, std::uint64_t) { return false; }
bool Ring::start(std::uint8_t, int, std::int64_t, std::span<const std::byte>, std::uint64_t) { return false; }
std::optional<Ring::End> Ring::take() { return std::nullopt; }
bool Ring::wait() { return false; }

}  // namespace ckpt::storage

#endif
