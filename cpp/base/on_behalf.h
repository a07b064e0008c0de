// Work that one thread does for another one, which waits for it later: what callbacks may do is there what it is here.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace ckpt::base {

class OnBehalf {
 public:
  // Notes what this thread has entered (entered.h).
  OnBehalf();
  ~OnBehalf();
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;

  // On the other thread, once: what was entered is refused to callbacks there, too, and no message reaches the sink: under this
  // thread's locks it could wait for ever.
  void run(const std::function<void()>& body);
  // On this thread, when run has returned: logs what was logged there.
  void hand_out() noexcept;

 private:
  struct Messages;
  std::vector<const void*> entered_;
  std::unique_ptr<Messages> messages_;
};

}  // namespace ckpt::base
