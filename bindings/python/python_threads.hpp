// python_threads.hpp - how threads release and acquire the GIL; SWIG's runtime uses these classes instead of SWIG's.
//
// During interpreter shutdown, Python terminates every other thread that requests the GIL, by unwinding its stack: through our
// destructors and noexcept functions, which would abort the process by std::terminate. So after close_machine (the last thing that
// the package does at exit) such a thread sleeps instead of requesting the GIL, until the process ends.
#ifndef CKPT_PYTHON_THREADS_HPP
#define CKPT_PYTHON_THREADS_HPP

#include <Python.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ckpt_python {

inline std::atomic<bool> closed{false};
inline std::atomic<long> gil_requests{0};  // threads that wait for the GIL
inline std::thread::id closing_thread;

// Sleeps forever after close_machine. A thread that holds the GIL continues, because it has to release it.
inline void sleep_if_closed() {
  if (!closed.load() || std::this_thread::get_id() == closing_thread || PyGILState_Check() != 0) return;
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Counts the thread before it checks `closed` again, so that either close_threads sees the thread or the thread sees `closed`.
class GilRequest {
 public:
  GilRequest() {
    gil_requests.fetch_add(1);
    if (closed.load()) {
      gil_requests.fetch_sub(1);
      sleep_if_closed();
      gil_requests.fetch_add(1);
    }
  }
  ~GilRequest() { gil_requests.fetch_sub(1); }
  GilRequest(const GilRequest&) = delete;
  GilRequest& operator=(const GilRequest&) = delete;
};

inline PyGILState_STATE take_lock() {
  const GilRequest now;
  return PyGILState_Ensure();
}
inline void take_lock_back(PyThreadState* saved) {
  const GilRequest now;
  PyEval_RestoreThread(saved);
}

// Called without the GIL: returns when every thread that requested it before has had it.
inline void close_threads() {
  closing_thread = std::this_thread::get_id();
  closed.store(true);
  for (int i = 0; gil_requests.load() > 0 && i < 5000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Block {
 public:
  Block() : state_(take_lock()) {}
  ~Block() { end(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void end() {
    if (!held_) return;
    sleep_if_closed();  // Python may be terminating this thread: then it does not hold the GIL
    held_ = false;
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_;
  bool held_ = true;
};

class Allow {
 public:
  Allow() : saved_(PyEval_SaveThread()) {}
  ~Allow() { end(); }
  Allow(const Allow&) = delete;
  Allow& operator=(const Allow&) = delete;
  void end() {
    if (!saved_) return;
    PyThreadState* saved = saved_;
    saved_ = nullptr;
    take_lock_back(saved);
  }

 private:
  PyThreadState* saved_;
};

}  // namespace ckpt_python

#define SWIG_PYTHON_NO_USE_GIL
#define SWIG_PYTHON_THREAD_BEGIN_BLOCK ckpt_python::Block _swig_thread_block
#define SWIG_PYTHON_THREAD_END_BLOCK _swig_thread_block.end()
#define SWIG_PYTHON_THREAD_BEGIN_ALLOW ckpt_python::Allow _swig_thread_allow
#define SWIG_PYTHON_THREAD_END_ALLOW _swig_thread_allow.end()

#endif  // CKPT_PYTHON_THREADS_HPP
