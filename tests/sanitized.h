// Whether this build has sanitizers, which make tests many times slower.
#pragma once

#ifdef CKPT_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
