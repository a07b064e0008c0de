// Calls every function from inside a callback and compares its status with the status outside callbacks.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "cells.h"

namespace sweeps {

// One callback at one moment: where it runs and what is in use.
struct Place {
  std::string name;
  Objects* in_use = nullptr;                  // handles that the running operation uses; NULL: none
  std::vector<const char*> refused = {};      // functions that return INVALID_STATE for a handle in use
  std::vector<const char*> refused_all = {};  // functions that return INVALID_STATE for any arguments
};

// Called inside the callback. At the place under test, and only once, it makes all calls, or releases something that is in use;
// at other places, and during a nested call, it returns at once.
void here(const Place& place);

// If this run releases something at a place with `text` in its name, waits until it has, and returns true.
bool wait_for_release(const std::string& text);

// Checks an operation of a scenario after arbitrary calls of a callback: it may fail, but only with a permitted status.
void require_permitted(ckpt_status status, const char* call);
#define REQUIRE_PERMITTED(call) ::sweeps::require_permitted((call), #call)

struct Scenario {
  const char* name;
  std::vector<const char*> callbacks;  // the callback types that it runs
  int places;                          // the minimum number of places found
  void (*run)();
  void (*before)() = nullptr;  // before anything else in the process
};

extern const std::vector<Scenario> base_scenarios;
extern const std::vector<Scenario> state_scenarios;
extern const std::vector<Scenario> engine_scenarios;

}  // namespace sweeps
