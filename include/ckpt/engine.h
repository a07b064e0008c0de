#ifndef CKPT_ENGINE_H
#define CKPT_ENGINE_H

#include <ckpt/base.h>

#endif /* CKPT_ENGINE_H */
