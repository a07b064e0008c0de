// java_support.hpp - helpers of the generated JNI code: handles, arrays, buffers, callbacks, and the shutdown of the virtual
// machine.
#ifndef CKPT_JAVA_SUPPORT_HPP
#define CKPT_JAVA_SUPPORT_HPP

#include <ckpt/ckpt.h>
#include <jni.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <vector>

#include "callbacks.hpp"
#include "calls.hpp"
#include "generated/numbers.hpp"
#include "java_strings.hpp"
#include "pipeline.hpp"

namespace ckpt_java {

// ---- Handles ----

inline bool handle(JNIEnv* env, jobject object, void** pointer) {
  *pointer = nullptr;
  if (!object) return true;
  const jlong address = env->GetLongField(object, machine.address);
  if (address == 0) {
    auto created = static_cast<jthrowable>(env->CallStaticObjectMethod(machine.native_object, machine.closed, object));
    if (created && !env->ExceptionCheck()) env->Throw(created);
    return false;
  }
  *pointer = reinterpret_cast<void*>(static_cast<intptr_t>(address));
  return true;
}

template <class Handle>
bool handles(JNIEnv* env, jobjectArray array, std::vector<Handle*>* list) {
  const jsize length = array ? env->GetArrayLength(array) : 0;
  for (jsize i = 0; i < length; ++i) {
    jobject element = env->GetObjectArrayElement(array, i);
    void* pointer = nullptr;
    const bool got = handle(env, element, &pointer);
    env->DeleteLocalRef(element);
    if (!got) return false;
    list->push_back(static_cast<Handle*>(pointer));
  }
  return true;
}

// Wraps an object that a callback borrows.
inline jobject lent(JNIEnv* env, const void* pointer) {
  if (!pointer) return nullptr;
  return env->NewObject(machine.lent_object, machine.make_lent, static_cast<jlong>(reinterpret_cast<intptr_t>(pointer)));
}

// Returns the object that a callback hands to the library, with one reference.
inline void* given(JNIEnv* env, jobject object) {
  if (!object) throw ckpt_swig::CallbackFailure(1, "callback: expected an object, returned null");
  return reinterpret_cast<void*>(static_cast<intptr_t>(env->GetLongField(object, machine.address)));
}

// ---- Numbers ----

inline void set(JNIEnv* env, jintArray array, std::int32_t value) {
  const jint element = value;
  if (array) env->SetIntArrayRegion(array, 0, 1, &element);
}
inline void set(JNIEnv* env, jlongArray array, std::int64_t value) {
  const jlong element = value;
  if (array) env->SetLongArrayRegion(array, 0, 1, &element);
}
inline void set(JNIEnv* env, jlongArray array, std::uint64_t value) { set(env, array, static_cast<std::int64_t>(value)); }
inline void set(JNIEnv* env, jdoubleArray array, double value) {
  if (array) env->SetDoubleArrayRegion(array, 0, 1, &value);
}
inline void set(JNIEnv* env, jobjectArray array, const char* value) {
  if (!array) return;
  jstring text = text_object(env, value);
  env->SetObjectArrayElement(array, 0, text);
  env->DeleteLocalRef(text);
}

inline void region(JNIEnv* env, jlongArray array, jsize length, std::int64_t* list) {
  env->GetLongArrayRegion(array, 0, length, reinterpret_cast<jlong*>(list));
}
inline void region(JNIEnv* env, jintArray array, jsize length, std::int32_t* list) {
  env->GetIntArrayRegion(array, 0, length, list);
}
inline void region(JNIEnv* env, jdoubleArray array, jsize length, double* list) {
  env->GetDoubleArrayRegion(array, 0, length, list);
}
template <class Array, class Number>
void numbers(JNIEnv* env, Array array, std::vector<Number>* list) {
  const jsize length = array ? env->GetArrayLength(array) : 0;
  list->resize(static_cast<std::size_t>(length));
  if (length > 0) region(env, array, length, list->data());
}
inline bool numbers(JNIEnv* env, jlongArray array, std::int64_t* list, jsize max) {
  const jsize length = array ? env->GetArrayLength(array) : 0;
  if (length > max)
    return refuse(env, ("array: expected at most " + std::to_string(max) + " numbers, found " + std::to_string(length)).c_str());
  if (length > 0) env->GetLongArrayRegion(array, 0, length, reinterpret_cast<jlong*>(list));
  for (jsize i = length; i < max; ++i) list[i] = 0;
  return true;
}
inline bool words(JNIEnv* env, jintArray array, std::uint32_t* list, jsize length) {
  if (!array || env->GetArrayLength(array) != length)
    return refuse(env, ("array: expected " + std::to_string(length) + " words").c_str());
  env->GetIntArrayRegion(array, 0, length, reinterpret_cast<jint*>(list));
  return true;
}
inline jlongArray number_array(JNIEnv* env, const std::int64_t* list, std::int64_t length) {
  jlongArray created = env->NewLongArray(static_cast<jsize>(length));
  if (created && length > 0) env->SetLongArrayRegion(created, 0, static_cast<jsize>(length), reinterpret_cast<const jlong*>(list));
  return created;
}
inline jlongArray number_array(JNIEnv* env, const std::vector<std::int64_t>& list) {
  return number_array(env, list.data(), static_cast<std::int64_t>(list.size()));
}
inline jdoubleArray real_array(JNIEnv* env, const std::vector<double>& list) {
  const auto length = static_cast<jsize>(list.size());
  jdoubleArray created = env->NewDoubleArray(length);
  if (created && length > 0) env->SetDoubleArrayRegion(created, 0, length, list.data());
  return created;
}
inline jbyteArray byte_array(JNIEnv* env, const std::string& bytes) {
  const auto length = static_cast<jsize>(bytes.size());
  jbyteArray created = env->NewByteArray(length);
  if (created) env->SetByteArrayRegion(created, 0, length, reinterpret_cast<const jbyte*>(bytes.data()));
  return created;
}

// Copies the structs of a list, each for an object that will own it.
template <class Struct>
jlongArray held(JNIEnv* env, const std::vector<Struct>& list) {
  std::vector<std::int64_t> addresses;
  for (const Struct& element : list) {
    addresses.push_back(static_cast<std::int64_t>(reinterpret_cast<intptr_t>(static_cast<Struct*>(new Holder<Struct>(element)))));
  }
  return number_array(env, addresses);
}

// ---- Values: arrays of numbers ----

template <class Struct>
bool structs(JNIEnv* env, jlongArray array, std::vector<Struct>* list) {
  constexpr std::size_t count = std::tuple_size_v<decltype(numbers_of(Struct{}))>;
  std::vector<std::int64_t> flat;
  numbers(env, array, &flat);
  if (flat.size() % count != 0) return refuse(env, "array of numbers: its length does not match its structs");
  list->resize(flat.size() / count);
  for (std::size_t i = 0; i < list->size(); ++i) read(&flat[i * count], &(*list)[i]);
  return true;
}
template <class Struct>
jlongArray struct_array(JNIEnv* env, const std::vector<Struct>& list) {
  std::vector<std::int64_t> flat;
  flat.reserve(list.size() * std::tuple_size_v<decltype(numbers_of(Struct{}))>);
  for (const Struct& one : list) {
    const auto values = numbers_of(one);
    flat.insert(flat.end(), values.begin(), values.end());
  }
  return number_array(env, flat);
}

inline bool actions(JNIEnv* env, jlongArray array, std::vector<ckpt_schedule_action>* list) { return structs(env, array, list); }
inline jlongArray action_array(JNIEnv* env, const std::vector<ckpt_schedule_action>& list) { return struct_array(env, list); }
inline jlongArray interval_array(JNIEnv* env, const std::vector<ckpt_pipeline_interval>& list) { return struct_array(env, list); }
inline jlongArray program_buffer_array(JNIEnv* env, const std::vector<ckpt_program_buffer>& list) {
  return struct_array(env, list);
}
inline jlongArray program_operation_array(JNIEnv* env, const std::vector<ckpt_program_operation>& list) {
  return struct_array(env, list);
}

// Returns null for nullptr.
inline jlongArray drive_call_array(JNIEnv* env, const ckpt_drive_call* call) {
  if (!call) return number_array(env, nullptr, 0);
  const auto values = numbers_of(*call);
  return number_array(env, values.data(), static_cast<std::int64_t>(values.size()));
}

// Reads a spec: the dtype, then the lengths.
inline bool spec(JNIEnv* env, jlongArray array, ckpt_tensor_spec* out) {
  std::vector<std::int64_t> flat;
  numbers(env, array, &flat);
  if (flat.empty() || flat.size() > 9) return refuse(env, "tensor spec: expected a dtype and at most 8 lengths");
  *out = ckpt_tensor_spec{};
  out->dtype = static_cast<ckpt_dtype>(flat[0]);
  out->ndim = static_cast<std::int32_t>(flat.size() - 1);
  for (std::size_t i = 1; i < flat.size(); ++i) out->shape[i - 1] = flat[i];
  return true;
}
inline void append_spec(const ckpt_tensor_spec& spec, std::vector<std::int64_t>* flat) {
  flat->push_back(spec.dtype);
  flat->insert(flat->end(), spec.shape, spec.shape + spec.ndim);
}
inline jlongArray spec_array(JNIEnv* env, const ckpt_tensor_spec& spec) {
  std::vector<std::int64_t> flat;
  append_spec(spec, &flat);
  return number_array(env, flat);
}

// Returns seven numbers, both specs, each preceded by its length, the addresses of targets and pool, and evaluation.
inline jlongArray context_array(JNIEnv* env, const ckpt_layer_context& context) {
  std::vector<std::int64_t> flat = {context.option,      context.micro_batch, context.recomputation,
                                    context.layer,       context.step,        static_cast<std::int64_t>(context.seed),
                                    context.first_sample};
  for (const ckpt_tensor_spec* spec : {context.input, context.output}) {
    flat.push_back(spec->ndim + 1);
    append_spec(*spec, &flat);
  }
  for (const void* handle : {static_cast<const void*>(context.targets), static_cast<const void*>(context.pool)}) {
    flat.push_back(static_cast<std::int64_t>(reinterpret_cast<intptr_t>(handle)));
  }
  flat.push_back(context.evaluation);
  return number_array(env, flat);
}
inline bool layer_bytes(JNIEnv* env, jlongArray array, ckpt_layer_option* out) {
  std::vector<ckpt_layer_option> list;
  if (!structs(env, array, &list)) return false;
  *out = list.empty() ? ckpt_layer_option{} : list[0];
  return true;
}

// ---- Memory ----

inline bool direct(JNIEnv* env, jobject buffer, void** address, std::int64_t* bytes) {
  *address = nullptr;
  *bytes = 0;
  if (!buffer) return true;
  *address = env->GetDirectBufferAddress(buffer);
  *bytes = env->GetDirectBufferCapacity(buffer);
  if (!*address && *bytes != 0) {
    return refuse(env, "buffer: expected a direct buffer (ByteBuffer.allocateDirect), found a heap buffer");
  }
  return true;
}

struct View {
  std::int64_t address;
  std::int64_t bytes;
};
inline View view(std::int64_t address, std::int64_t bytes) { return View{address, bytes}; }
inline jobject view_object(JNIEnv* env, const View& view) {
  return env->NewDirectByteBuffer(reinterpret_cast<void*>(static_cast<intptr_t>(view.address)), view.bytes);
}

// The environment of the calling thread, attached as long as this exists.
class Attached {
 public:
  Attached() {
    if (machine.vm->GetEnv(reinterpret_cast<void**>(&env_), JNI_VERSION_10) == JNI_OK) return;
    attached_ = machine.vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env_), nullptr) == JNI_OK;
  }
  ~Attached() {
    if (attached_) machine.vm->DetachCurrentThread();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  JNIEnv* env() const { return env_; }

 private:
  JNIEnv* env_ = nullptr;
  bool attached_ = false;
};

