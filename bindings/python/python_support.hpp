// python_support.hpp - what the typemaps of python.i call: conversions, exceptions, thread hooks, the buffer protocol, capsules.
// Everything runs with the GIL held unless it says otherwise. Functions that return bool have set a Python exception when false.
#ifndef CKPT_PYTHON_SUPPORT_HPP
#define CKPT_PYTHON_SUPPORT_HPP

// Included behind Python.h and SWIG's runtime.
#include <cstdio>
#include <vector>

#include "callbacks.hpp"
#include "calls.hpp"
#include "pipeline.hpp"

namespace ckpt_python {

struct Object {
  PyObject* object;
};

// ---- Errors --------------------------------------------------------------------------------------------------------------

// Takes (status, text) and returns an exception; set by the package.
static PyObject* error_factory = nullptr;

static PyObject* set_error_factory(PyObject*, PyObject* factory) {
  Py_INCREF(factory);
  Py_XDECREF(error_factory);
  error_factory = factory;
  Py_RETURN_NONE;
}

// Callable with or without the GIL.
inline void raise_text(ckpt_status status, const char* text) {
  const PyGILState_STATE gil = take_lock();
  PyObject* error = error_factory ? PyObject_CallFunction(error_factory, "is", static_cast<int>(status), text) : nullptr;
  if (error) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
    Py_DECREF(error);
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_RuntimeError, text);
  }
  PyGILState_Release(gil);
}

inline void raise(ckpt_status status) { raise_text(status, ckpt_last_error()); }

inline std::string text_of_exception(PyObject* error) {
  std::string text = Py_TYPE(error)->tp_name;
  PyObject* shown = PyObject_Str(error);
  const char* utf8 = shown ? PyUnicode_AsUTF8(shown) : nullptr;
  if (utf8 && *utf8) text += std::string(": ") + utf8;
  Py_XDECREF(shown);
  PyErr_Clear();
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

// What an exception means to storages and coordinators, which distinguish errors; 1 for all others.
inline std::int32_t status_of_exception(PyObject* error) {
  PyObject* status = PyObject_GetAttrString(error, "status");
  if (status && PyLong_Check(status)) {
    const long value = PyLong_AsLong(status);
    Py_DECREF(status);
    PyErr_Clear();
    if (value < 0 && value >= CKPT_E_INTERNAL) return static_cast<std::int32_t>(value);
    return 1;
  }
  Py_XDECREF(status);
  PyErr_Clear();
  const struct {
    PyObject* type;
    std::int32_t status;
  } known[] = {
      {PyExc_FileNotFoundError, CKPT_E_NOT_FOUND}, {PyExc_FileExistsError, CKPT_E_ALREADY_EXISTS},
      {PyExc_PermissionError, CKPT_E_PERMISSION},  {PyExc_BlockingIOError, CKPT_E_BUSY},
      {PyExc_TimeoutError, CKPT_E_TIMEOUT},        {PyExc_IsADirectoryError, CKPT_E_INVALID_ARGUMENT},
  };
  for (const auto& entry : known) {
    if (PyErr_GivenExceptionMatches(error, entry.type)) return entry.status;
  }
  if (PyErr_GivenExceptionMatches(error, PyExc_OSError)) {
    PyObject* number = PyObject_GetAttrString(error, "errno");
    const long value = number && PyLong_Check(number) ? PyLong_AsLong(number) : 0;
    Py_XDECREF(number);
    PyErr_Clear();
    if (value == ENOSPC || value == EDQUOT) return CKPT_E_NO_SPACE;
    if (value == ENOTEMPTY) return CKPT_E_ALREADY_EXISTS;
    return CKPT_E_IO;
  }
  return 1;
}

// Takes the exception that is set. Those that mean a status are an answer; any other is shown by sys.unraisablehook too.
[[noreturn]] inline void throw_callback_failure(PyObject* self) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const std::string text = value ? text_of_exception(value) : "unknown exception";
  const std::int32_t status = value ? status_of_exception(value) : 1;
  if (status == 1) {
    if (value && trace) PyException_SetTraceback(value, trace);
    PyErr_Restore(type, value, trace);
    PyErr_WriteUnraisable(self);
  } else {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  }
  throw ckpt_swig::CallbackFailure(status, text);
}

// ---- Values --------------------------------------------------------------------------------------------------------------

