// java.i - conversion of values between C and Java. Errors become exceptions, out-parameters arrays of one (null: not wanted),
// handles NativeObjects as arguments and longs as results, strings Strings, borrowed memory direct ByteBuffers. Everything that
// SWIG generates is package-private in org.ckpt; the hand-written classes around it are the public API.
%begin %{
#define SWIG_JAVA_ATTACH_CURRENT_THREAD_AS_DAEMON
%}
%{
#include "java_support.hpp"

namespace ckpt_java {
inline jlongArray row_array(JNIEnv* env, const std::vector<ckpt_pipeline_interval>& list) { return interval_array(env, list); }
inline jlongArray row_array(JNIEnv* env, const std::vector<ckpt_program_buffer>& list) { return program_buffer_array(env, list); }
inline jlongArray row_array(JNIEnv* env, const std::vector<ckpt_program_operation>& list) {
  return program_operation_array(env, list);
}
}  // namespace ckpt_java

// Called when the C++ object of a director ends. SWIG's function calls into Java, which leaks a local reference each time, for an
// object that owns nothing any more. The runtime above defines the function; the directors below do not need it.
#define swig_disconnect_director_self(method) static_cast<void>(0)
%}
%include <std_string.i>
%define %arg(text...)
text %enddef

%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static { NativeLoader.load(); }
%}
%typemap(javaclassmodifiers) SWIGTYPE "class"
%typemap(javainterfaces) SWIGTYPE "AutoCloseable"
%typemap(javafinalize) SWIGTYPE "" // no finalizers: each object is closed explicitly
%typemap(javacode) SWIGTYPE %{
  @Override
  public void close() {
    delete();
  }
%}
%rename("$ignore", %$isconstant) ""; // enums and tests contain the numbers, which never change

// ---- Structs: own the strings that were assigned to them ----
#define CKPT_HOLDER(name) ckpt_java::Holder<name>
%typemap(memberin) const char* "$1 = ckpt_java::keep(arg1, $input);"

// Maps a type to the types in JNI and in Java; nothing is freed or returned unless typemaps below do it.
%define CKPT_AS(signature, jni_type, java_type)
%typemap(jni) signature "jni_type"
%typemap(jtype) signature "java_type"
%typemap(jstype) signature "java_type"
%typemap(javain) signature "$javainput"
%typemap(javaout) signature {
    return $jnicall;
  }
%typemap(freearg) signature ""
%typemap(argout) signature ""
%enddef

// An argument of a callback. A thread may stay inside the library indefinitely, so the reference is released after each call.
%define CKPT_GIVEN_TO_CALLBACK(type, java_descriptor, make)
%typemap(directorin, descriptor="java_descriptor", noblock=1) type {
  $input = make;
  const Swig::LocalRefGuard $1_guard(jenv, $input);
}
%enddef

// ---- Errors ----
%typemap(jni) ckpt_status "void"
%typemap(jtype) ckpt_status "void"
%typemap(jstype) ckpt_status "void"
%typemap(javaout) ckpt_status {
    $jnicall;
  }
%typemap(out) ckpt_status {
  if ($1 != CKPT_OK) {
    ckpt_java::raise(jenv, $1, ckpt_last_error());
    return $null;
  }
}
%apply int32_t { ckpt_status status, ckpt_status unreported_status }; // arguments and struct members are plain numbers

%feature("director:except") {
  jthrowable $error = jenv->ExceptionOccurred();
  if ($error) {
    if (swigjobj) jenv->DeleteLocalRef(swigjobj);
    ckpt_java::throw_callback_failure(jenv, $error);
  }
}

%define CKPT_FAIL(status, message)
    ckpt_java::raise(jenv, status, message);
    return $null;
%enddef

// ---- Numbers: int64_t is C's long (-DSWIGWORDSIZE64), which SWIG treats as 32 bits. Unsigned numbers keep their bits ----
%apply long long { long, unsigned long, int64_t, uint64_t };
%apply int { unsigned int, uint32_t };

// ---- Strings: UTF-8, not JNI's modified UTF-8 ----
%typemap(in) const char* (ckpt_java::Utf8String text) {
  if (!text.get(jenv, $input)) return $null;
  $1 = const_cast<char*>(text.data());
}
%typemap(freearg) const char* ""
%typemap(out) const char*, char[ANY] "$result = ckpt_java::text_object(jenv, $1);"
CKPT_GIVEN_TO_CALLBACK(const char*, Ljava/lang/String;, %arg(ckpt_java::text_object(jenv, $1)))
%typemap(out) std::string "$result = ckpt_java::text_object(jenv, $1.c_str());"

