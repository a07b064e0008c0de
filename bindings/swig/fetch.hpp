// fetch.hpp - results and helpers of the functions in generated/calls.hpp, which replace C functions that fill a buffer or an
// array.
#ifndef CKPT_SWIG_FETCH_HPP
#define CKPT_SWIG_FETCH_HPP

#include <ckpt/ckpt.h>

#include <string>
#include <vector>

namespace ckpt_swig {

struct ByteString {
  std::string bytes;
};
struct Integers {
  std::vector<int64_t> list;
};
struct Numbers {
  std::vector<double> list;
};

#ifndef SWIG
// A failed call; its message is ckpt_last_error of the thread.
struct StatusError {
  ckpt_status status;
};

inline void check(ckpt_status status) {
  if (status != CKPT_OK) throw StatusError{status};
}

// Fetches bytes by the (buffer, capacity, *needed) rule of ckpt.h; the content may grow between the calls. room: bytes of the first
// buffer.
template <class Call>
std::string text_of(const Call& call, int64_t room = 256) {
  for (int64_t needed = room;;) {
    std::string text(static_cast<std::size_t>(needed) + 1, '\0');
    const ckpt_status status = call(text.data(), needed + 1, &needed);
    if (status == CKPT_E_OUT_OF_RANGE && needed + 1 > static_cast<int64_t>(text.size())) continue;
    check(status);
    text.resize(static_cast<std::size_t>(needed));
    return text;
  }
}

template <class Call>
ByteString bytes_of(const Call& call) {
  int64_t needed = 0;
  check(call(nullptr, 0, &needed));
  ByteString created{std::string(static_cast<std::size_t>(needed), '\0')};
  check(call(created.bytes.data(), needed, &needed));
  return created;
}

// Fetches elements by the (array, capacity, *count) rule. room: elements of the first array, if querying their number is expensive;
// 0: queries it.
template <class Element, class Call>
std::vector<Element> list_of(const Element& empty, const Call& call, int64_t room = 0) {
  int64_t count = room;
  if (room == 0) check(call(nullptr, 0, &count));
  for (;;) {
    std::vector<Element> list(static_cast<std::size_t>(count) + 8, empty);
    check(call(list.data(), static_cast<int64_t>(list.size()), &count));
    if (count > static_cast<int64_t>(list.size())) continue;
    list.resize(static_cast<std::size_t>(count));
    return list;
  }
}

template <class Element, class Call>
Integers integers_of(const Call& call) {
  const std::vector<Element> list = list_of(Element{}, call);
  return Integers{{list.begin(), list.end()}};
}
#endif

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_FETCH_HPP
