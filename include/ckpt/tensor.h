/* tensor.h - element types, tensors over owned or borrowed memory, buffer pools, DLPack exchange. */
#ifndef CKPT_TENSOR_H
#define CKPT_TENSOR_H

#include <ckpt/base.h>
#include <ckpt/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The 22 element types of the safetensors format. Numbers are fixed for ever. */
typedef int32_t ckpt_dtype;

#define CKPT_DTYPE_F4 1
#define CKPT_DTYPE_F6_E2M3 2
#define CKPT_DTYPE_F6_E3M2 3
#define CKPT_DTYPE_BOOL 4
#define CKPT_DTYPE_U8 5
#define CKPT_DTYPE_I8 6
#define CKPT_DTYPE_F8_E5M2 7
#define CKPT_DTYPE_F8_E4M3 8
#define CKPT_DTYPE_F8_E8M0 9
#define CKPT_DTYPE_F8_E4M3FNUZ 10
#define CKPT_DTYPE_F8_E5M2FNUZ 11
#define CKPT_DTYPE_I16 12
#define CKPT_DTYPE_U16 13
#define CKPT_DTYPE_F16 14
#define CKPT_DTYPE_BF16 15
#define CKPT_DTYPE_I32 16
#define CKPT_DTYPE_U32 17
#define CKPT_DTYPE_F32 18
#define CKPT_DTYPE_I64 19
#define CKPT_DTYPE_U64 20
#define CKPT_DTYPE_F64 21
#define CKPT_DTYPE_C64 22

typedef struct ckpt_tensor ckpt_tensor;
typedef struct ckpt_buffer_pool ckpt_buffer_pool;

#ifdef __cplusplus
}
#endif

#endif /* CKPT_TENSOR_H */
