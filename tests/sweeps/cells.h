// Every function of the C API as a cell: something that can be called with sensible arguments, whatever they are. The cells are
// made from the table in <ckpt/api.h>, so a new function is swept without anybody thinking of it.
#pragma once

#include <ckpt/ckpt.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace sweeps {

// A handle of every type, and the numbers and names that go with them. A handle that is NULL is not there.
struct Objects {
  std::tuple<std::monostate
#define HANDLE(type, release) , type*
#include "api_cells.inc"
             >
      handles;
  std::int64_t subscription = 0;  // of the tracker, with a queue
  std::uint64_t allocation = 0;   // of the tracker
  std::uint64_t scope = 0;        // of the tracker
  std::int64_t task = 0;          // of the asynchronous manager, a save that has ended
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

// A fresh object of every type: a chain of two small layers with what runs it, a storage in memory with one checkpoint in it, ...
Objects make_objects();
void release_objects(Objects& objects);
// What objects has, and for the rest what others has.
Objects overlaid(const Objects& objects, const Objects& others);

// Where the cells may write files; ends with no '/'.
void set_folder(const std::string& path);
const std::string& folder();

struct Outcome {
  bool has_status = false;
  ckpt_status status = CKPT_OK;
  std::string error;   // ckpt_last_error() of a call that failed
  std::string defect;  // a rule of the API that the call broke; "" when none
};

enum class Rank { usual, ends, releases };  // in this order they are called: the later ones leave nothing for the earlier

struct Cell {
  const char* name;
  Rank rank;
  Outcome (*call)(const Objects& objects);
  bool (*takes)(const Objects& some);  // an argument of one of the types of which some has an object
};

// Usual ones first, then those that end something, then releases.
const std::vector<Cell>& all_cells();

// The call succeeds, or the program says where and ends.
void must(ckpt_status status, const char* call);
#define MUST(call) ::sweeps::must((call), #call)

}  // namespace sweeps
