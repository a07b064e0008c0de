#ifndef CKPT_MEMORY_H
#define CKPT_MEMORY_H

#include <ckpt/base.h>

typedef struct ckpt_memory_tracker ckpt_memory_tracker;

#endif /* CKPT_MEMORY_H */
