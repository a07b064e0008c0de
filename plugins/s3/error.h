// Errors of the plug-in. Messages consist of fixed text, object names and the store's error codes, never of the store's messages,
// which may repeat sensitive parts of a request.
#pragma once

#include "common/error.h"

namespace ckpt::s3 {

using plugin::Error;
using plugin::fail;
using plugin::require;

}  // namespace ckpt::s3
