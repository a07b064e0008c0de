// python.i - conversion of values between C and Python. Errors become exceptions, out-parameters results, handles opaque objects
// (None for NULL), strings str, borrowed memory memoryview. The GIL is released in every call but the cheap ones named below.
%begin %{
#include "python_threads.hpp"
%}
%{
#include "python_support.hpp"
%}
%include <std_string.i>

%init %{
#if SWIG_VERSION < 0x040400
  // Creates the last of the types that Python warns about, during the import instead of at interpreter shutdown.
  if (!SWIG_globals()) return NULL;
#endif
  if (!ckpt_python::start(m)) return NULL;
%}

// ---- Errors ----
%typemap(out) ckpt_status {
  if ($1 != CKPT_OK) {
    if (!PyErr_Occurred()) ckpt_python::raise($1);
    SWIG_fail;
  }
  $result = SWIG_Py_Void();
}
%typemap(out) ckpt_status status, ckpt_status unreported_status "$result = PyLong_FromLong($1);" // struct members are plain numbers

%feature("director:except") {
  if ($error != NULL) ckpt_python::throw_callback_failure(swig_get_self());
}

%define CKPT_FAIL(status, message)
    ckpt_python::raise_text(status, message);
    SWIG_fail;
%enddef

// ---- Strings: borrowed from the str, which is valid at least during the call ----
%typemap(in) const char* {
  if (!ckpt_python::text($input, const_cast<const char**>(&$1))) SWIG_fail;
}
%typemap(freearg) const char* ""
%typemap(typecheck, precedence=SWIG_TYPECHECK_STRING) const char* "$1 = $input == Py_None || PyUnicode_Check($input);"
%typemap(memberin) const char* "$1 = $input;" // borrowed: the caller keeps the str alive until the struct was used
%typemap(out) const char* "$result = ckpt_python::text_object($1);"
%typemap(directorin) const char* "$input = ckpt_python::text_object($1);"

// ---- Numbers: every object with __index__, including numpy's integers ----
%typemap(in) int64_t {
  if (!ckpt_python::integer($input, &$1)) SWIG_fail;
}

// ---- Out-parameters ----
%define CKPT_OUT(type, make)
%typemap(in, numinputs=0) type* (type fetched = 0) "$1 = &fetched;"
%typemap(argout) type* {
  $result = ckpt_python::append_output($result, make);
}
%enddef
CKPT_OUT(int32_t, PyLong_FromLong(*$1))
CKPT_OUT(int64_t, PyLong_FromLongLong(*$1))
CKPT_OUT(ckpt_profile_flag, PyLong_FromUnsignedLong(*$1))
CKPT_OUT(uint64_t, PyLong_FromUnsignedLongLong(*$1))
CKPT_OUT(double, PyFloat_FromDouble(*$1))
%apply int32_t* {ckpt_dtype*, ckpt_bool*, ckpt_strategy_chosen*, ckpt_tree_kind*, ckpt_tree_form*};
%typemap(in, numinputs=0) const char** (const char* fetched = NULL) "$1 = const_cast<char**>(&fetched);"
%typemap(argout) const char** {
  $result = ckpt_python::append_output($result, ckpt_python::text_object(*$1));
}
%typemap(in, numinputs=0) SWIGTYPE** ($*1_ltype fetched = NULL) "$1 = &fetched;"
%typemap(argout) SWIGTYPE** {
  $result = ckpt_python::append_output($result, SWIG_NewPointerObj(SWIG_as_voidptr(*$1), $*1_descriptor, 0));
}

// Structs that a call fills are tuples; generated/records.i lists them.
%define CKPT_RECORD(type, name, defaults)
%typemap(in, numinputs=0) type* name (type fetched) {
  static const type initial = defaults;
  fetched = initial;
  $1 = &fetched;
}
%typemap(argout) type* name {
  $result = ckpt_python::append_output($result, $1 ? ckpt_python::tuple_of(*$1) : SWIG_Py_Void());
}
%typemap(in) const type* name = SWIGTYPE*;
%typemap(argout) const type* name ""
%typemap(directorin) const type* name "$input = ckpt_python::tuple_of(*$1);"
%enddef
%include "generated/records.i"
%typemap(check) ckpt_checkpoint_task_result* result "if (arg2 == CKPT_CHECKPOINT_TASK_ALL) $1 = NULL;" // no single result

// Excludes const parameters, which are inputs.
%typemap(argout) const int64_t*, const int32_t*, const double*, const char* const*, SWIGTYPE* const* ""

// ---- Addresses ----
%typemap(out) void*, const void* "$result = PyLong_FromVoidPtr(const_cast<void*>((const void*)$1));"

