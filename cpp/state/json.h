// The JSON library, without its assertions: one of them, that the C library has read the whole of a number, fails under locales
// whose decimal point has two bytes. Every use of the library in the core includes this instead, so that there is one kind of it.
#pragma once

#define JSON_ASSERT(condition) static_cast<void>(0)
#include <nlohmann/json.hpp>  // IWYU pragma: export
