// Announcements of rank 0 to all ranks as JSON: either its data or an error.
#pragma once

#include <exception>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "state/ranks/collective.h"

namespace ckpt::state {

// Replaces bytes that are not UTF-8, for example in file names, by replacement characters.
std::string error_text(const base::Error& error);

// Thrown for a received string that is not a valid announcement.
class Unreadable final : public std::exception {};
base::Json announced(const std::string& text);
const base::Json& member_of(const base::Json& all, const char* name);

// Parses an announcement and returns read(JSON). An announced error is passed to fail, which throws it. Error(invalid_state) for
// any other text.
template <class Read, class Fail>
auto read_broadcast(const std::string& text, Read&& read, Fail&& fail) {
  try {
    const base::Json all = announced(text);
    if (const base::Json* const status = all.find("status"))
      fail(base::Error(sent_status(status->integer()), member_of(all, "message").string()));
    return read(all);
  } catch (const Unreadable&) {
  } catch (const std::bad_variant_access&) {  // a JSON value of another type than expected
  }
  base::fail(base::Status::invalid_state, "the announcement of rank 0 is invalid: ranks called different collectives");
}

}  // namespace ckpt::state