// ---- Out-parameters: arrays of one ----
%define CKPT_OUT(type, java_type, array)
CKPT_AS(type*, array, java_type[])
%typemap(in) type* (type fetched = 0) "$1 = &fetched;"
%typemap(argout) type* {
  ckpt_java::set(jenv, $input, fetched$argnum);
}
%enddef
CKPT_OUT(int32_t, int, jintArray)
CKPT_OUT(ckpt_dtype, int, jintArray)
CKPT_OUT(ckpt_profile_flag, int, jintArray)
CKPT_OUT(int64_t, long, jlongArray)
CKPT_OUT(uint64_t, long, jlongArray)
CKPT_OUT(double, double, jdoubleArray)
CKPT_AS(const char**, jobjectArray, String[])
%typemap(in) const char** (const char* fetched = NULL) "$1 = const_cast<char**>(&fetched);"
%typemap(argout) const char** {
  ckpt_java::set(jenv, $input, fetched$argnum);
}

%define CKPT_ADDRESS_OUT(type)
CKPT_AS(type**, jlongArray, long[])
%typemap(in) type** (type* fetched = NULL) "$1 = &fetched;"
%typemap(argout) type** {
  ckpt_java::set(jenv, $input, static_cast<int64_t>(reinterpret_cast<intptr_t>(fetched$argnum)));
}
%enddef

// ---- Handles ----
%define CKPT_HANDLE(type)
CKPT_AS(type*, jobject, NativeObject)
%typemap(in) type* {
  if (!ckpt_java::handle(jenv, $input, reinterpret_cast<void**>(const_cast<type**>(&$1)))) return $null;
}
%typemap(out) type* "$result = ckpt_java::lent(jenv, $1);"
CKPT_GIVEN_TO_CALLBACK(type*, L$packagepath/NativeObject;, %arg(ckpt_java::lent(jenv, $1)))
%typemap(directorout) type* {
  const Swig::LocalRefGuard guard(jenv, $input);
  $result = static_cast<type*>(ckpt_java::given(jenv, $input));
}
%typemap(javadirectorin) type* "$jniinput"
%typemap(javadirectorout) type* "$javacall"
CKPT_ADDRESS_OUT(type)
%enddef
%define CKPT_SHARED_HANDLE(type)
CKPT_HANDLE(type)
%enddef
%include "generated/handles.i"

// ---- Addresses ----
%define CKPT_ADDRESS(type)
CKPT_AS(type, jlong, long)
%typemap(in) type "$1 = reinterpret_cast<$1_ltype>(static_cast<intptr_t>($input));"
%typemap(out) type "$result = static_cast<jlong>(reinterpret_cast<intptr_t>($1));"
%enddef
CKPT_ADDRESS(void*)
CKPT_ADDRESS(const void*)
CKPT_ADDRESS(DLManagedTensor*)
CKPT_ADDRESS(DLManagedTensorVersioned*)
CKPT_ADDRESS_OUT(DLManagedTensor)
CKPT_ADDRESS_OUT(DLManagedTensorVersioned)

// ---- Arrays ----
%define CKPT_GIVEN(element, array, length, jni_type, java_type, convert)
CKPT_AS(%arg((array, length)), jni_type, java_type)
%typemap(in) (array, length) (std::vector<element> list) {
  convert;
  $1 = list.data();
  $2 = static_cast<$2_ltype>(list.size());
}
%enddef
%define CKPT_NUMBERS(element, array, length, jni_type, java_type)
CKPT_GIVEN(element, array, length, jni_type, java_type, %arg(ckpt_java::numbers(jenv, $input, &list)))
%enddef
%define CKPT_HANDLES(type, array, length)
CKPT_GIVEN(type*, array, length, jobjectArray, NativeObject[], %arg(if (!ckpt_java::handles(jenv, $input, &list)) return $null))
%enddef
CKPT_NUMBERS(int64_t, const int64_t* shape, int32_t ndim, jlongArray, long[])
CKPT_NUMBERS(int64_t, const int64_t* offsets, int32_t ndim, jlongArray, long[])
CKPT_NUMBERS(int64_t, const int64_t* begins, int64_t count, jlongArray, long[])
CKPT_NUMBERS(int64_t, const int64_t* begins, int64_t begins_count, jlongArray, long[])
CKPT_NUMBERS(int64_t, const int64_t* inputs, int64_t inputs_count, jlongArray, long[])
CKPT_NUMBERS(int64_t, const int64_t* needed, int64_t needed_count, jlongArray, long[])
CKPT_NUMBERS(int64_t, const int64_t* values, int64_t values_count, jlongArray, long[])
CKPT_NUMBERS(double, const double* gap_seconds, int64_t gap_count, jdoubleArray, double[])
CKPT_NUMBERS(ckpt_bool, const ckpt_bool* failed, int64_t failed_count, jintArray, int[])
CKPT_HANDLES(ckpt_strategy, ckpt_strategy* const* children, int64_t children_count)
CKPT_HANDLES(ckpt_schedule, ckpt_schedule* const* schedules, int64_t schedule_count)
CKPT_GIVEN(ckpt_schedule_action, const ckpt_schedule_action* actions, int64_t actions_count, jlongArray, long[],
           %arg(if (!ckpt_java::actions(jenv, $input, &list)) return $null))
