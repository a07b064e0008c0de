// Lets a sanitizer's allocator return NULL as the system's does, because these tests request more memory than exists.
#pragma once

#ifdef CKPT_SANITIZED
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) const char* __asan_default_options(void);
__attribute__((visibility("default"))) const char* __tsan_default_options(void);
const char* __asan_default_options(void) { return "allocator_may_return_null=1"; }
const char* __tsan_default_options(void) { return "allocator_may_return_null=1"; }
#ifdef __cplusplus
}
#endif
#endif