inline PyObject* text_object(const char* text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(strlen(text)), "surrogateescape");
}

inline bool text(PyObject* object, const char** out) {
  if (object == Py_None) {
    *out = nullptr;
    return true;
  }
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected a str, not %.80s", Py_TYPE(object)->tp_name);
    return false;
  }
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size);
  if (!utf8) return false;
  if (strlen(utf8) != static_cast<size_t>(size)) {
    PyErr_SetString(PyExc_ValueError, "text with a NUL inside");
    return false;
  }
  *out = utf8;
  return true;
}

// A strict list or tuple, whose elements live as long as it does.
inline PyObject* sequence(PyObject* object) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected a list or tuple, not %.80s", Py_TYPE(object)->tp_name);
    return nullptr;
  }
  return object;
}

inline bool integer(PyObject* object, std::int64_t* out) {
  PyObject* number = PyNumber_Index(object);
  if (!number) return false;
  *out = PyLong_AsLongLong(number);
  Py_DECREF(number);
  return !(*out == -1 && PyErr_Occurred());
}

inline bool integers(PyObject* object, std::vector<std::int64_t>* list) {
  if (!sequence(object)) return false;
  list->resize(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)));
  for (size_t i = 0; i < list->size(); ++i) {
    if (!integer(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), &(*list)[i])) return false;
  }
  return true;
}

// At most count of them; the rest is 0.
inline bool integers(PyObject* object, std::int64_t* out, size_t count) {
  std::vector<std::int64_t> list;
  if (!integers(object, &list)) return false;
  if (list.size() > count) {
    PyErr_Format(PyExc_ValueError, "%zu dimensions; at most %zu", list.size(), count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) out[i] = i < list.size() ? list[i] : 0;
  return true;
}

inline bool words(PyObject* object, std::uint32_t* out, size_t count) {
  std::vector<std::int64_t> list;
  if (!integers(object, &list)) return false;
  if (list.size() != count) {
    PyErr_Format(PyExc_ValueError, "expected %zu words, not %zu", count, list.size());
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (list[i] < 0 || list[i] > UINT32_MAX) {
      PyErr_SetString(PyExc_ValueError, "a word is outside 0 .. 2**32 - 1");
      return false;
    }
    out[i] = static_cast<std::uint32_t>(list[i]);
  }
  return true;
}

inline bool texts(PyObject* object, std::vector<const char*>* list) {
  if (!sequence(object)) return false;
  list->resize(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)));
  for (size_t i = 0; i < list->size(); ++i) {
    if (!text(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), &(*list)[i])) return false;
  }
  return true;
}

template <class Handle>
bool handles(PyObject* object, swig_type_info* type, std::vector<Handle*>* list) {
  if (!sequence(object)) return false;
  list->resize(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)));
  for (size_t i = 0; i < list->size(); ++i) {
    void* pointer = nullptr;
    if (!SWIG_IsOK(SWIG_ConvertPtr(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), &pointer, type, 0))) {
      PyErr_Format(PyExc_TypeError, "element %zu is not of type %s", i, SWIG_TypePrettyName(type));
      return false;
    }
    (*list)[i] = static_cast<Handle*>(pointer);
  }
  return true;
}

inline PyObject* integer_tuple(const std::int64_t* list, std::int64_t count) {
  if (!list || count < 0) count = 0;
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (std::int64_t i = 0; tuple && i < count; ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(list[i]));
  }
  return tuple;
}

inline PyObject* number_tuple(const std::vector<double>& list) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(list.size()));
  for (size_t i = 0; tuple && i < list.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyFloat_FromDouble(list[i]));
  }
  return tuple;
}

inline bool numbers(PyObject* object, std::vector<double>* list) {
  if (!sequence(object)) return false;
  list->resize(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)));
  for (size_t i = 0; i < list->size(); ++i) {
    (*list)[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)));
    if (PyErr_Occurred()) return false;
  }
  return true;
}

// 1 for each true element, 0 for each false one.
inline bool flags(PyObject* object, std::vector<std::int32_t>* list) {
  if (!sequence(object)) return false;
  list->resize(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)));
  for (size_t i = 0; i < list->size(); ++i) {
    const int truth = PyObject_IsTrue(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)));
    if (truth < 0) return false;
    (*list)[i] = truth;
  }
  return true;
}

