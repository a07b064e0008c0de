// Every function of the C API as a cell: a call with valid arguments, whatever they are. The cells are generated from the table in
// <ckpt/api.h>, so a new function is swept automatically.
#pragma once

#include <ckpt/ckpt.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace sweeps {

// A handle of every type, and their numbers and names. A NULL handle means that the object is missing.
struct Objects {
  std::tuple<std::monostate
#define HANDLE(type, release) , type*
#include "api_cells.inc"
             >
      handles;
  std::int64_t subscription = 0;  // a subscription of the tracker, with a queue
  std::uint64_t allocation = 0;   // of the tracker
  std::uint64_t scope = 0;        // of the tracker
  std::int64_t task = 0;          // a finished save of the asynchronous manager
  std::int64_t hooks = 0;
  std::string checkpoint_name;

  template <class Handle>
  Handle*& of() {
    return std::get<Handle*>(handles);
  }
  template <class Handle>
  Handle* of() const {
    return std::get<Handle*>(handles);
  }
};

// Creates a fresh object of every type: a chain of two small layers and the objects that run it, a storage in memory with one
// checkpoint, ...
Objects make_objects();
void release_objects(Objects& objects);
// Returns the handles of objects, and those of others where objects has none.
Objects overlaid(const Objects& objects, const Objects& others);

// Sets the folder in which the cells may write files; path does not end with '/'.
void set_folder(const std::string& path);
const std::string& folder();

struct Outcome {
  bool has_status = false;
  ckpt_status status = CKPT_OK;
  std::string error;   // ckpt_last_error() of a failed call
  std::string defect;  // a rule of the API that the call violated; "" if none
};

enum class Rank { usual, ends, releases };  // called in this order: ends and releases invalidate objects that earlier cells need

struct Cell {
  const char* name;
  Rank rank;
  Outcome (*call)(const Objects& objects);
  bool (*takes)(const Objects& some);  // whether an argument has a type for which `some` contains an object
};

// Returns all cells: usual ones first, then those that end something, then releases.
const std::vector<Cell>& all_cells();

// Exits with a message if status is not OK.
void must(ckpt_status status, const char* call);
#define MUST(call) ::sweeps::must((call), #call)

}  // namespace sweeps