// ---- Arrays ----
%define CKPT_GIVEN(element, array, length, convert)
%typemap(in) (array, length) (std::vector<element> list) {
  if (!ckpt_python::convert) SWIG_fail;
  $1 = list.data();
  $2 = static_cast<$2_ltype>(list.size());
}
%typemap(argout) (array, length) ""
%enddef
CKPT_GIVEN(int64_t, const int64_t* shape, int32_t ndim, integers($input, &list))
CKPT_GIVEN(int64_t, const int64_t* offsets, int32_t ndim, integers($input, &list))
CKPT_GIVEN(int64_t, const int64_t* begins, int64_t count, integers($input, &list))
CKPT_GIVEN(int64_t, const int64_t* begins, int64_t begins_count, integers($input, &list))
CKPT_GIVEN(int64_t, const int64_t* inputs, int64_t inputs_count, integers($input, &list))
CKPT_GIVEN(int64_t, const int64_t* needed, int64_t needed_count, integers($input, &list))
CKPT_GIVEN(int64_t, const int64_t* values, int64_t values_count, integers($input, &list))
CKPT_GIVEN(double, const double* gap_seconds, int64_t gap_count, numbers($input, &list))
CKPT_GIVEN(ckpt_bool, const ckpt_bool* failed, int64_t failed_count, flags($input, &list))
CKPT_GIVEN(ckpt_strategy*, ckpt_strategy* const* children, int64_t children_count, %arg(handles($input, $descriptor(ckpt_strategy*), &list)))
CKPT_GIVEN(ckpt_schedule*, ckpt_schedule* const* schedules, int64_t schedule_count, %arg(handles($input, $descriptor(ckpt_schedule*), &list)))
CKPT_GIVEN(ckpt_schedule_action, const ckpt_schedule_action* actions, int64_t actions_count, actions($input, &list))
%typemap(in) const uint32_t counter[4] (uint32_t list[4]), const uint32_t key[2] (uint32_t list[2]) {
  if (!ckpt_python::words($input, list, sizeof(list) / sizeof(list[0]))) SWIG_fail;
  $1 = list;
}
%typemap(in, numinputs=0) uint32_t out[4] (uint32_t created[4]) "$1 = created;"
%typemap(argout) uint32_t out[4] {
  $result = ckpt_python::append_output($result, Py_BuildValue("(kkkk)", (unsigned long)$1[0], (unsigned long)$1[1],
                                                         (unsigned long)$1[2], (unsigned long)$1[3]));
}
// Arrays in structs: written as a whole.
%typemap(out) int64_t shape[8] "$result = ckpt_python::integer_tuple($1, 8);"
%typemap(in) int64_t shape[8] (int64_t list[8]) {
  if (!ckpt_python::integers($input, list, 8)) SWIG_fail;
  $1 = list;
}
%typemap(memberin) int64_t shape[8] "memcpy($1, $input, sizeof($1));"
%typemap(out) const int64_t* ckpt_tensor_get_shape "$result = ckpt_python::integer_tuple($1, ckpt_tensor_get_ndim(arg1));"

// ---- Memory of the other language, valid during the call ----
%define CKPT_LENT(memory, length, is_writable)
%typemap(in) (memory, length) (ckpt_python::View view) {
  if (!view.get($input, is_writable)) SWIG_fail;
  $1 = view.data();
  $2 = view.size();
}
%enddef
CKPT_LENT(const void* data, int64_t bytes, false)
CKPT_LENT(const void* sent, int64_t bytes, false)
CKPT_LENT(void* data, int64_t bytes, true)
CKPT_LENT(void* received, int64_t received_bytes, true)
%typemap(directorin) ckpt_swig::Bytes "$input = ckpt_python::lent($1);"
%typemap(out) ckpt_swig::Bytes "$result = ckpt_python::lent($1);"

