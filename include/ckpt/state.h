#ifndef CKPT_STATE_H
#define CKPT_STATE_H

#include <ckpt/base.h>

#endif /* CKPT_STATE_H */
