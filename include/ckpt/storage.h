#ifndef CKPT_STORAGE_H
#define CKPT_STORAGE_H

#include <ckpt/base.h>

#endif /* CKPT_STORAGE_H */