struct Buffer {
  JNIEnv* env = nullptr;
  jobject object = nullptr;
};

inline void forget(void* reference) {
  if (ckpt_swig::machine_closed.load(std::memory_order_relaxed)) return;
  const Attached thread;
  if (thread.env()) thread.env()->DeleteGlobalRef(static_cast<jobject>(reference));
}

// The caller has checked the buffer's length against the shape.
inline ckpt_status tensor_create_borrowed(Buffer buffer, ckpt_dtype dtype, const std::int64_t* shape, std::int32_t ndim,
                                          ckpt_tensor** tensor) {
  void* address = nullptr;
  std::int64_t capacity = 0;
  if (!direct(buffer.env, buffer.object, &address, &capacity)) return CKPT_E_INVALID_ARGUMENT;
  if (capacity == 0) address = nullptr;
  jobject reference = buffer.env->NewGlobalRef(buffer.object);
  const ckpt_status status = ckpt_tensor_create_borrowed(address, dtype, shape, ndim, reference, forget, tensor);
  if (status != CKPT_OK) buffer.env->DeleteGlobalRef(reference);
  return status;
}

// ---- Callbacks ----

// Throws a Java exception as CallbackFailure, with its status and message; CallbackFailures.java also logs errors without a status.
[[noreturn]] inline void throw_callback_failure(JNIEnv* env, jthrowable thrown) {
  env->ExceptionClear();
  std::int32_t status = env->CallStaticIntMethod(machine.failures, machine.failure_status, thrown);
  if (env->ExceptionCheck()) {
    env->ExceptionClear();
    status = 1;
  }
  auto text = static_cast<jstring>(env->CallStaticObjectMethod(machine.failures, machine.failure_text, thrown));
  if (env->ExceptionCheck()) {
    env->ExceptionClear();
    text = nullptr;
  }
  Utf8String utf8;
  const bool got = text && utf8.get(env, text);
  if (!got) env->ExceptionClear();
  if (text) env->DeleteLocalRef(text);
  env->DeleteLocalRef(thrown);
  throw ckpt_swig::CallbackFailure(status, got ? utf8.data() : "exception without a message");
}

