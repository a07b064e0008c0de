// What rank 0 announces to all as one text: what it wants of them, or the error that it has in place of it.
#pragma once

#include <string>

#include "base/error.h"
#include "base/json_tree.h"
#include "state/ranks/meeting.h"

namespace ckpt::state {

// Bytes that are no UTF-8 become replacement characters, in names of files for example.
std::string announced_text(const nlohmann::json& all);
std::string announced_text(const base::Error& error);

// What read makes of an announced text; an error goes to fail, which throws it. Error(invalid_state) for any other text.
template <class Read, class Fail>
auto read_announced(const std::string& text, Read&& read, Fail&& fail) {
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    if (all.contains("status"))
      fail(base::Error(sent_status(all["status"].get<std::int64_t>()), all.at("message").get<std::string>()));
    return read(all);
  } catch (const nlohmann::json::exception&) {
    base::fail(base::Status::invalid_state, "what rank 0 has announced cannot be read: the ranks are out of step");
  }
}

}  // namespace ckpt::state
