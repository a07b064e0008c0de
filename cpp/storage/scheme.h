// Storages from URIs, and schemes that users register. Synchronised.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "storage/storage.h"

namespace ckpt::storage {

// Makes a storage from a URI of its scheme: the whole text, checked, still encoded.
using SchemeFactory = std::function<std::shared_ptr<Storage>(const std::string& uri)>;

// Error(already_exists) for a scheme that is known; case does not matter.
void register_scheme(std::string_view scheme, SchemeFactory factory);
// Error(not_found) for a scheme that was not registered. Calls under way end as they began.
void unregister_scheme(std::string_view scheme);

// Error(unsupported) for a scheme that is not known. Refuses a URI whose factory makes it again, directly or through others.
std::shared_ptr<Storage> open_uri(std::string_view text);

}  // namespace ckpt::storage