// (kind, stage, chunk, micro_batch, begin_ns, end_ns) each
inline PyObject* interval_list(const std::vector<ckpt_interval>& intervals) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(intervals.size()));
  for (size_t i = 0; list && i < intervals.size(); ++i) {
    const ckpt_interval& v = intervals[i];
    PyList_SET_ITEM(
        list, static_cast<Py_ssize_t>(i),
        Py_BuildValue("(iiiiLL)", static_cast<int>(v.kind), static_cast<int>(v.stage), static_cast<int>(v.chunk),
                      static_cast<int>(v.micro_batch), static_cast<long long>(v.begin_ns), static_cast<long long>(v.end_ns)));
  }
  return list;
}

// (dtype, shape)
inline PyObject* spec_object(const ckpt_tensor_spec& spec) {
  return Py_BuildValue("(iN)", static_cast<int>(spec.dtype), integer_tuple(spec.shape, spec.ndim));
}

inline bool spec(PyObject* object, ckpt_tensor_spec* out) {
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple (dtype, shape)");
    return false;
  }
  std::int64_t dtype = 0;
  PyObject* shape = PyTuple_GET_ITEM(object, 1);
  *out = ckpt_tensor_spec{};
  if (!integer(PyTuple_GET_ITEM(object, 0), &dtype) || !integers(shape, out->shape, 8)) return false;
  out->dtype = static_cast<ckpt_dtype>(dtype);
  out->ndim = static_cast<std::int32_t>(PySequence_Fast_GET_SIZE(shape));
  return true;
}

// (tape, forward workspace, backward workspace) in bytes
inline bool layer_bytes(PyObject* object, ckpt_layer_option* out) {
  std::int64_t list[3] = {};
  if (!integers(object, list, 3)) return false;
  *out = ckpt_layer_option{list[0], list[1], list[2]};
  return true;
}

inline PyObject* context_object(const ckpt_layer_context& c) {
  return Py_BuildValue("(iiiLLKLNN)", static_cast<int>(c.option), static_cast<int>(c.micro_batch),
                       static_cast<int>(c.recomputation), static_cast<long long>(c.layer), static_cast<long long>(c.step),
                       static_cast<unsigned long long>(c.seed), static_cast<long long>(c.first_sample), spec_object(*c.input),
                       spec_object(*c.output));
}

inline PyObject* action_list(const std::vector<ckpt_action>& actions) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(actions.size()));
  for (size_t i = 0; list && i < actions.size(); ++i) {
    const ckpt_action& a = actions[i];
    PyList_SET_ITEM(
        list, static_cast<Py_ssize_t>(i),
        Py_BuildValue("(iiLLiiiiL)", static_cast<int>(a.kind), static_cast<int>(a.micro_batch), static_cast<long long>(a.first),
                      static_cast<long long>(a.last), static_cast<int>(a.option), static_cast<int>(a.item),
                      static_cast<int>(a.tier), static_cast<int>(a.slot), static_cast<long long>(a.transfer)));
  }
  return list;
}

inline bool actions(PyObject* object, std::vector<ckpt_action>* list) {
  if (!sequence(object)) return false;
  list->assign(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)), ckpt_action{});
  for (size_t i = 0; i < list->size(); ++i) {
    ckpt_action& a = (*list)[i];
    std::int64_t fields[9] = {};
    if (!integers(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), fields, 9)) return false;
    a.kind = static_cast<std::int32_t>(fields[0]);
    a.micro_batch = static_cast<std::int32_t>(fields[1]);
    a.first = fields[2];
    a.last = fields[3];
    a.option = static_cast<std::int32_t>(fields[4]);
    a.item = static_cast<std::int32_t>(fields[5]);
    a.tier = static_cast<std::int32_t>(fields[6]);
    a.slot = static_cast<std::int32_t>(fields[7]);
    a.transfer = fields[8];
  }
  return true;
}

// ---- Memory --------------------------------------------------------------------------------------------------------------

// The bytes of an object for one call.
class View {
 public:
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (held_) PyBuffer_Release(&view_);
  }
  bool get(PyObject* object, bool writable) {
    held_ = PyObject_GetBuffer(object, &view_, PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) == 0;
    return held_;
  }
  void* data() const { return view_.buf; }
  std::int64_t size() const { return view_.len; }

 private:
  Py_buffer view_{};
  bool held_ = false;
};

