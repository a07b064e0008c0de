/* tensor.h - element types, tensors over owned or borrowed memory, buffer pools, basic arithmetic, DLPack exchange.
 *
 * A tensor is a dtype, a shape and memory: row-major, contiguous, in the machine's byte order. Its memory is owned (from a buffer
 * pool, 64-byte aligned) or borrowed. Borrowed memory belongs to the caller; after the last access a function of the caller runs
 * once. Read the general rules at the top of ckpt.h first.
 *
 *   ckpt_tensor *x = NULL;
 *   const int64_t shape[2] = {2, 3};
 *   if (ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x) != CKPT_OK) puts(ckpt_last_error());
 *   ckpt_tensor_fill(x, 1.5);
 *   float *elements = (float *)ckpt_tensor_get_data(x);
 *   ckpt_tensor_release(x);
 *
 * A beginner needs:
 *
 *   ckpt_tensor_create                   owned memory; ckpt_tensor_create_borrowed: memory of the caller
 *   ckpt_tensor_get_data                 the elements
 *   ckpt_tensor_release
 */
#ifndef CKPT_TENSOR_H
#define CKPT_TENSOR_H

#include <ckpt/base.h>
#include <ckpt/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Element types ------------------------------------------------------------------------------------------------------- */

/* An element type: one of CKPT_DTYPE_*, the 22 element types of the safetensors format. The numbers never change; 0 is not an
 * element type. Storage, copies and exchange support all of them, arithmetic F32 and F64. */
typedef int32_t ckpt_dtype;

#define CKPT_DTYPE_F4 1           /* floating point of 4 bits: 2 exponent, 1 mantissa; two in a byte, the first in the low bits */
#define CKPT_DTYPE_F6_E2M3 2      /* floating point of 6 bits: 2 exponent, 3 mantissa; packed: four in three bytes */
#define CKPT_DTYPE_F6_E3M2 3      /* floating point of 6 bits: 3 exponent, 2 mantissa; packed: four in three bytes */
#define CKPT_DTYPE_BOOL 4         /* truth value of one byte: 0 or 1 */
#define CKPT_DTYPE_U8 5           /* unsigned integer of 8 bits */
#define CKPT_DTYPE_I8 6           /* signed integer of 8 bits */
#define CKPT_DTYPE_F8_E5M2 7      /* floating point of 8 bits: 5 exponent, 2 mantissa */
#define CKPT_DTYPE_F8_E4M3 8      /* floating point of 8 bits: 4 exponent, 3 mantissa, no infinities ("e4m3fn") */
#define CKPT_DTYPE_F8_E8M0 9      /* floating point of 8 bits: exponent only, for scale factors */
#define CKPT_DTYPE_F8_E4M3FNUZ 10 /* floating point of 8 bits: 4 exponent, 3 mantissa, no infinities, no negative zero */
#define CKPT_DTYPE_F8_E5M2FNUZ 11 /* floating point of 8 bits: 5 exponent, 2 mantissa, no infinities, no negative zero */
#define CKPT_DTYPE_I16 12         /* signed integer of 16 bits */
#define CKPT_DTYPE_U16 13         /* unsigned integer of 16 bits */
#define CKPT_DTYPE_F16 14         /* floating point of 16 bits: IEEE 754 binary16 */
#define CKPT_DTYPE_BF16 15        /* floating point of 16 bits: the upper half of an F32 */
#define CKPT_DTYPE_I32 16         /* signed integer of 32 bits */
#define CKPT_DTYPE_U32 17         /* unsigned integer of 32 bits */
#define CKPT_DTYPE_F32 18         /* floating point of 32 bits: IEEE 754 binary32 */
#define CKPT_DTYPE_I64 19         /* signed integer of 64 bits */
#define CKPT_DTYPE_U64 20         /* unsigned integer of 64 bits */
#define CKPT_DTYPE_F64 21         /* floating point of 64 bits: IEEE 754 binary64 */
#define CKPT_DTYPE_C64 22         /* complex number of 64 bits: two F32, real and imaginary */

/* Returns the bits of one element of the type: 4, 6, 8, 16, 32 or 64; 0 for a number that is not a dtype. The size is in bits
 * because elements of some types do not fill whole bytes. */
CKPT_API int64_t ckpt_dtype_bits(ckpt_dtype dtype);

/* Returns the type's name in the safetensors format: "F32", "F8_E4M3", "BOOL", ...; "UNKNOWN" for a number that is not a dtype.
 * Static string. */
