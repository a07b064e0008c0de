// Runs work of one thread on another one, with the same restrictions on callbacks as on the first thread, which later waits for
// the result.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace ckpt::base {

class OnBehalf {
 public:
  // Captures the objects that this thread has entered (entered.h).
  OnBehalf();
  ~OnBehalf();
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;

  // On the other thread, once: callbacks there are refused the same objects. No message reaches the sink: the first thread holds
  // locks and waits, so a sink that takes one of them would deadlock.
  void run(const std::function<void()>& body);
  // On this thread, after run has returned: sends the messages that were logged there.
  void send_messages() noexcept;

 private:
  struct Messages;
  std::vector<const void*> entered_;
  std::unique_ptr<Messages> messages_;
};

}  // namespace ckpt::base