// Lends memory for one callback and counts who looks at it, so that a view that outlives the call is found.
struct Lender {
  PyObject_HEAD ckpt_swig::Bytes bytes;
  Py_ssize_t views;
};

inline int lend_buffer(PyObject* self, Py_buffer* view, int flags) {
  Lender* lender = reinterpret_cast<Lender*>(self);
  view->obj = nullptr;
  if (!lender->bytes.data) {
    PyErr_SetString(PyExc_BufferError, "this memory was lent for a call that is over");
    return -1;
  }
  const int failed = PyBuffer_FillInfo(view, self, lender->bytes.data, static_cast<Py_ssize_t>(lender->bytes.size),
                                       lender->bytes.writable ? 0 : 1, flags);
  if (!failed) ++lender->views;
  return failed;
}

inline void end_view(PyObject* self, Py_buffer*) { --reinterpret_cast<Lender*>(self)->views; }

inline PyObject* end_loan(PyObject* self, PyObject*) {
  Lender* lender = reinterpret_cast<Lender*>(self);
  lender->bytes.data = nullptr;
  if (lender->views == 0) Py_RETURN_NONE;
  PyErr_SetString(PyExc_BufferError, "a view was kept of memory that is lent for the call only");
  return nullptr;
}

inline PyTypeObject* lender_type() {
  static PyBufferProcs procs = {lend_buffer, end_view};
  static PyMethodDef methods[] = {{"end", end_loan, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
  static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "ckpt._native.Lender";
  type.tp_basicsize = sizeof(Lender);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_as_buffer = &procs;
  type.tp_methods = methods;
  return &type;
}

// A memoryview; None where there is nothing.
inline PyObject* lent(const ckpt_swig::Bytes& bytes) {
  if (!bytes.data) Py_RETURN_NONE;
  Lender* lender = PyObject_New(Lender, lender_type());
  if (!lender) return nullptr;
  lender->bytes = bytes;
  lender->views = 0;
  PyObject* view = PyMemoryView_FromObject(reinterpret_cast<PyObject*>(lender));
  Py_DECREF(lender);
  return view;
}

// Formats of the struct module, by dtype; nullptr for types that Python has no format for.
inline const char* buffer_format(ckpt_dtype dtype) {
  switch (dtype) {
    case CKPT_DTYPE_BOOL: return "?";
    case CKPT_DTYPE_U8: return "B";
    case CKPT_DTYPE_I8: return "b";
    case CKPT_DTYPE_I16: return "h";
    case CKPT_DTYPE_U16: return "H";
    case CKPT_DTYPE_F16: return "e";
    case CKPT_DTYPE_I32: return "i";
    case CKPT_DTYPE_U32: return "I";
    case CKPT_DTYPE_F32: return "f";
    case CKPT_DTYPE_I64: return sizeof(long) == 8 ? "l" : "q";
    case CKPT_DTYPE_U64: return sizeof(long) == 8 ? "L" : "Q";
    case CKPT_DTYPE_F64: return "d";
    case CKPT_DTYPE_C64: return "Zf";
    default: return nullptr;
  }
}

// The dtype of a buffer's format; 0 for none. Only the machine's own byte order.
inline ckpt_dtype dtype_of_format(const char* format, Py_ssize_t itemsize) {
  if (!format) format = "B";
  if (*format == '@' || *format == '=' || *format == (PY_BIG_ENDIAN ? '>' : '<')) ++format;
  if (strcmp(format, "Zf") == 0) return itemsize == 8 ? CKPT_DTYPE_C64 : 0;
  if (!format[0] || format[1]) return 0;
  const bool is_signed = strchr("bhilqn", format[0]) != nullptr;
  if (is_signed || strchr("BHILQNc", format[0])) {
    switch (itemsize) {
      case 1: return is_signed ? CKPT_DTYPE_I8 : CKPT_DTYPE_U8;
      case 2: return is_signed ? CKPT_DTYPE_I16 : CKPT_DTYPE_U16;
      case 4: return is_signed ? CKPT_DTYPE_I32 : CKPT_DTYPE_U32;
      case 8: return is_signed ? CKPT_DTYPE_I64 : CKPT_DTYPE_U64;
      default: return 0;
    }
  }
  switch (format[0]) {
    case '?': return CKPT_DTYPE_BOOL;
    case 'e': return CKPT_DTYPE_F16;
    case 'f': return CKPT_DTYPE_F32;
    case 'd': return CKPT_DTYPE_F64;
    default: return 0;
  }
}

// Any thread, without the GIL: the last reference to a borrowed tensor went.
inline void release_buffer(void* user) noexcept {
  if (!ckpt_swig::machine_closed && Py_IsInitialized()) {
    const PyGILState_STATE gil = take_lock();
    PyBuffer_Release(static_cast<Py_buffer*>(user));
    PyGILState_Release(gil);
    delete static_cast<Py_buffer*>(user);
  }
}

// DLPack 1.x: only what stands before its flags is needed here.
struct VersionedHead {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
};

// Through DLPack, which can say that memory must not be written.
inline ckpt_status make_read_only(ckpt_tensor* writable, ckpt_tensor** tensor) {
  DLManagedTensorVersioned* managed = nullptr;
  ckpt_status status = ckpt_tensor_to_dlpack_versioned(writable, &managed);
  if (status != CKPT_OK) return status;
  VersionedHead* head = reinterpret_cast<VersionedHead*>(managed);
  head->flags |= 1;
  status = ckpt_tensor_from_dlpack_versioned(managed, tensor);
  if (status != CKPT_OK) head->deleter(managed);
  return status;
}

// dtype 0: by the buffer's format. With a dtype the buffer's elements may be of another type of the same size (BF16 in uint16).
inline ckpt_status borrow(PyObject* object, ckpt_dtype dtype, ckpt_tensor** tensor) {
  Py_buffer* view = new Py_buffer();
  const int flags = PyBUF_FORMAT | PyBUF_STRIDES;
  if (PyObject_GetBuffer(object, view, flags | PyBUF_WRITABLE) != 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object, view, flags) != 0) {
      const std::string text = "a " + std::string(Py_TYPE(object)->tp_name) + " has no buffer";
      PyErr_Clear();
      delete view;
      PyErr_SetString(PyExc_TypeError, text.c_str());
      return CKPT_E_INVALID_ARGUMENT;
    }
  }
  const ckpt_dtype by_format = dtype_of_format(view->format, view->itemsize);
  const char* format = view->format ? view->format : "B";
  if (!PyBuffer_IsContiguous(view, 'C')) {
    PyErr_SetString(PyExc_TypeError, "the buffer is not C-contiguous: copy it first (numpy.ascontiguousarray)");
  } else if (dtype == 0 && by_format == 0) {
    PyErr_Format(PyExc_TypeError, "elements of buffer format '%.20s' have no dtype", format);
  } else if (dtype != 0 && ckpt_dtype_bits(dtype) != 8 * view->itemsize) {
    PyErr_Format(PyExc_TypeError, "dtype %s has %lld bits, the buffer's elements (format '%.20s') have %zd", ckpt_dtype_name(dtype),
                 static_cast<long long>(ckpt_dtype_bits(dtype)), format, 8 * view->itemsize);
  } else {
    std::vector<std::int64_t> shape(view->shape, view->shape + (view->shape ? view->ndim : 0));
    ckpt_tensor* made = nullptr;
    ckpt_status status =
        ckpt_tensor_borrow(view->buf, dtype ? dtype : by_format, shape.data(), view->ndim, release_buffer, view, &made);
    if (status == CKPT_OK) {
      if (!view->readonly) {
        *tensor = made;
        return CKPT_OK;
      }
      status = make_read_only(made, tensor);
      ckpt_tensor_release(made);
      return status;
    }
    PyBuffer_Release(view);
    delete view;
    return status;
  }
  PyBuffer_Release(view);
  delete view;
  return CKPT_E_INVALID_ARGUMENT;
}

