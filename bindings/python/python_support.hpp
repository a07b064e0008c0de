// python_support.hpp - helpers of the typemaps in python.i, and startup and shutdown of the extension.
#ifndef CKPT_PYTHON_SUPPORT_HPP
#define CKPT_PYTHON_SUPPORT_HPP

// Included after Python.h and SWIG's runtime.
#include "python_drive.hpp"
#include "python_memory.hpp"
#include "python_threads.hpp"
#include "python_values.hpp"

// Needs the functions above.
#include "generated/tuples.hpp"

namespace ckpt_python {

// ---- Lists of structs -----------------------------------------------------------------------------------------------------

template <class Struct>
PyObject* tuple_of_all(const std::vector<Struct>& list) {
  return tuple_of_each(list.data(), static_cast<std::int64_t>(list.size()), [](const Struct& one) { return tuple_of(one); });
}

inline bool actions(PyObject* object, std::vector<ckpt_schedule_action>* list) {
  return elements(object, list, [](PyObject* element, ckpt_schedule_action* out) { return struct_of(element, out); });
}

// ---- Startup and shutdown
// --------------------------------------------------------------------------------------------------------

// Disables all calls into the interpreter, which is shutting down.
inline void close_machine() {
  ckpt_swig::machine_closed = true;
  close_threads();
}

// Gives each thread of the library a Python thread state for its lifetime, so that callbacks need not create one.
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
  if (PyType_Ready(tensor) < 0 || PyType_Ready(raw) < 0 || PyType_Ready(borrowed_memory_type()) < 0) return false;
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