// ---- Values of calls.hpp and callbacks.hpp ----
%typemap(in) const ckpt_tensor_spec* (ckpt_tensor_spec given) {
  if (!ckpt_python::spec($input, &given)) SWIG_fail;
  $1 = &given;
}
%typemap(directorin) ckpt_swig::Spec "$input = ckpt_python::spec_object($1.value);"
%typemap(directorout) ckpt_swig::Spec {
  if (!ckpt_python::spec($input, &$result.value)) ckpt_python::throw_callback_failure(swig_get_self());
}
%typemap(directorout) ckpt_swig::LayerBytes {
  if (!ckpt_python::struct_of($input, &$result.value)) ckpt_python::throw_callback_failure(swig_get_self());
}
%typemap(directorin) ckpt_swig::LayerContext "$input = ckpt_python::tuple_of(*$1.value);"
%typemap(directorin) ckpt_swig::Shape "$input = ckpt_python::integer_tuple($1.lengths, $1.ndim);"
%typemap(directorout) int64_t {
  if (!ckpt_python::integer($input, &$result)) ckpt_python::throw_callback_failure(swig_get_self());
}
%typemap(directorout) bool {
  const int truth = PyObject_IsTrue($input);
  if (truth < 0) ckpt_python::throw_callback_failure(swig_get_self());
  $result = truth != 0;
}
%typemap(out) ckpt_swig::ByteString "$result = PyBytes_FromStringAndSize($1.bytes.data(), (Py_ssize_t)$1.bytes.size());"
%define CKPT_LIST(list_type, element)
%ignore ckpt_swig::list_type;
%typemap(out) ckpt_swig::list_type "$result = ckpt_python::tuple_of_all($1.list);"
%enddef
%define CKPT_ROWS(list_type, element)
CKPT_LIST(list_type, element)
%ignore element;
%enddef
CKPT_LIST(Actions, ckpt_schedule_action)
%typemap(out) ckpt_swig::Integers "$result = ckpt_python::integer_tuple($1.list.data(), (std::int64_t)$1.list.size());"
%typemap(out) ckpt_swig::Numbers "$result = ckpt_python::number_tuple($1.list);"

// ---- DLPack: capsules ----
%define CKPT_CAPSULE(managed_type, name)
%typemap(in) managed_type* {
  $1 = static_cast<managed_type*>(PyCapsule_GetPointer($input, name));
  if (!$1) SWIG_fail;
}
%typemap(argout) managed_type* {
  PyCapsule_SetName($input, "used_" name);
}
%typemap(in, numinputs=0) managed_type** (managed_type* fetched = NULL) "$1 = &fetched;"
%typemap(argout) managed_type** {
  $result = ckpt_python::append_output($result, ckpt_python::capsule(*$1));
}
%enddef
CKPT_CAPSULE(DLManagedTensor, "dltensor")
CKPT_CAPSULE(DLManagedTensorVersioned, "dltensor_versioned")

// ---- Tensors over the memory of objects with a buffer; drivers: their callbacks acquire the GIL ----
%typemap(in) ckpt_python::Object "$1.object = $input;"
%typemap(typecheck) ckpt_python::Object "$1 = 1;"
%ignore ckpt_python::Object;
%rename(ckpt_tensor_create_borrowed) ckpt_python::tensor_create_borrowed;
%ignore ckpt_tensor_create_borrowed;
%nothread ckpt_python::tensor_create_borrowed;
%define CKPT_DRIVER(name)
%ignore ckpt_driver_##name;
%rename(ckpt_driver_##name) ckpt_python::driver_##name;
%nothread ckpt_python::driver_##name;
%enddef
CKPT_EACH(CKPT_DRIVER, create, forward, backward, run, get_failure)
%nothread ckpt_driver_cancel;
%nothread ckpt_driver_release;
namespace ckpt_python {
struct Object {};
ckpt_status tensor_create_borrowed(ckpt_python::Object buffer, ckpt_dtype dtype, ckpt_tensor** tensor);
ckpt_status driver_create(ckpt_schedule* schedule, ckpt_python::Object functions, ckpt_driver** driver, int64_t* state);
PyObject* driver_forward(ckpt_driver* driver, int64_t state, ckpt_python::Object box);
PyObject* driver_backward(ckpt_driver* driver, int64_t state, ckpt_python::Object box);
PyObject* driver_run(ckpt_driver* driver, int64_t state, ckpt_python::Object box);
PyObject* driver_get_failure(ckpt_driver* driver);
void close_machine();
}  // namespace ckpt_python

// ---- Calls that take nanoseconds and never wait keep the GIL ----
%define CKPT_QUICK(name)
%nothread name;
%enddef
CKPT_EACH(CKPT_QUICK, ckpt_callback_error, ckpt_dtype_find, ckpt_random_philox, ckpt_tensor_create_from_dlpack,
          ckpt_tensor_create_from_dlpack_versioned, ckpt_tensor_export_dlpack, ckpt_tensor_export_dlpack_versioned,
          ckpt_schedule_get_name, ckpt_schedule_get_left_out, ckpt_worker_pool_get_thread_count, ckpt_chain_get_layer_count,
          ckpt_profile_get_layer_count)

#define CKPT_HANDED_OVER(name)
#define CKPT_HOLDER(name) name