CKPT_API const char* ckpt_dtype_name(ckpt_dtype dtype);

/* Sets *dtype to the type with this name, in the spelling of ckpt_dtype_name. NOT_FOUND for any other name. */
CKPT_API ckpt_status ckpt_dtype_find(const char* name, ckpt_dtype* dtype);

/* ---- Buffer pools -------------------------------------------------------------------------------------------------------- */

/* A pool of memory for tensors. A released buffer is retained and reused for the same size. So a loop that creates the same tensors
 * in every step allocates memory from the system in its first step only. Every buffer is aligned to 64 bytes.
 * Synchronized. Tensors keep their pool alive. Where a function takes a pool, NULL selects the process's default pool: it has no
 * tracker and retains at most 64 MiB. In a forked child, a pool that another thread of the parent was using at the fork returns
 * FORKED; the default pool always works. */
typedef struct ckpt_buffer_pool ckpt_buffer_pool;

/* default of ckpt_buffer_pool_options.retain_limit_bytes: 256 MiB */
#define CKPT_BUFFER_POOL_DEFAULT_RETAIN_BYTES 268435456

/* Options for creating a buffer pool. */
typedef struct ckpt_buffer_pool_options {
  uint32_t struct_size;       /* size of this struct in bytes, in the caller's build */
  ckpt_bool has_retain_limit; /* whether retain_limit_bytes applies; default 1; no: every buffer is kept for reuse */
  /* maximum number of bytes kept for reuse; beyond it the buffers that were returned first are released to the system; default 256
   * MiB */
  int64_t retain_limit_bytes;
  const char* layer_name; /* layer name under which the tracker counts the pool's buffers; copied; NULL: "tensor" */
} ckpt_buffer_pool_options;

#define CKPT_BUFFER_POOL_OPTIONS_INIT \
  { sizeof(ckpt_buffer_pool_options), 1, CKPT_BUFFER_POOL_DEFAULT_RETAIN_BYTES, 0 }

/* Current contents and counters of a buffer pool. */
typedef struct ckpt_buffer_pool_stats {
  uint32_t struct_size;        /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;           /* not used: 0 */
  int64_t live_bytes;          /* bytes that tensors use now, as the tracker counts them */
  int64_t live_buffers;        /* number of buffers that tensors use now; tensors without bytes need none */
  int64_t retained_bytes;      /* bytes kept for reuse */
  int64_t retained_buffers;    /* number of buffers kept for reuse */
  int64_t reserved_bytes;      /* bytes allocated from the system: live buffers, each rounded up to 64 bytes, and retained ones */
  int64_t peak_reserved_bytes; /* the largest value of reserved_bytes since the pool was created */
  int64_t taken;               /* number of buffers that tensors took since the pool was created */
  int64_t reused;              /* number of those buffers that were reused, without allocating memory from the system */
} ckpt_buffer_pool_stats;