inline ckpt_status tensor_borrow(Object buffer, ckpt_dtype dtype, ckpt_tensor** tensor) {
  return borrow(buffer.object, dtype, tensor);
}

// The interpreter goes down: from now on nothing calls into it.
inline void close_machine() {
  ckpt_swig::machine_closed = true;
  close_threads();
}

// ---- The base class of Tensor: the buffer protocol, which SWIG's proxies cannot have ---------------------------------------

struct TensorBuffer {
  PyObject_HEAD PyObject* handle;  // of a ckpt_tensor; nullptr when closed
  PyObject* weak;
};

inline ckpt_tensor* tensor_of(PyObject* handle) {
  static swig_type_info* type = SWIG_TypeQuery("ckpt_tensor *");
  void* pointer = nullptr;
  if (!handle || handle == Py_None || !SWIG_IsOK(SWIG_ConvertPtr(handle, &pointer, type, 0))) return nullptr;
  return static_cast<ckpt_tensor*>(pointer);
}

struct Export {
  ckpt_tensor* tensor;
  Py_ssize_t shape[CKPT_TENSOR_LARGEST_NDIM];
  Py_ssize_t strides[CKPT_TENSOR_LARGEST_NDIM];
};

inline int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  static char nothing[8];
  view->obj = nullptr;
  ckpt_tensor* tensor = tensor_of(reinterpret_cast<TensorBuffer*>(self)->handle);
  if (!tensor) {
    PyErr_SetString(PyExc_BufferError, "the tensor is closed");
    return -1;
  }
  const ckpt_dtype dtype = ckpt_tensor_dtype(tensor);
  const char* format = buffer_format(dtype);
  if (!format) {
    PyErr_Format(PyExc_BufferError, "%s has no buffer format: use raw() for its bytes", ckpt_dtype_name(dtype));
    return -1;
  }
  const bool read_only = ckpt_tensor_is_read_only(tensor) != 0;
  if ((flags & PyBUF_WRITABLE) && read_only) {
    PyErr_SetString(PyExc_BufferError, "the tensor is read-only");
    return -1;
  }
  Export* out = new Export{};
  out->tensor = tensor;
  const int ndim = static_cast<int>(ckpt_tensor_ndim(tensor));
  const std::int64_t* shape = ckpt_tensor_shape(tensor);
  Py_ssize_t stride = static_cast<Py_ssize_t>(ckpt_dtype_bits(dtype) / 8);
  view->itemsize = stride;
  for (int i = ndim; i-- > 0;) {
    out->shape[i] = static_cast<Py_ssize_t>(shape[i]);
    out->strides[i] = stride;
    stride *= out->shape[i];
  }
  const void* data = ckpt_tensor_const_data(tensor);
  view->buf = data ? const_cast<void*>(data) : nothing;
  view->len = static_cast<Py_ssize_t>(ckpt_tensor_bytes(tensor));
  view->readonly = read_only ? 1 : 0;
  view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  view->ndim = ndim;
  view->shape = (flags & PyBUF_ND) ? out->shape : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? out->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = out;
  view->obj = self;
  Py_INCREF(self);
  ckpt_tensor_retain(tensor);
  return 0;
}

