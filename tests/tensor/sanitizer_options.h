// Lets a sanitizer's allocator answer "no memory" as the system's does: these tests ask for more than there is.
#pragma once

#ifdef CKPT_SANITIZED
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options();
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
#endif
