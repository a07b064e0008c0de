// Runs the saves of several threads in the order in which they were accepted. That order is the same on all ranks, so no rank waits
// in one save for a rank that waits for it in another.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace ckpt::state {

class SaveOrder : public std::enable_shared_from_this<SaveOrder> {
 public:
  // The position of one save, from its construction to its destruction.
  class Place {
   public:
    explicit Place(std::shared_ptr<SaveOrder> order) : order_(std::move(order)), number_(order_->draw()) {}
    ~Place() { order_->end(number_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Returns when all earlier saves have ended; returns false if stop becomes true first.
    bool wait(const std::atomic<bool>* stop) { return order_->wait_for(number_, stop); }

   private:
    const std::shared_ptr<SaveOrder> order_;
    const std::int64_t number_;
  };

 private:
  std::int64_t draw();
  bool wait_for(std::int64_t number, const std::atomic<bool>* stop);
  void end(std::int64_t number);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t next_ = 0;
  std::set<std::int64_t> live_;
};

}  // namespace ckpt::state