inline void release_export(PyObject*, Py_buffer* view) {
  Export* out = static_cast<Export*>(view->internal);
  ckpt_tensor_release(out->tensor);
  delete out;
}

inline PyObject* get_handle(PyObject* self, void*) {
  PyObject* handle = reinterpret_cast<TensorBuffer*>(self)->handle;
  if (!handle) Py_RETURN_NONE;
  Py_INCREF(handle);
  return handle;
}

inline int set_handle(PyObject* self, PyObject* handle, void*) {
  PyObject*& place = reinterpret_cast<TensorBuffer*>(self)->handle;
  PyObject* old = place;
  place = handle && handle != Py_None ? handle : nullptr;
  Py_XINCREF(place);
  Py_XDECREF(old);
  return 0;
}

// Subclasses release the tensor; this only forgets it.
inline void deallocate(PyObject* self) {
  if (reinterpret_cast<TensorBuffer*>(self)->weak) PyObject_ClearWeakRefs(self);
  Py_XDECREF(reinterpret_cast<TensorBuffer*>(self)->handle);
  Py_TYPE(self)->tp_free(self);
}

inline PyTypeObject* tensor_buffer_type() {
  static PyBufferProcs procs = {get_buffer, release_export};
  static PyGetSetDef members[] = {{"_slot", get_handle, set_handle, nullptr, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "ckpt._native.TensorBuffer";
  type.tp_basicsize = sizeof(TensorBuffer);
  type.tp_weaklistoffset = offsetof(TensorBuffer, weak);
  type.tp_dealloc = deallocate;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_new = PyType_GenericNew;
  type.tp_as_buffer = &procs;
  type.tp_getset = members;
  return &type;
}

// Raw bytes of a tensor of any dtype: an object with a buffer of format "B" that keeps the tensor alive.
inline int get_raw_buffer(PyObject* self, Py_buffer* view, int flags) {
  static char nothing[8];
  ckpt_tensor* tensor = tensor_of(reinterpret_cast<TensorBuffer*>(self)->handle);
  view->obj = nullptr;
  if (!tensor) {
    PyErr_SetString(PyExc_BufferError, "the tensor is closed");
    return -1;
  }
  const void* data = ckpt_tensor_const_data(tensor);
  if (PyBuffer_FillInfo(view, self, data ? const_cast<void*>(data) : nothing, static_cast<Py_ssize_t>(ckpt_tensor_bytes(tensor)),
                        ckpt_tensor_is_read_only(tensor), flags) != 0) {
    return -1;
  }
  Export* out = new Export{};
  out->tensor = tensor;
  view->internal = out;
  ckpt_tensor_retain(tensor);
  return 0;
}

inline PyTypeObject* raw_buffer_type() {
  static PyBufferProcs procs = {get_raw_buffer, release_export};
  static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "ckpt._native.RawBuffer";
  type.tp_base = tensor_buffer_type();
  type.tp_basicsize = sizeof(TensorBuffer);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_as_buffer = &procs;
  return &type;
}

// ---- DLPack --------------------------------------------------------------------------------------------------------------

struct UnversionedHead {  // DLManagedTensor: a DLTensor of 48 bytes stands before these
  unsigned char tensor[48];
  void* context;
  void (*deleter)(DLManagedTensor*);
};

// A capsule whose struct nobody took is deleted with it.
inline PyObject* capsule(DLManagedTensor* managed) {
  return PyCapsule_New(managed, "dltensor", [](PyObject* self) {
    if (!PyCapsule_IsValid(self, "dltensor")) return;
    auto* unused = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(self, "dltensor"));
    reinterpret_cast<UnversionedHead*>(unused)->deleter(unused);
  });
}
inline PyObject* capsule(DLManagedTensorVersioned* managed) {
  return PyCapsule_New(managed, "dltensor_versioned", [](PyObject* self) {
    if (!PyCapsule_IsValid(self, "dltensor_versioned")) return;
    auto* unused = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(self, "dltensor_versioned"));
    reinterpret_cast<VersionedHead*>(unused)->deleter(unused);
  });
}