%define CKPT_WORDS(signature, length)
CKPT_AS(signature, jintArray, int[])
%typemap(in) signature (uint32_t list[length]) {
  if (!ckpt_java::words(jenv, $input, list, length)) return $null;
  $1 = list;
}
%enddef
CKPT_WORDS(const uint32_t counter[4], 4)
CKPT_WORDS(const uint32_t key[2], 2)
CKPT_AS(uint32_t out[4], jintArray, int[])
%typemap(in) uint32_t out[4] (uint32_t created[4]) "$1 = created;"
%typemap(argout) uint32_t out[4] {
  jenv->SetIntArrayRegion($input, 0, 4, reinterpret_cast<const jint*>($1));
}
// Arrays in structs: read and written as a whole.
CKPT_AS(int64_t [ANY], jlongArray, long[])
%typemap(out) int64_t [ANY] "$result = ckpt_java::number_array(jenv, $1, $1_dim0);"
%typemap(in) int64_t [ANY] (int64_t list[$1_dim0]) {
  if (!ckpt_java::numbers(jenv, $input, list, $1_dim0)) return $null;
  $1 = list;
}
%typemap(memberin) int64_t [ANY] "memcpy($1, $input, sizeof($1));"
CKPT_AS(const int64_t* ckpt_tensor_info::shape, jlongArray, long[])
%typemap(out) const int64_t* ckpt_tensor_info::shape "$result = ckpt_java::number_array(jenv, $1, arg1->ndim);"
CKPT_AS(const int64_t* ckpt_tensor_get_shape, jlongArray, long[])
%typemap(out) const int64_t* ckpt_tensor_get_shape "$result = ckpt_java::number_array(jenv, $1, ckpt_tensor_get_ndim(arg1));"

// ---- Memory of the other language, valid during the call ----
%define CKPT_BUFFER(data, size)
CKPT_AS(%arg((data, size)), jobject, java.nio.Buffer)
%typemap(in) (data, size) {
  void* address = NULL;
  if (!ckpt_java::direct(jenv, $input, &address, &$2)) return $null;
  $1 = address;
}
%enddef
CKPT_BUFFER(const void* data, int64_t bytes)
CKPT_BUFFER(const void* sent, int64_t bytes)
CKPT_BUFFER(void* data, int64_t bytes)
CKPT_BUFFER(void* received, int64_t received_bytes)
CKPT_AS(ckpt_swig::Bytes, jobject, java.nio.ByteBuffer)
CKPT_GIVEN_TO_CALLBACK(ckpt_swig::Bytes, Ljava/nio/ByteBuffer;, %arg(ckpt_java::lent_buffer(jenv, $1)))
%typemap(in) ckpt_swig::Bytes "" // only the library calls these functions
%typemap(javadirectorin) ckpt_swig::Bytes "NativeBuffers.lent($jniinput)"
%typemap(javaout) ckpt_swig::Bytes {
    return NativeBuffers.lent($jnicall);
  }
%typemap(out) ckpt_swig::Bytes {
  try {
    $result = ckpt_java::lent_buffer(jenv, $1);
  } catch (const ckpt_swig::CallbackFailure& failure) {
    ckpt_java::raise(jenv, failure.status(), failure.what());
    return $null;
  }
}

// ---- Values of calls.hpp and callbacks.hpp, as arrays of numbers ----
%define CKPT_NUMBER_VALUE(type)
CKPT_AS(type, jlongArray, long[])
%typemap(in) type "" // only the library calls these functions
%typemap(out) type "$result = NULL;"
%typemap(javadirectorin) type "$jniinput"
%typemap(javadirectorout) type "$javacall"
%enddef
CKPT_EACH(CKPT_NUMBER_VALUE, ckpt_swig::Spec, const ckpt_tensor_spec*, ckpt_swig::LayerBytes, ckpt_swig::LayerContext,
          ckpt_swig::DriveCall, ckpt_swig::DriveCalls, ckpt_swig::Shape, ckpt_swig::Actions)