// Throws the error of a value that a callback returned.
[[noreturn]] inline void throw_pending(JNIEnv* env) {
  jthrowable thrown = env->ExceptionOccurred();
  if (!thrown) throw ckpt_swig::CallbackFailure(1, "callback: returned an invalid value");
  throw_callback_failure(env, thrown);
}

inline jobject lent_buffer(JNIEnv* env, const ckpt_swig::Bytes& bytes) {
  if (!bytes.data) return nullptr;
  if (bytes.size > INT32_MAX) throw ckpt_swig::CallbackFailure(1, "buffer of 2 GiB or more: a ByteBuffer cannot hold it");
  jobject buffer = env->NewDirectByteBuffer(bytes.data, bytes.size);
  if (!buffer || bytes.writable) return buffer;
  jobject read_only = env->CallObjectMethod(buffer, machine.read_only);
  env->DeleteLocalRef(buffer);
  if (env->ExceptionCheck()) throw_pending(env);
  return read_only;
}

// ---- Shutdown of the virtual machine ----

// Disables all calls into the virtual machine. Runs when the process exits: after the shutdown of the virtual machine, which stops
// threads that still call it, and before the destructors of the library's static objects.
inline void close_machine() { ckpt_swig::machine_closed.store(true); }

inline void thread_starts(const char* name, void*) {
  if (ckpt_swig::machine_closed.load()) return;
  JavaVMAttachArgs arguments = {JNI_VERSION_10, const_cast<char*>(name), nullptr};
  JNIEnv* env = nullptr;
  machine.vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env), &arguments);
}

