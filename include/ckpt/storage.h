/* storage.h - where files live: the file system, or memory.
 *
 * A storage is the one door to files for everything that is kept durably (state.h). Its paths are relative to a root that nothing
 * can leave. Read the general rules at the top of ckpt.h first.
 *
 *   ckpt_storage *storage = NULL;
 *   if (ckpt_storage_create_file_system("checkpoints", NULL, &storage) != CKPT_OK) puts(ckpt_last_error());
 *   ... ckpt_checkpoint_create(storage, NULL, &checkpoint) ...
 *   ckpt_storage_release(storage);
 */
#ifndef CKPT_STORAGE_H
#define CKPT_STORAGE_H

#include <ckpt/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Synchronised. Owns no threads. In a forked child it goes on working; locks stay the parent's. */
typedef struct ckpt_storage ckpt_storage;

typedef struct ckpt_file_system_options {
  uint32_t struct_size;
  int32_t must_exist; /* 0 (the default) makes the directory, and those that lead to it, durably; other values: NOT_FOUND when
                         missing */
} ckpt_file_system_options;

#define CKPT_FILE_SYSTEM_OPTIONS_INIT \
  { sizeof(ckpt_file_system_options), 0 }

/* Sets *options to CKPT_FILE_SYSTEM_OPTIONS_INIT; NULL does nothing. */
CKPT_API void ckpt_file_system_options_init(ckpt_file_system_options* options);

/* A storage in a directory of the file system.
 * root: UTF-8 path, absolute or relative to the process's directory now; copied. The storage holds the directory open, so it stays
 * the same one when the path is renamed or the process changes directory. Links that lead to the root are followed, links below it
 * never. options: NULL for the defaults. INVALID_ARGUMENT when root is a file; PERMISSION, NO_SPACE and IO from the system. */
CKPT_API ckpt_status ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* options,
                                                     ckpt_storage** storage);

/* A storage in memory, empty: for tests, and for state that need not outlive the process. */
CKPT_API ckpt_status ckpt_storage_create_memory(ckpt_storage** storage);

/* NULL does nothing. Objects made with the storage keep it alive. */
CKPT_API void ckpt_storage_release(ckpt_storage* storage);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_STORAGE_H */