// ---- Start ---------------------------------------------------------------------------------------------------------------

// Each thread of the library has a Python thread state of its own for as long as it lives, so that a callback need not make one.
struct ThreadState {
  PyGILState_STATE gil;
  PyThreadState* saved;
};
static thread_local ThreadState thread_state;

inline void thread_starts(const char*, void*) {
  thread_state.saved = nullptr;
  if (ckpt_swig::machine_closed || !Py_IsInitialized()) return;
  thread_state.gil = take_lock();
  thread_state.saved = PyEval_SaveThread();
}

inline void thread_stops(const char*, void*) {
  if (!thread_state.saved || ckpt_swig::machine_closed || !Py_IsInitialized()) return;
  take_lock_back(thread_state.saved);
  PyGILState_Release(thread_state.gil);
}

static PyMethodDef factory_method = {"set_error_factory", set_error_factory, METH_O, nullptr};

inline bool start(PyObject* module) {
  PyTypeObject* tensor = tensor_buffer_type();
  PyTypeObject* raw = raw_buffer_type();
  if (PyType_Ready(tensor) < 0 || PyType_Ready(raw) < 0 || PyType_Ready(lender_type()) < 0) return false;
  Py_INCREF(tensor);
  Py_INCREF(raw);
  if (PyModule_AddObject(module, "TensorBuffer", reinterpret_cast<PyObject*>(tensor)) < 0) return false;
  if (PyModule_AddObject(module, "RawBuffer", reinterpret_cast<PyObject*>(raw)) < 0) return false;
  PyObject* setter = PyCFunction_New(&factory_method, nullptr);
  if (!setter || PyModule_AddObject(module, "set_error_factory", setter) < 0) return false;
  std::int64_t id = 0;
  if (ckpt_add_thread_hooks(thread_starts, thread_stops, nullptr, nullptr, &id) != CKPT_OK) {
    PyErr_SetString(PyExc_ImportError, ckpt_last_error());
    return false;
  }
  return true;
}

}  // namespace ckpt_python

#endif  // CKPT_PYTHON_SUPPORT_HPP