inline void thread_stops(const char*, void*) {
  if (!ckpt_swig::machine_closed.load()) machine.vm->DetachCurrentThread();
}

inline jclass global_class(JNIEnv* env, const char* name) {
  jclass found = env->FindClass(name);
  return found ? static_cast<jclass>(env->NewGlobalRef(found)) : nullptr;
}

inline bool look_up(JavaVM* vm, JNIEnv* env) {
  machine.vm = vm;
  machine.exception = global_class(env, "org/ckpt/CkptException");
  if (!machine.exception) return false;
  machine.make_exception = env->GetStaticMethodID(machine.exception, "of", "(ILjava/lang/String;)Lorg/ckpt/CkptException;");
  machine.failures = global_class(env, "org/ckpt/CallbackFailures");
  if (!machine.make_exception || !machine.failures) return false;
  machine.failure_status = env->GetStaticMethodID(machine.failures, "status", "(Ljava/lang/Throwable;)I");
  machine.failure_text = env->GetStaticMethodID(machine.failures, "text", "(Ljava/lang/Throwable;)Ljava/lang/String;");
  machine.native_object = global_class(env, "org/ckpt/NativeObject");
  machine.lent_object = global_class(env, "org/ckpt/LentObject");
  jclass buffer = env->FindClass("java/nio/ByteBuffer");
  if (!machine.failure_status || !machine.failure_text || !machine.native_object || !machine.lent_object || !buffer) return false;
  machine.address = env->GetFieldID(machine.native_object, "address", "J");
  machine.closed = env->GetStaticMethodID(machine.native_object, "closed", "(Lorg/ckpt/NativeObject;)Lorg/ckpt/CkptException;");
  machine.make_lent = env->GetMethodID(machine.lent_object, "<init>", "(J)V");
  machine.read_only = env->GetMethodID(buffer, "asReadOnlyBuffer", "()Ljava/nio/ByteBuffer;");
  return machine.address && machine.closed && machine.make_lent && machine.read_only;
}

}  // namespace ckpt_java

// Threads of the library attach once, when they start, and not per callback. The library is never unloaded (-z nodelete), so the
// hooks stay until the process ends.
extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  if (!ckpt_java::look_up(vm, env)) return JNI_ERR;
  if (std::atexit(ckpt_java::close_machine) != 0) return JNI_ERR;
  std::int64_t id = 0;
  if (ckpt_add_thread_hooks(ckpt_java::thread_starts, ckpt_java::thread_stops, nullptr, nullptr, &id) != CKPT_OK) return JNI_ERR;
  return JNI_VERSION_10;
}

#endif  // CKPT_JAVA_SUPPORT_HPP
