// python_drive.hpp - the callbacks of a driver. A step makes thousands of calls. Therefore the library calls Python's functions
// without a SWIG director, and reuses the DriveCall objects of the previous step. An item is a PyObject*: the driver holds one
// reference until a callback takes it. All functions run with the GIL held.
#ifndef CKPT_PYTHON_DRIVE_HPP
#define CKPT_PYTHON_DRIVE_HPP

// Included after Python.h and SWIG's runtime.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <unordered_set>
#include <vector>

#include "python_memory.hpp"
#include "python_values.hpp"

#include "generated/tuples.hpp"

namespace ckpt_python {

struct Drive {
  // Indexes of functions. Functions that take items call take() for each.
  enum {
    forward,
    record,
    backward,
    turn,
    store,
    load,
    wait,
    drop,
    forward_n,
    record_n,
    backward_n,
    taking_forward,
    taking_record,
    make_record,
    count
  };
  static constexpr int max_taken = 5;  // arguments of a callback
  static constexpr std::size_t max_records = 1 << 20;
  struct Record {
    ckpt_drive_call call;
    PyObject* object;
  };

  PyObject* functions[count];  // borrowed from the Driver object, so that the collector finds cycles through it
  PyObject* take = nullptr;
  PyObject* taken[max_taken] = {};
  int next_taken = 0;
  std::unordered_set<PyObject*> live;
  std::vector<Record> records;  // of the calls of a step, in order
  std::size_t next_record = 0;
  bool is_running = false;
  bool is_released = false;                                                  // the driver is destroyed; a callback may close it
  PyObject *error_type = nullptr, *error = nullptr, *error_trace = nullptr;  // the first exception of a callback

  // Takes the reference. The driver refuses an object that is live already.
  void* handle_of(PyObject* item) {
    if (item == Py_None || !live.insert(item).second) Py_DECREF(item);
    return item == Py_None ? nullptr : item;
  }

  // Returns the driver's reference; None for no handle.
  PyObject* take_reference(void* handle) {
    if (!handle) return none();
    live.erase(static_cast<PyObject*>(handle));
    return static_cast<PyObject*>(handle);
  }

  PyObject* record_of(const ckpt_drive_call& call) {
    const bool is_known = next_record < records.size();
    if (is_known && std::memcmp(&records[next_record].call, &call, sizeof call) == 0) return records[next_record++].object;
    PyObject* const tuple = tuple_of(call);
    PyObject* const created = tuple ? PyObject_CallFunctionObjArgs(functions[make_record], tuple, nullptr) : nullptr;
    Py_XDECREF(tuple);
    if (!created) return nullptr;
    if (next_record == max_records) --next_record;  // reuse the last entry
    if (next_record == records.size()) records.push_back({call, none()});
    Py_DECREF(records[next_record].object);
    records[next_record] = {call, created};
    return records[next_record++].object;
  }

  PyObject* call(int which, const ckpt_drive_call& what, void* item = nullptr, bool has_item = true) {
    PyObject* const record = record_of(what);
    if (!record) return nullptr;
    Py_INCREF(record);
    PyObject* const arguments[] = {record, item ? static_cast<PyObject*>(item) : Py_None};
    PyObject* const created = PyObject_Vectorcall(functions[which], arguments, has_item ? 2 : 1, nullptr);
    Py_DECREF(record);
    return created;
  }

  // Only the callback holds the items. A reference that is passed as an argument would live here until the callback returns.
  PyObject* call_taking(int which, const ckpt_drive_call& what, std::initializer_list<PyObject*> items) {
    std::copy(items.begin(), items.end(), taken);
    next_taken = 0;
    PyObject* const created = call(which, what, take);
    for (PyObject*& left : taken) Py_CLEAR(left);
    return created;
  }
  PyObject* call_with_input(int which, int taking, const ckpt_drive_call& what, void* input) {
    return what.flags & CKPT_DRIVE_FLAG_TAKE_INPUT ? call_taking(taking, what, {take_reference(input)}) : call(which, what, input);
  }

