// Opens storages by URI; registry of user-defined schemes. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "storage/storage.h"

namespace ckpt::storage {

// Opens a storage from a URI of its scheme: the whole text, validated, still percent-encoded.
using SchemeFactory = std::function<std::shared_ptr<Storage>(const std::string& uri)>;

// Fails with Error(already_exists) for an existing scheme, ignoring case.
void register_scheme(std::string_view scheme, SchemeFactory factory);
// Fails with Error(not_found) for an unregistered scheme. Calls in progress complete normally.
void unregister_scheme(std::string_view scheme);

// Fails with Error(unsupported) for an unknown scheme. Refuses a URI if its factory opens the same URI again, directly or
// indirectly.
std::shared_ptr<Storage> open_uri(std::string_view text);

}  // namespace ckpt::storage
