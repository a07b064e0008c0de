// python_values.hpp - conversion of errors and values: exceptions of failed calls and failed callbacks, numbers, strings, lists,
// structs. Everything runs with the GIL held unless stated otherwise. Functions that return bool have set a Python exception when
// they return false.
#ifndef CKPT_PYTHON_VALUES_HPP
#define CKPT_PYTHON_VALUES_HPP

// Included after Python.h and SWIG's runtime.
#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <string>
#include <vector>

#include "callbacks.hpp"
#include "calls.hpp"
#include "engine.hpp"
#include "pipeline.hpp"

namespace ckpt_python {

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

// Returns the status of an exception for storages and coordinators, which distinguish errors; 1 for all others.
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

// Throws the current Python exception as CallbackFailure. Also passes exceptions without a status to sys.unraisablehook.
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

inline PyObject* none() { Py_RETURN_NONE; }

// Adds an out-parameter to the result of a call: one out-parameter is the result, several are a list. Takes both references. SWIG's
// own SWIG_Python_AppendOutput has other parameters since 4.3, and keeps the None of a ckpt_status there.
inline PyObject* append_output(PyObject* result, PyObject* output) {
  if (result == nullptr) return output;
  if (result == Py_None) {
    Py_DECREF(result);
    return output;
  }
  if (output == nullptr) {
    Py_DECREF(result);
    return nullptr;
  }
  PyObject* list = PyList_Check(result) ? result : PyList_New(1);
  if (list != nullptr && list != result) PyList_SET_ITEM(list, 0, result);
  const bool is_added = list != nullptr && PyList_Append(list, output) == 0;
  Py_DECREF(output);
  if (is_added) return list;
  Py_DECREF(list == nullptr ? result : list);
  return nullptr;
}
inline PyObject* object_of(std::int32_t value) { return PyLong_FromLong(value); }
inline PyObject* object_of(std::uint32_t value) { return PyLong_FromUnsignedLong(value); }
inline PyObject* object_of(std::int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject* object_of(std::uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
inline PyObject* object_of(double value) { return PyFloat_FromDouble(value); }

// Wrap handles that a callback borrows; None for no handle.
inline PyObject* lent(const ckpt_tensor* tensor) {
  return tensor ? SWIG_NewPointerObj(const_cast<ckpt_tensor*>(tensor), SWIGTYPE_p_ckpt_tensor, 0) : none();
}
inline PyObject* lent(ckpt_worker_pool* pool) { return pool ? SWIG_NewPointerObj(pool, SWIGTYPE_p_ckpt_worker_pool, 0) : none(); }

// Returns a tuple that takes the items; nullptr when one of them is nullptr.
inline PyObject* packed(std::initializer_list<PyObject*> items) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(items.size()));
  bool whole = tuple != nullptr;
  Py_ssize_t place = 0;
  for (PyObject* item : items) {
    whole = whole && item;
    if (tuple) {
      PyTuple_SET_ITEM(tuple, place++, item);
    } else {
      Py_XDECREF(item);
    }
  }
  if (!whole) Py_CLEAR(tuple);
  return tuple;
}

inline bool text(PyObject* object, const char** out) {
  if (object == Py_None) {
    *out = nullptr;
    return true;
  }
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected a str, found %.80s", Py_TYPE(object)->tp_name);
    return false;
  }
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size);
  if (!utf8) return false;
  if (strlen(utf8) != static_cast<size_t>(size)) {
    PyErr_SetString(PyExc_ValueError, "string contains a NUL");
    return false;
  }
  *out = utf8;
  return true;
}

// Converts each element of a list or tuple by convert(object, &element).
template <class Element, class Convert>
bool elements(PyObject* object, std::vector<Element>* list, const Convert& convert) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected a list or tuple, found %.80s", Py_TYPE(object)->tp_name);
    return false;
  }
  list->assign(static_cast<size_t>(PySequence_Fast_GET_SIZE(object)), Element{});
  for (size_t i = 0; i < list->size(); ++i) {
    if (!convert(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), &(*list)[i])) return false;
  }
  return true;
}

inline bool integer(PyObject* object, std::int64_t* out) {
  PyObject* number = PyNumber_Index(object);
  if (!number) return false;
  *out = PyLong_AsLongLong(number);
  Py_DECREF(number);
  return !(*out == -1 && PyErr_Occurred());
}

inline bool integers(PyObject* object, std::vector<std::int64_t>* list) { return elements(object, list, integer); }

// Converts at most count integers; the rest is 0.
inline bool integers(PyObject* object, std::int64_t* out, size_t count) {
  std::vector<std::int64_t> list;
  if (!integers(object, &list)) return false;
  if (list.size() > count) {
    PyErr_Format(PyExc_ValueError, "expected at most %zu dimensions, found %zu", count, list.size());
    return false;
  }
  for (size_t i = 0; i < count; ++i) out[i] = i < list.size() ? list[i] : 0;
  return true;
}

inline bool words(PyObject* object, std::uint32_t* out, size_t count) {
  std::vector<std::int64_t> list;
  if (!integers(object, &list)) return false;
  if (list.size() != count) {
    PyErr_Format(PyExc_ValueError, "expected %zu words, found %zu", count, list.size());
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (list[i] < 0 || list[i] > UINT32_MAX) {
      PyErr_SetString(PyExc_ValueError, "word: expected 0 .. 2**32 - 1");
      return false;
    }
    out[i] = static_cast<std::uint32_t>(list[i]);
  }
  return true;
}

template <class Handle>
bool handles(PyObject* object, swig_type_info* type, std::vector<Handle*>* list) {
  return elements(object, list, [&](PyObject* element, Handle** out) {
    void* pointer = nullptr;
    if (!SWIG_IsOK(SWIG_ConvertPtr(element, &pointer, type, 0))) {
      PyErr_Format(PyExc_TypeError, "element: expected type %s, found %.80s", SWIG_TypePrettyName(type), Py_TYPE(element)->tp_name);
      return false;
    }
    *out = static_cast<Handle*>(pointer);
    return true;
  });
}

inline bool numbers(PyObject* object, std::vector<double>* list) {
  return elements(object, list, [](PyObject* element, double* out) {
    *out = PyFloat_AsDouble(element);
    return !PyErr_Occurred();
  });
}

// Converts each element to 1 if it is true, else to 0.
inline bool flags(PyObject* object, std::vector<std::int32_t>* list) {
  return elements(object, list, [](PyObject* element, std::int32_t* out) { return (*out = PyObject_IsTrue(element)) >= 0; });
}

// Returns a tuple of the results of make(element); not a list, to which SWIG would append out-parameters.
template <class Element, class Make>
PyObject* tuple_of_each(const Element* list, std::int64_t count, const Make& make) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (std::int64_t i = 0; tuple && i < count; ++i) PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), make(list[i]));
  return tuple;
}
inline PyObject* integer_tuple(const std::int64_t* list, std::int64_t count) {
  return tuple_of_each(list, list ? std::max<std::int64_t>(count, 0) : 0, PyLong_FromLongLong);
}
inline PyObject* number_tuple(const std::vector<double>& list) {
  return tuple_of_each(list.data(), static_cast<std::int64_t>(list.size()), PyFloat_FromDouble);
}

// Returns (dtype, shape).
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

}  // namespace ckpt_python

#endif  // CKPT_PYTHON_VALUES_HPP
