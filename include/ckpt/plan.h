#ifndef CKPT_PLAN_H
#define CKPT_PLAN_H

#include <ckpt/base.h>

#endif /* CKPT_PLAN_H */
