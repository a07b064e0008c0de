// The plug-in's errors. What they say is made of words of our own, names of objects and a store's error codes: never of its
// messages, which may repeat what it was sent.
#pragma once

#include "common/error.h"

namespace ckpt::s3 {

using plugin::Error;
using plugin::fail;
using plugin::require;

}  // namespace ckpt::s3
