// The handles of the state part, for the other files of the C API.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

#include <ckpt/state.h>

#include "base/text.h"
#include "guard.h"
#include "handle.h"
#include "state/manager/checkpoint.h"
#include "state/manager/reader.h"
#include "state/state.h"

namespace ckpt::capi {

// Arguments and results of saves and loads, for all functions that use them.
state::SaveOptions save_options_argument(const ckpt_save_options* options);
struct LoadArgument {
  state::LoadOptions options;
  std::shared_ptr<UserData> rename_user;
};
LoadArgument load_argument(const ckpt_load_options* options);
// result may be NULL. The check_ functions run before the work starts, and refuse a struct that cannot be filled.
void check_save_result(const ckpt_save_result* result);
void fill_save_result(ckpt_save_result* result, const state::SaveResult& saved);
void check_load_result(const ckpt_load_result* result);
void fill_load_result(ckpt_load_result* result, const state::LoadResult& loaded);
// Copies as much of text as fits, truncated at a character boundary.
template <std::size_t size>
void copy_line(char (&out)[size], std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t next = std::max<std::size_t>(1, base::utf8_length(text.substr(length)));
    if (length + next >= size) break;
    length += next;
  }
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

// Truncated if necessary.
void copy_name(char (&out)[CKPT_CHECKPOINT_NAME_BYTES], std::string_view name);

}  // namespace ckpt::capi

struct ckpt_state : ckpt::capi::Handle<ckpt::capi::Kind::state> {
  std::shared_ptr<ckpt::state::State> object;
};

struct ckpt_checkpoint_manager : ckpt::capi::Handle<ckpt::capi::Kind::checkpoint> {
  std::shared_ptr<ckpt::state::Checkpoint> object;
};

struct ckpt_coordinator : ckpt::capi::Handle<ckpt::capi::Kind::coordinator> {
  std::shared_ptr<ckpt::state::Coordinator> object;
};

struct ckpt_reader : ckpt::capi::Handle<ckpt::capi::Kind::reader> {
  std::shared_ptr<ckpt::state::Reader> object;
};