#define CKPT_BUFFER_POOL_STATS_INIT \
  { sizeof(ckpt_buffer_pool_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Creates a pool. tracker (NULL: none) counts every buffer while a tensor uses it, with exactly the bytes of the tensor; the pool
 * keeps the tracker alive. options: NULL for the defaults. */
CKPT_API ckpt_status ckpt_buffer_pool_create(ckpt_memory_tracker* tracker, const ckpt_buffer_pool_options* options,
                                             ckpt_buffer_pool** pool);

/* Fills *stats with the contents and counters of the pool. pool NULL: the default pool. */
CKPT_API ckpt_status ckpt_buffer_pool_get_stats(const ckpt_buffer_pool* pool, ckpt_buffer_pool_stats* stats);

/* Releases retained buffers to the system, oldest first, until at most keep_bytes (>= 0) are kept for reuse. pool NULL: the default
 * pool. */
CKPT_API ckpt_status ckpt_buffer_pool_trim(ckpt_buffer_pool* pool, int64_t keep_bytes);

/* Releases the pool. Its tensors stay valid: they keep it alive. NULL does nothing. */
CKPT_API void ckpt_buffer_pool_release(ckpt_buffer_pool* pool);

/* ---- Tensors ------------------------------------------------------------------------------------------------------------- */

/* An array of elements of one dtype. Dtype, shape and read-only flag never change; reading them, retain and release are
 * synchronized. Access to the elements is not: the caller must not write while another thread reads or writes the same tensor. */
typedef struct ckpt_tensor ckpt_tensor;

/* The largest number of dimensions of a tensor. */
#define CKPT_TENSOR_LARGEST_NDIM 8 /* largest number of dimensions of a tensor */

/* Creates a tensor with newly allocated memory; the contents are undefined. shape: ndim lengths (0 .. 8 of them, each >= 0);
 * copied. ndim 0, with shape NULL, is a scalar: one element. A length of 0 makes a tensor without elements; its data is NULL. pool:
 * pool that provides the memory and takes it back; NULL for the default pool. INVALID_ARGUMENT also when the elements do not fill
 * whole bytes (types of 4 and 6 bits). OUT_OF_RANGE when elements or bytes exceed INT64_MAX; OUT_OF_MEMORY when the system has no
 * memory left. A tracker's limit does not fail the call; it only notifies listeners. */
CKPT_API ckpt_status ckpt_tensor_create(ckpt_dtype dtype, const int64_t* shape, int32_t ndim, ckpt_buffer_pool* pool,
                                        ckpt_tensor** tensor);

/* Creates a tensor over memory of the caller: at least as many bytes as dtype and shape need, aligned for the dtype (8 bytes for
 * F64), valid until destroy runs. data may be NULL only when no bytes are needed. shape, ndim: as for ckpt_tensor_create. destroy
 * (may be NULL) runs exactly once with user_data, when the last reference is released, on the thread that released it; it may call
 * any function. If this function fails, destroy does not run: the caller still owns the memory. */
CKPT_API ckpt_status ckpt_tensor_create_borrowed(void* data, ckpt_dtype dtype, const int64_t* shape, int32_t ndim, void* user_data,
                                                 ckpt_destroy_fn destroy, ckpt_tensor** tensor);

/* Adds a reference to the same tensor. NULL does nothing. */
CKPT_API void ckpt_tensor_retain(ckpt_tensor* tensor);

/* Releases one reference; releasing the last one returns the memory to its pool or its owner, unless a DLPack consumer still uses
 * it. NULL does nothing. */
CKPT_API void ckpt_tensor_release(ckpt_tensor* tensor);

/* Returns the address of the first element, for reading and writing; NULL when the tensor has no elements, and for a read-only
 * tensor (ckpt_last_error reports why). Borrowed: valid as long as the tensor. */
CKPT_API void* ckpt_tensor_get_data(ckpt_tensor* tensor);

/* Returns the address of the first element, for reading; NULL when the tensor has no elements. Borrowed: valid as long as the
 * tensor. */
CKPT_API const void* ckpt_tensor_get_const_data(const ckpt_tensor* tensor);

/* Returns the size of all elements in bytes; -1 for a handle that is not a tensor (ckpt_last_error reports why). */
CKPT_API int64_t ckpt_tensor_get_bytes(const ckpt_tensor* tensor);

/* Returns the number of elements; -1 for a handle that is not a tensor. */
CKPT_API int64_t ckpt_tensor_get_element_count(const ckpt_tensor* tensor);

/* Returns the tensor's element type, one of CKPT_DTYPE_*; 0 for a handle that is not a tensor. */
CKPT_API ckpt_dtype ckpt_tensor_get_dtype(const ckpt_tensor* tensor);

/* Returns the number of dimensions, 0 .. 8; -1 for a handle that is not a tensor. */
CKPT_API int32_t ckpt_tensor_get_ndim(const ckpt_tensor* tensor);

/* Returns the lengths of the dimensions, ckpt_tensor_get_ndim of them; NULL for a handle that is not a tensor. Borrowed: valid as
 * long as the tensor. */
CKPT_API const int64_t* ckpt_tensor_get_shape(const ckpt_tensor* tensor);

/* Returns 1 for a tensor that must not be written (its memory was exported read-only through DLPack, or is a mapped file), else 0.
 * Functions that write to a tensor refuse a read-only one with UNSUPPORTED. */
CKPT_API ckpt_bool ckpt_tensor_is_read_only(const ckpt_tensor* tensor);

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------------- */

/* Supports F32 and F64 only: any other dtype is UNSUPPORTED. Results are bit for bit the same on every machine, because the shape
 * determines the order of all additions. Two tensors must have the same dtype and shape, and either the same memory or disjoint
 * memory. */

/* Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value outside the range of F32 is
 * OUT_OF_RANGE. F32 and F64 only, else UNSUPPORTED. */
CKPT_API ckpt_status ckpt_tensor_fill(ckpt_tensor* target, double value);

/* Computes target = factor * target, in the dtype's precision. factor: finite (else INVALID_ARGUMENT) and, for F32, within its
 * range. F32 and F64 only, else UNSUPPORTED. */
CKPT_API ckpt_status ckpt_tensor_scale(ckpt_tensor* target, double factor);

/* Computes target = target + factor * source, in the dtype's precision with two roundings per element (axpy of BLAS, never fused).
 * factor: as for ckpt_tensor_scale. dtype and shape must be the same, and the memory either the same or disjoint. F32 and F64 only,
 * else UNSUPPORTED. */
CKPT_API ckpt_status ckpt_tensor_add_scaled(ckpt_tensor* target, double factor, const ckpt_tensor* source);

/* Sets *sum to the sum of all elements, computed in F64 by pairwise summation (Higham, "The accuracy of floating point summation",
 * SIAM J. Sci. Comput. 14, 1993); 0 when there are none. F32 and F64 only, else UNSUPPORTED. */
CKPT_API ckpt_status ckpt_tensor_sum(const ckpt_tensor* tensor, double* sum);

/* Sets *dot to the sum of a[i] * b[i], computed as by ckpt_tensor_sum. If b is a, this is the squared 2-norm. dtype and shape must
 * be the same. F32 and F64 only, else UNSUPPORTED. */
CKPT_API ckpt_status ckpt_tensor_dot(const ckpt_tensor* a, const ckpt_tensor* b, double* dot);

/* ---- Copy and comparison, for every dtype -------------------------------------------------------------------------------- */

/* Copies the elements of source, which must have the dtype and shape of target. Their memory may overlap. */
CKPT_API ckpt_status ckpt_tensor_copy(ckpt_tensor* target, const ckpt_tensor* source);

/* Sets *equal to 1 when dtype, shape and all bytes are the same, else 0. A NaN equals a NaN with the same bits, and 0 does not
 * equal -0. */
CKPT_API ckpt_status ckpt_tensor_is_bit_equal(const ckpt_tensor* a, const ckpt_tensor* b, ckpt_bool* equal);

/* ---- DLPack -------------------------------------------------------------------------------------------------------------- */

/* Exchange with other libraries without a copy (https://dmlc.github.io/dlpack/latest/). Include <dlpack/dlpack.h> to access the
 * fields of these structs; it is not needed to pass them on. All 22 dtypes have a type code in DLPack 1.1. */
struct DLManagedTensor;
struct DLManagedTensorVersioned; /* DLPack 1.x */

/* Creates a tensor over the memory of another library. On success the tensor owns managed, and calls its deleter (unless that is
 * NULL) exactly once, when its last reference is released, on the thread that released it. On failure the deleter has not run,
 * managed still belongs to the caller, and the caller calls the deleter. byte_offset is honoured, strides NULL means contiguous.
 * UNSUPPORTED for lanes other than 1, devices other than the CPU, and strides that are not row-major and contiguous. UNSUPPORTED
 * also for type codes without a dtype: complex of other sizes, opaque handles, float8 e3m4, e4m3 with infinities, e4m3b11fnuz.
 * INVALID_ARGUMENT and OUT_OF_RANGE for invalid shapes, and for data that is NULL or not aligned for the dtype. */
CKPT_API ckpt_status ckpt_tensor_create_from_dlpack(struct DLManagedTensor* managed, ckpt_tensor** tensor);

/* Creates a tensor over the memory of another library as ckpt_tensor_create_from_dlpack, from the struct of DLPack 1.x. Its
 * read-only flag makes a read-only tensor. UNSUPPORTED also for a major version other than 1 (only the version is read then; the
 * deleter may be called), for padded elements of less than a byte, and for unknown flags. */
CKPT_API ckpt_status ckpt_tensor_create_from_dlpack_versioned(struct DLManagedTensorVersioned* managed, ckpt_tensor** tensor);

/* Sets *managed to a view of the tensor for another library, which calls its deleter exactly once, on any thread; the tensor's
 * memory stays alive until then, whether or not the tensor was released. UNSUPPORTED for a read-only tensor, because this struct
 * has no read-only flag. */
CKPT_API ckpt_status ckpt_tensor_export_dlpack(ckpt_tensor* tensor, struct DLManagedTensor** managed);

/* Sets *managed to a view of the tensor as ckpt_tensor_export_dlpack does, in the struct of DLPack 1.x (version 1.1). Sets the
 * read-only flag if the tensor is read-only. */
CKPT_API ckpt_status ckpt_tensor_export_dlpack_versioned(ckpt_tensor* tensor, struct DLManagedTensorVersioned** managed);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_TENSOR_H */
