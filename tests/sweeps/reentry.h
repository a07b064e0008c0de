// Calls every function from inside a callback and compares what they say with what they say outside one.
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
  Objects* in_use = nullptr;                  // handles that the program still owns; NULL: none
  std::vector<const char*> refused = {};      // functions that give INVALID_STATE when they are given what is in use
  std::vector<const char*> refused_all = {};  // functions that give INVALID_STATE whatever they are given
};

// Called inside the callback. At the place whose turn it is, and once, it makes all calls, or releases something that is in use;
// elsewhere, and inside one of its own calls, it returns at once.
void here(const Place& place);

// Where this run releases something at a place whose name contains text: returns when it has, and true.
bool wait_for_release(const std::string& text);

// An operation of a scenario, in which the calls of a callback may have done what they like: it may fail, but in no wrong way.
void sane(ckpt_status status, const char* call);
#define SANE(call) ::sweeps::sane((call), #call)

struct Scenario {
  const char* name;
  std::vector<const char*> callbacks;  // types of them that it runs
  int places;                          // at least so many of them are found
  void (*run)();
  void (*before)() = nullptr;  // before anything else in the process
};

extern const std::vector<Scenario> base_scenarios;
extern const std::vector<Scenario> state_scenarios;
extern const std::vector<Scenario> engine_scenarios;

}  // namespace sweeps
