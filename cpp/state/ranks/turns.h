// The order of saves that several threads make: each has its turn when all that came before it have ended. Ranks draw turns in the
// same order, so none waits in one save for a rank that waits for it in another.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace ckpt::state {

class Turns : public std::enable_shared_from_this<Turns> {
 public:
  // Ends when it goes.
  class Turn {
   public:
    explicit Turn(std::shared_ptr<Turns> turns) : turns_(std::move(turns)), number_(turns_->draw()) {}
    ~Turn() { turns_->end(number_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // False when stop became true before.
    bool wait(const std::atomic<bool>* stop) { return turns_->wait_for(number_, stop); }

   private:
    const std::shared_ptr<Turns> turns_;
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