%typemap(in) const ckpt_tensor_spec* (ckpt_tensor_spec given) {
  if (!ckpt_java::spec(jenv, $input, &given)) return $null;
  $1 = &given;
}
CKPT_GIVEN_TO_CALLBACK(ckpt_swig::Spec, [J, %arg(ckpt_java::spec_array(jenv, $1.value)))
%typemap(directorout) ckpt_swig::Spec {
  const Swig::LocalRefGuard guard(jenv, $input);
  if (!ckpt_java::spec(jenv, $input, &$result.value)) ckpt_java::throw_pending(jenv);
}
%typemap(directorin, descriptor="[J") ckpt_swig::LayerBytes ""
%typemap(directorout) ckpt_swig::LayerBytes {
  const Swig::LocalRefGuard guard(jenv, $input);
  if (!ckpt_java::layer_bytes(jenv, $input, &$result.value)) ckpt_java::throw_pending(jenv);
}
CKPT_GIVEN_TO_CALLBACK(ckpt_swig::LayerContext, [J, %arg(ckpt_java::context_array(jenv, *$1.value)))
CKPT_GIVEN_TO_CALLBACK(ckpt_swig::Shape, [J, %arg(ckpt_java::number_array(jenv, $1.lengths, $1.ndim)))
CKPT_GIVEN_TO_CALLBACK(ckpt_swig::DriveCall, [J, %arg(ckpt_java::drive_call_array(jenv, $1.value)))
%typemap(out) ckpt_swig::DriveCalls "$result = ckpt_java::drive_call_array(jenv, $1.list.empty() ? nullptr : $1.list.data());"
%typemap(out) ckpt_swig::Actions "$result = ckpt_java::action_array(jenv, $1.list);"
CKPT_NUMBER_VALUE(ckpt_swig::Integers)
%typemap(out) ckpt_swig::Integers "$result = ckpt_java::number_array(jenv, $1.list);"
%define CKPT_ROWS(list_type, element)
%ignore element;
%ignore ckpt_swig::list_type;
CKPT_NUMBER_VALUE(ckpt_swig::list_type)
%typemap(out) ckpt_swig::list_type "$result = ckpt_java::row_array(jenv, $1.list);"
%enddef
CKPT_AS(ckpt_swig::Numbers, jdoubleArray, double[])
%typemap(out) ckpt_swig::Numbers "$result = ckpt_java::real_array(jenv, $1.list);"
CKPT_AS(ckpt_swig::ByteString, jbyteArray, byte[])
%typemap(out) ckpt_swig::ByteString "$result = ckpt_java::byte_array(jenv, $1.bytes);"
%define CKPT_LIST(list_type, element)
%ignore ckpt_swig::list_type;
%typemap(jni) ckpt_swig::list_type "jlongArray"
%typemap(jtype) ckpt_swig::list_type "long[]"
%typemap(jstype) ckpt_swig::list_type "element[]"
%typemap(javaout) ckpt_swig::list_type {
    long[] addresses = $jnicall;
    element[] created = new element[addresses.length];
    for (int i = 0; i < created.length; ++i) created[i] = new element(addresses[i], true);
    return created;
  }
%typemap(out) ckpt_swig::list_type "$result = ckpt_java::held(jenv, $1.list);"
%enddef
#define CKPT_QUICK(name)

// ---- Directors: the C++ object keeps the Java object alive until it is deleted ----
%typemap(javain) SWIGTYPE* "$javaclassname.getCPtr($javainput)"
%define CKPT_HANDED_OVER(type)
%rename(Native##type) ckpt_swig::type;
%typemap(javacode) ckpt_swig::type %{
  @Override
  public void close() {
    delete();
  }

  /** Hands the object over to the library, which keeps it alive until its last call. */
  final $javaclassname pinned() {
    swigReleaseOwnership();
    return this;
  }
%}
%enddef
CKPT_HANDED_OVER(PartWork)

// ---- A tensor over a direct buffer, which it keeps alive; a buffer over a tensor ----
%ignore ckpt_tensor_create_borrowed;
%rename(ckpt_tensor_create_borrowed) ckpt_java::tensor_create_borrowed;
%rename(view) ckpt_java::view;
%ignore ckpt_java::Buffer;
CKPT_AS(ckpt_java::Buffer, jobject, java.nio.Buffer)
%typemap(in) ckpt_java::Buffer "$1.env = jenv; $1.object = $input;"
CKPT_AS(ckpt_java::View, jobject, java.nio.ByteBuffer)
%typemap(out) ckpt_java::View "$result = ckpt_java::view_object(jenv, $1);"
%ignore ckpt_java::View;
namespace ckpt_java {
struct Buffer {};
struct View {};
ckpt_status tensor_create_borrowed(ckpt_java::Buffer buffer, ckpt_dtype dtype, const int64_t* shape, int32_t ndim,
                                   ckpt_tensor** tensor);
ckpt_java::View view(int64_t address, int64_t bytes);
}  // namespace ckpt_java
