// python_memory.hpp - the buffer protocol in both directions: memory borrowed for a call or a callback, tensors over buffers,
// buffers over tensors, DLPack capsules. Everything runs with the GIL held unless stated otherwise.
#ifndef CKPT_PYTHON_MEMORY_HPP
#define CKPT_PYTHON_MEMORY_HPP

// Included after Python.h and SWIG's runtime.
#include <cstring>
#include <string>
#include <vector>

#include "callbacks.hpp"
#include "python_threads.hpp"

namespace ckpt_python {

struct Object {
  PyObject* object;
};

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

// Exposes memory during one callback and counts its views, to detect a view that outlives the call.
struct BorrowedMemory {
  PyObject_HEAD ckpt_swig::Bytes bytes;
  Py_ssize_t views;
};

inline int get_borrowed_buffer(PyObject* self, Py_buffer* view, int flags) {
  BorrowedMemory* borrowed = reinterpret_cast<BorrowedMemory*>(self);
  view->obj = nullptr;
  if (!borrowed->bytes.data) {
    PyErr_SetString(PyExc_BufferError, "this memory was valid only during a call that has ended");
    return -1;
  }
  const int failed = PyBuffer_FillInfo(view, self, borrowed->bytes.data, static_cast<Py_ssize_t>(borrowed->bytes.size),
                                       borrowed->bytes.writable ? 0 : 1, flags);
  if (!failed) ++borrowed->views;
  return failed;
}

inline void end_view(PyObject* self, Py_buffer*) { --reinterpret_cast<BorrowedMemory*>(self)->views; }

inline PyObject* end_borrow(PyObject* self, PyObject*) {
  BorrowedMemory* borrowed = reinterpret_cast<BorrowedMemory*>(self);
  borrowed->bytes.data = nullptr;
  if (borrowed->views == 0) Py_RETURN_NONE;
  PyErr_SetString(PyExc_BufferError, "a view remains of memory that is valid only during the call");
  return nullptr;
}

inline PyTypeObject* borrowed_memory_type() {
  static PyBufferProcs procs = {get_borrowed_buffer, end_view};
  static PyMethodDef methods[] = {{"end", end_borrow, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
  static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "ckpt._native.BorrowedMemory";
  type.tp_basicsize = sizeof(BorrowedMemory);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_as_buffer = &procs;
  type.tp_methods = methods;
  return &type;
}

// Returns a memoryview; None for no memory.
inline PyObject* lent(const ckpt_swig::Bytes& bytes) {
  if (!bytes.data) Py_RETURN_NONE;
  BorrowedMemory* borrowed = PyObject_New(BorrowedMemory, borrowed_memory_type());
  if (!borrowed) return nullptr;
  borrowed->bytes = bytes;
  borrowed->views = 0;
  PyObject* view = PyMemoryView_FromObject(reinterpret_cast<PyObject*>(borrowed));
  Py_DECREF(borrowed);
  return view;
}

// Returns the format of the struct module for a dtype; nullptr when Python has none.
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

// Returns the dtype of a buffer's format; 0 for none. Accepts only native byte order.
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

// Called on any thread, without the GIL, when the last reference to a borrowed tensor was released.
inline void release_buffer(void* user) noexcept {
  if (!ckpt_swig::machine_closed && Py_IsInitialized()) {
    const PyGILState_STATE gil = take_lock();
    PyBuffer_Release(static_cast<Py_buffer*>(user));
    PyGILState_Release(gil);
    delete static_cast<Py_buffer*>(user);
  }
}

// DLPack 1.x: only the fields up to the flags are needed here.
struct VersionedHead {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
};

// Creates a read-only tensor through DLPack, which has a flag for it.
inline ckpt_status make_read_only(ckpt_tensor* writable, ckpt_tensor** tensor) {
  DLManagedTensorVersioned* managed = nullptr;
  ckpt_status status = ckpt_tensor_export_dlpack_versioned(writable, &managed);
  if (status != CKPT_OK) return status;
  VersionedHead* head = reinterpret_cast<VersionedHead*>(managed);
  head->flags |= 1;
  status = ckpt_tensor_create_from_dlpack_versioned(managed, tensor);
  if (status != CKPT_OK) head->deleter(managed);
  return status;
}

// Creates a tensor over a buffer. dtype 0: from the buffer's format. Otherwise the buffer's elements may be of another type of the
// same size (BF16 in uint16).
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
    ckpt_tensor* created = nullptr;
    ckpt_status status =
        ckpt_tensor_create_borrowed(view->buf, dtype ? dtype : by_format, shape.data(), view->ndim, view, release_buffer, &created);
    if (status == CKPT_OK) {
      if (!view->readonly) {
        *tensor = created;
        return CKPT_OK;
      }
      status = make_read_only(created, tensor);
      ckpt_tensor_release(created);
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

inline ckpt_status tensor_create_borrowed(Object buffer, ckpt_dtype dtype, ckpt_tensor** tensor) {
  return borrow(buffer.object, dtype, tensor);
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
  const ckpt_dtype dtype = ckpt_tensor_get_dtype(tensor);
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
  const int ndim = static_cast<int>(ckpt_tensor_get_ndim(tensor));
  const std::int64_t* shape = ckpt_tensor_get_shape(tensor);
  Py_ssize_t stride = static_cast<Py_ssize_t>(ckpt_dtype_bits(dtype) / 8);
  view->itemsize = stride;
  for (int i = ndim; i-- > 0;) {
    out->shape[i] = static_cast<Py_ssize_t>(shape[i]);
    out->strides[i] = stride;
    stride *= out->shape[i];
  }
  const void* data = ckpt_tensor_get_const_data(tensor);
  view->buf = data ? const_cast<void*>(data) : nothing;
  view->len = static_cast<Py_ssize_t>(ckpt_tensor_get_bytes(tensor));
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

// Drops the handle; subclasses release the tensor.
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

// Fills a buffer of format "B" with the raw bytes of a tensor of any dtype; the object keeps the tensor alive.
inline int get_raw_buffer(PyObject* self, Py_buffer* view, int flags) {
  static char nothing[8];
  ckpt_tensor* tensor = tensor_of(reinterpret_cast<TensorBuffer*>(self)->handle);
  view->obj = nullptr;
  if (!tensor) {
    PyErr_SetString(PyExc_BufferError, "the tensor is closed");
    return -1;
  }
  const void* data = ckpt_tensor_get_const_data(tensor);
  if (PyBuffer_FillInfo(view, self, data ? const_cast<void*>(data) : nothing,
                        static_cast<Py_ssize_t>(ckpt_tensor_get_bytes(tensor)), ckpt_tensor_is_read_only(tensor), flags) != 0) {
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

struct UnversionedHead {  // DLManagedTensor: preceded by a DLTensor of 48 bytes
  unsigned char tensor[48];
  void* context;
  void (*deleter)(DLManagedTensor*);
};

// Returns a capsule. If the struct is not consumed, it is deleted with its capsule.
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

}  // namespace ckpt_python

#endif  // CKPT_PYTHON_MEMORY_HPP