  int32_t failed() {
    if (error_type)
      PyErr_Clear();
    else
      PyErr_Fetch(&error_type, &error, &error_trace);
    return 1;
  }
  int32_t give(PyObject* created, void** handle) {
    if (!created) return failed();
    *handle = handle_of(created);
    return 0;
  }
  int32_t done(PyObject* created) {
    if (!created) return failed();
    Py_DECREF(created);
    return 0;
  }
};

inline Drive& drive_of(void* user) { return *static_cast<Drive*>(user); }
inline Drive& drive_of(int64_t state) { return drive_of(reinterpret_cast<void*>(static_cast<intptr_t>(state))); }

inline PyObject* take_item(PyObject* self, PyObject*) {
  Drive& drive = drive_of(PyCapsule_GetPointer(self, nullptr));
  PyObject* item = nullptr;
  if (drive.next_taken < Drive::max_taken) std::swap(item, drive.taken[drive.next_taken++]);
  if (!item) PyErr_SetString(PyExc_RuntimeError, "call: all its items were taken already");
  return item;
}

// If a callback closes the driver, the object is deleted at the end of the step.
inline void release_drive(void* user) noexcept {
  Drive& drive = drive_of(user);
  drive.is_released = true;
  if (drive.is_running || ckpt_swig::machine_closed) return;
  for (const Drive::Record& record : drive.records) Py_DECREF(record.object);
  Py_XDECREF(drive.take);
  delete &drive;
}

inline PyObject* shown(void* handle) {
  PyObject* const item = handle ? static_cast<PyObject*>(handle) : Py_None;
  Py_INCREF(item);
  return item;
}

// Returns a list that holds the only reference to inputs of their last use.
inline PyObject* list_of(Drive& to, void* const* inputs, int64_t count, const ckpt_drive_flag* flags) {
  PyObject* const list = PyList_New(count);
  for (int64_t i = 0; i < count; ++i) {
    PyObject* const item = flags[i] & CKPT_DRIVE_FLAG_TAKE_INPUT ? to.take_reference(inputs[i]) : shown(inputs[i]);
    if (list)
      PyList_SET_ITEM(list, i, item);
    else
      Py_DECREF(item);
  }
  return list;
}

// Takes the reference to made: a pair of output and tape.
inline int32_t give_recorded(Drive& to, PyObject* created, void** output, void** tape) {
  if (!created) return to.failed();
  const bool is_pair = PyTuple_CheckExact(created) && PyTuple_GET_SIZE(created) == 2;
  if (is_pair) {
    *output = to.handle_of(shown(PyTuple_GET_ITEM(created, 0)));
    *tape = to.handle_of(shown(PyTuple_GET_ITEM(created, 1)));
  } else {
    ckpt_callback_error((std::string("expected a tuple of output and tape, returned a ") + Py_TYPE(created)->tp_name).c_str());
  }
  Py_DECREF(created);
  return is_pair ? 0 : 2;
}

inline PyObject* call_with_inputs(Drive& to, int which, const ckpt_drive_call& call, void* const* inputs, int64_t count,
                                  const ckpt_drive_flag* flags) {
  PyObject* const list = list_of(to, inputs, count, flags);
  PyObject* const created = list ? to.call(which, call, list) : nullptr;
  Py_XDECREF(list);
  return created;
}

inline int32_t drive_forward_n(const ckpt_drive_call* call, void* const* inputs, int64_t count, const ckpt_drive_flag* flags,
                               void** output, void* user) {
  Drive& to = drive_of(user);
  return to.give(call_with_inputs(to, Drive::forward_n, *call, inputs, count, flags), output);
}

inline int32_t drive_record_n(const ckpt_drive_call* call, void* const* inputs, int64_t count, const ckpt_drive_flag* flags,
                              void** output, void** tape, void* user) {
  Drive& to = drive_of(user);
  return give_recorded(to, call_with_inputs(to, Drive::record_n, *call, inputs, count, flags), output, tape);
}

inline int32_t drive_backward_n(const ckpt_drive_call* call, void* const* inputs, int64_t count, const ckpt_drive_flag* flags,
                                void* output, void* tape, void* grad_output, void** grad_inputs, void* user) {
  Drive& to = drive_of(user);
  PyObject* const list = list_of(to, inputs, count, flags);
  PyObject* const sums = PyList_New(count);
  for (int64_t i = 0; i < count; ++i) {
    PyObject* const sum = to.take_reference(grad_inputs[i]);
    grad_inputs[i] = nullptr;
    if (sums)
      PyList_SET_ITEM(sums, i, sum);
    else
      Py_DECREF(sum);
  }
  PyObject* const read = call->flags & CKPT_DRIVE_FLAG_TAKE_OUTPUT ? to.take_reference(output) : shown(output);
  PyObject* const recorded = to.take_reference(tape);
  PyObject* const grad = to.take_reference(grad_output);
  if (!list || !sums) {
    for (PyObject* each : {list, sums, read, recorded, grad}) Py_XDECREF(each);
    return to.failed();
  }
  PyObject* const created = to.call_taking(Drive::backward_n, *call, {list, read, recorded, grad, sums});
  if (!created) return to.failed();
  PyObject* const gradients = PySequence_Fast(created, "expected a sequence of gradients");
  Py_DECREF(created);
  if (!gradients) return to.failed();
  const bool fits = PySequence_Fast_GET_SIZE(gradients) == count;
  for (int64_t i = 0; fits && i < count; ++i) grad_inputs[i] = to.handle_of(shown(PySequence_Fast_GET_ITEM(gradients, i)));
  if (!fits) {
    ckpt_callback_error(
        ("expected " + std::to_string(count) + " gradients, returned " + std::to_string(PySequence_Fast_GET_SIZE(gradients)))
            .c_str());
  }
  Py_DECREF(gradients);
  return fits ? 0 : 2;
}

inline int32_t drive_record(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user) {
  Drive& to = drive_of(user);
  return give_recorded(to, to.call_with_input(Drive::record, Drive::taking_record, *call, input), output, tape);
}

inline int32_t drive_backward(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output,
                              void** grad_input, void* user) {
  Drive& to = drive_of(user);
  PyObject* const first = call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT ? to.take_reference(input) : shown(input);
  PyObject* const second = call->flags & CKPT_DRIVE_FLAG_TAKE_OUTPUT ? to.take_reference(output) : shown(output);
  PyObject* const third = to.take_reference(tape);
  return to.give(to.call_taking(Drive::backward, *call, {first, second, third, to.take_reference(grad_output)}), grad_input);
}

inline void drive_drop(const ckpt_drive_call* call, void* item, void* user) {
  Drive& to = drive_of(user);
  PyObject* const dropped = to.take_reference(item);
  PyObject* const created = to.functions[Drive::drop] == Py_None ? none() : to.call(Drive::drop, *call, dropped);
  if (!created) PyErr_WriteUnraisable(to.functions[Drive::drop]);
  Py_XDECREF(created);
  Py_DECREF(dropped);
}

// Returns the callbacks; the driver reports missing functions.
inline ckpt_driver_callbacks drive_callbacks(const Drive& drive) {
  const auto has = [&](int which) { return drive.functions[which] != Py_None; };
  ckpt_driver_callbacks table = CKPT_DRIVER_CALLBACKS_INIT;
  table.drop = drive_drop;
  if (has(Drive::record)) table.record = drive_record;
  if (has(Drive::backward)) table.backward = drive_backward;
  if (has(Drive::forward_n)) table.forward_n = drive_forward_n;
  if (has(Drive::record_n)) table.record_n = drive_record_n;
  if (has(Drive::backward_n)) table.backward_n = drive_backward_n;
  if (has(Drive::forward))
    table.forward = [](const ckpt_drive_call* call, void* input, void** output, void* user) {
      return drive_of(user).give(drive_of(user).call_with_input(Drive::forward, Drive::taking_forward, *call, input), output);
    };
  if (has(Drive::turn))
    table.turn = [](const ckpt_drive_call* call, void* output, void** grad_output, void* user) {
      return drive_of(user).give(drive_of(user).call(Drive::turn, *call, output), grad_output);
    };
  if (has(Drive::store))
    table.store = [](const ckpt_drive_call* call, void* item, void* user) {
      return drive_of(user).done(drive_of(user).call(Drive::store, *call, item));
    };
  if (has(Drive::load))
    table.load = [](const ckpt_drive_call* call, void** item, void* user) {
      return drive_of(user).give(drive_of(user).call(Drive::load, *call, nullptr, false), item);
    };
  if (has(Drive::wait))
    table.await = [](const ckpt_drive_call* call, void* user) {
      return drive_of(user).done(drive_of(user).call(Drive::wait, *call, nullptr, false));
    };
  return table;
}

// functions: a tuple, valid as long as the driver. *state: an argument of the functions below.
inline ckpt_status driver_create(ckpt_schedule* schedule, Object functions, ckpt_driver** driver, int64_t* state) {
  static PyMethodDef take = {"take", take_item, METH_NOARGS, nullptr};
  Drive* const drive = new Drive{};
  for (int i = 0; i < Drive::count; ++i) drive->functions[i] = PyTuple_GetItem(functions.object, i);
  PyObject* const self = PyCapsule_New(drive, nullptr, nullptr);
  drive->take = PyCFunction_New(&take, self);
  Py_XDECREF(self);
  const ckpt_driver_callbacks table = drive_callbacks(*drive);
  const ckpt_status status = ckpt_driver_create(schedule, &table, drive, release_drive, driver);
  if (status != CKPT_OK) release_drive(drive);
  *state = reinterpret_cast<intptr_t>(drive);
  return status;
}

template <class Call>
PyObject* run_step(ckpt_driver* driver, Drive& drive, PyObject* box, bool is_last, const Call& call) {
  PyObject* const item = PyList_GetItem(box, 0);
  if (!item) return nullptr;
  const bool was_live = drive.live.count(item) != 0;
  void* const handle = drive.handle_of(shown(item));
  PyList_SetSlice(box, 0, 1, nullptr);
  void* created = nullptr;
  const ckpt_status status = call(handle, &created);
  if (status == CKPT_OK && !is_last) return shown(drive.is_released ? nullptr : created);
  if (status == CKPT_OK) return drive.take_reference(created);
  int32_t raised = 0;
  if (status == CKPT_E_INVALID_ARGUMENT || status == CKPT_E_INVALID_STATE ||
      status == CKPT_E_FORKED) {  // the caller keeps the item
    if (handle && !was_live) Py_DECREF(drive.take_reference(handle));
  } else if (status == CKPT_E_CALLBACK && drive.error_type &&
             (drive.is_released || (ckpt_driver_get_failure(driver, nullptr, &raised) == CKPT_OK && raised == 1))) {
    PyErr_Restore(drive.error_type, drive.error, drive.error_trace);
    drive.error_type = drive.error = drive.error_trace = nullptr;
    return nullptr;
  }
  raise(status);
  return nullptr;
}

// Runs a part of a step by call(handle of the item, &made). box: a list that contains only the item; the item is removed from it.
// Raises an exception of a callback unchanged.
template <class Call>
PyObject* drive_step(ckpt_driver* driver, Drive& drive, PyObject* box, bool is_first, bool is_last, const Call& call) {
  if (drive.is_running) return run_step(driver, drive, box, is_last, call);  // the driver refuses it
  drive.is_running = true;
  Py_CLEAR(drive.error_type);
  Py_CLEAR(drive.error);
  Py_CLEAR(drive.error_trace);
  if (is_first) drive.next_record = 0;
  PyObject* const created = run_step(driver, drive, box, is_last, call);
  drive.is_running = false;
  if (drive.is_released) release_drive(&drive);
  return created;
}

inline PyObject* driver_forward(ckpt_driver* driver, int64_t state, Object box) {
  return drive_step(driver, drive_of(state), box.object, true, false,
                    [&](void* x0, void** xn) { return ckpt_driver_forward(driver, x0, xn); });
}
inline PyObject* driver_backward(ckpt_driver* driver, int64_t state, Object box) {
  return drive_step(driver, drive_of(state), box.object, false, true,
                    [&](void* gn, void** g0) { return ckpt_driver_backward(driver, gn, g0); });
}
inline PyObject* driver_run(ckpt_driver* driver, int64_t state, Object box) {
  return drive_step(driver, drive_of(state), box.object, true, true,
                    [&](void* x0, void** g0) { return ckpt_driver_run(driver, x0, g0); });
}

// Returns (call, result of its callback), or None if no callback failed the last step.
inline PyObject* driver_get_failure(ckpt_driver* driver) {
  ckpt_drive_call call{};
  int32_t result = 0;
  const ckpt_status status = ckpt_driver_get_failure(driver, &call, &result);
  if (status == CKPT_OK) return Py_BuildValue("(Ni)", tuple_of(call), static_cast<int>(result));
  if (status == CKPT_E_NOT_FOUND) return none();
  raise(status);
  return nullptr;
}

}  // namespace ckpt_python

#endif  // CKPT_PYTHON_DRIVE_HPP
