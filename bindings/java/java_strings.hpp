// java_strings.hpp - classes and methods that the native code uses, conversion of strings between UTF-8 and UTF-16, and errors.
#ifndef CKPT_JAVA_STRINGS_HPP
#define CKPT_JAVA_STRINGS_HPP

#include <ckpt/ckpt.h>
#include <jni.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace ckpt_java {

// Classes and methods of the virtual machine, looked up once, when the library is loaded; classes are global references.
struct Machine {
  JavaVM* vm = nullptr;
  jclass exception = nullptr;
  jmethodID make_exception = nullptr;
  jclass failures = nullptr;
  jmethodID failure_status = nullptr;
  jmethodID failure_text = nullptr;
  jclass native_object = nullptr;
  jfieldID address = nullptr;
  jmethodID closed = nullptr;
  jclass lent_object = nullptr;
  jmethodID make_lent = nullptr;
  jmethodID read_only = nullptr;
};
inline Machine machine;

// ---- Strings: UTF-8, with invalid bytes replaced. JNI's own "modified UTF-8" differs for NUL and supplementary planes ----

class Utf8Reader {
 public:
  explicit Utf8Reader(const char* text) : at_(reinterpret_cast<const unsigned char*>(text)) {}

  // Appends one character in UTF-16; returns false at the end.
  template <class Append>
  bool next(const Append& append) {
    if (*at_ == 0) return false;
    std::uint32_t point = *at_++;
    if (point >= 0x80) point = longer(point);
    if (point >= 0x10000) {
      append(static_cast<jchar>(0xD7C0 + (point >> 10)));
      append(static_cast<jchar>(0xDC00 + (point & 0x3FF)));
    } else {
      append(static_cast<jchar>(point));
    }
    return true;
  }

 private:
  std::uint32_t longer(std::uint32_t lead) {
    const int more = lead >= 0xF0 && lead <= 0xF4 ? 3 : lead >= 0xE0 && lead <= 0xEF ? 2 : lead >= 0xC2 && lead <= 0xDF ? 1 : 0;
    if (more == 0) return 0xFFFD;
    std::uint32_t point = lead & (0x3FU >> more);
    const unsigned char* at = at_;
    for (int i = 0; i < more; ++i, ++at) {
      if ((*at & 0xC0) != 0x80) return 0xFFFD;
      point = point << 6 | (*at & 0x3FU);
    }
    static const std::uint32_t min[] = {0, 0x80, 0x800, 0x10000};
    if (point < min[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return 0xFFFD;
    at_ = at;
    return point;
  }

  const unsigned char* at_;
};

inline jstring text_object(JNIEnv* env, const char* text) {
  if (!text) return nullptr;
  constexpr std::size_t small = 256;
  const std::size_t bytes = std::strlen(text);
  Utf8Reader reader(text);
  if (bytes <= small) {  // there are at most as many units as bytes
    jchar units[small];
    jsize count = 0;
    while (reader.next([&](jchar unit) { units[count++] = unit; })) {
    }
    return env->NewString(units, count);
  }
  std::vector<jchar> units;
  units.reserve(bytes);
  while (reader.next([&](jchar unit) { units.push_back(unit); })) {
  }
  return env->NewString(units.data(), static_cast<jsize>(units.size()));
}

// ---- Errors ----

// Throws an exception, unless one is pending already, which has more detail.
inline void raise(JNIEnv* env, ckpt_status status, const char* text) {
  if (env->ExceptionCheck()) return;
  jstring message = text_object(env, text);
  if (!message) return;
  auto created = static_cast<jthrowable>(
      env->CallStaticObjectMethod(machine.exception, machine.make_exception, static_cast<jint>(status), message));
  env->DeleteLocalRef(message);
  if (created && !env->ExceptionCheck()) env->Throw(created);
}

inline bool refuse(JNIEnv* env, const char* text) {
  raise(env, CKPT_E_INVALID_ARGUMENT, text);
  return false;
}

// A Java string in UTF-8; data() is nullptr for null.
class Utf8String {
 public:
  bool get(JNIEnv* env, jstring text) {
    if (!text) return true;
    given_ = true;
    const jsize length = env->GetStringLength(text);
    constexpr jsize small = 256;
    jchar few[small];
    std::vector<jchar> many;
    jchar* units = few;
    if (length > small) {
      many.resize(static_cast<std::size_t>(length));
      units = many.data();
    }
    env->GetStringRegion(text, 0, length, units);
    utf8_.reserve(static_cast<std::size_t>(length) + 8);
    for (jsize i = 0; i < length; ++i) {
      std::uint32_t point = units[i];
      if (point == 0) return refuse(env, "string contains a NUL");
      if (point >= 0xD800 && point < 0xE000) {
        if (point >= 0xDC00 || i + 1 == length || units[i + 1] < 0xDC00 || units[i + 1] > 0xDFFF) {
          return refuse(env, "string: expected valid UTF-16, found a lone surrogate");
        }
        point = 0x10000 + ((point & 0x3FF) << 10) + (units[++i] & 0x3FFU);
      }
      append(point);
    }
    return true;
  }
  const char* data() const { return given_ ? utf8_.c_str() : nullptr; }

 private:
  void append(std::uint32_t point) {
    const auto put = [this](std::uint32_t byte) { utf8_.push_back(static_cast<char>(byte)); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
      put(0xC0 | point >> 6);
    } else {
      if (point < 0x10000) {
        put(0xE0 | point >> 12);
      } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
      }
      put(0x80 | (point >> 6 & 0x3F));
    }
    put(0x80 | (point & 0x3F));
  }

  std::string utf8_;
  bool given_ = false;
};

// A struct of the library and the strings that its members point to.
template <class Struct>
struct Holder : Struct {
  Holder() : Struct() {}
  explicit Holder(const Struct& value) : Struct(value) {}
  std::deque<std::string> texts;
};

template <class Struct>
const char* keep(Struct* holder, const char* text) {
  if (!text) return nullptr;
  return static_cast<Holder<Struct>*>(holder)->texts.emplace_back(text).c_str();
}

}  // namespace ckpt_java

#endif  // CKPT_JAVA_STRINGS_HPP
