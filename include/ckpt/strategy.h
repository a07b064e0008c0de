#ifndef CKPT_STRATEGY_H
#define CKPT_STRATEGY_H

#include <ckpt/base.h>

#endif /* CKPT_STRATEGY_H */
