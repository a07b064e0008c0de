/* program.h - a schedule as plain arrays: every buffer with its offset in an arena, and every operation in order.
 *
 * For programs that run schedules in preallocated memory, without an allocator: allocate each tier's arena once, iterate over the
 * operations, and find every operand at arena + buffer.offset.
 *
 *   ckpt_program_create(schedule, profile, &program);
 *   ckpt_program_get_arena_bytes(program, 0, &bytes);      for malloc, cudaMalloc, or a block outside of a garbage collector
 *   ckpt_program_get_operations(program, operations, count, &count);
 *   ckpt_program_get_buffers(program, buffers, count, &count);
 *
 * Order. Operations are issued in the order of the array. Stream 0 computes; every tier has one stream for writes and one for
 * reads. An operation waits for earlier operations on its stream. STORE_BEGIN and LOAD_BEGIN make their stream wait for all earlier
 * operations of stream 0; AWAIT makes stream 0 wait for the copy of its transfer. The placement is valid for any timing of the
 * copies within these rules. Read the general rules at the top of ckpt.h first.
 *
 * A beginner needs:
 *
 *   ckpt_program_create, ckpt_program_get_arena_bytes
 *   ckpt_program_get_operations, ckpt_program_get_buffers
 *   ckpt_program_release
 */
#ifndef CKPT_PROGRAM_H
#define CKPT_PROGRAM_H

#include <ckpt/base.h>
#include <ckpt/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A buffer, and the operations between which it is live. Frozen: 64 bytes in every version. */
typedef struct ckpt_program_buffer {
  int64_t bytes;       /* number of bytes, >= 0 */
  int64_t offset;      /* offset in its tier's arena in bytes, a multiple of 64; negative for a buffer of 0 bytes */
  int64_t first;       /* index of the operation that writes it first; negative for x_0, which exists from the start */
  int64_t last;        /* index of the last operation that uses it; the number of operations for GRAD(0), which outlives the step */
  int64_t index;       /* index i of INPUT(i) and GRAD(i); else the layer */
  ckpt_item item;      /* item that it holds: one of CKPT_ITEM_*; NONE for workspace and ambient state */
  int32_t tier;        /* tier of its arena: 0 memory; 1 .. CKPT_TIERS-1 slower places */
  int32_t option;      /* option of the layer, for a TAPE */
  int32_t micro_batch; /* number of the micro-batch, from 0 */
  int32_t slot;        /* slot within the tier, for a tier above 0 */
  int32_t reserved;    /* not used: 0 */
} ckpt_program_buffer;

/* How an operation runs: a sum of flags. */
typedef uint32_t ckpt_operation_flag;

/* the layer ran before in this step: its ambient state is restored first, from the buffer ambient */
#define CKPT_OPERATION_FLAG_AGAIN 1U
/* the result overwrites the operand: both buffers have the same offset */
#define CKPT_OPERATION_FLAG_IN_PLACE 2U

/* One operation. Frozen: 128 bytes in every version. Buffers are indices into the list of buffers; -1 for none. */
typedef struct ckpt_program_operation {
  /* kind of operation: CKPT_ACTION_KIND_FORWARD, _FORWARD_TAPE (with output), _RECORD, _BACKWARD, _TURN, _SEND, _RECEIVE,
   * _STORE_BEGIN, _LOAD_BEGIN or _AWAIT */
  ckpt_action_kind kind;
  ckpt_operation_flag flags; /* sum of CKPT_OPERATION_FLAG_* */
  int64_t layer;             /* layer that runs; or the index of the item that is moved */
  int32_t option;            /* option of the layer that runs; or of a TAPE that is moved */
  int32_t micro_batch;       /* number of the micro-batch, from 0 */
  int32_t stream;            /* stream to which it is issued: 0 computes, 2 t - 1 writes to tier t, 2 t reads from it */
  int32_t reserved;          /* not used: 0 */
  int64_t transfer;          /* id of the transfer, of STORE_BEGIN, LOAD_BEGIN and AWAIT */
  int64_t input; /* buffer that is read: the layer's input, or the source of a copy; for a BACKWARD if the layer needs it */
  /* buffer that is written: the layer's output, or the target of a copy; a BACKWARD reads it if the layer needs it */
  int64_t output;
  int64_t tape;            /* buffer that a recording forward writes and a BACKWARD reads */
  int64_t workspace;       /* scratch buffer of the operation */
  int64_t grad_output;     /* buffer of the output's gradient: BACKWARD reads it, TURN writes it */
  int64_t grad_input;      /* buffer of the input's gradient, which a BACKWARD writes */
  int64_t ambient;         /* buffer of the layer's ambient state: written by its first forward, read when it runs again */
  int64_t present_ambient; /* buffer that keeps the current ambient state while the layer runs again */
  int64_t action;          /* index of the schedule's action that contains the operation, from 0 */
  int64_t reserved2[2];    /* not used: 0 */
} ckpt_program_operation;

/* A schedule with placed buffers. Immutable: may be read from several threads at once. */
typedef struct ckpt_program ckpt_program;

/* Creates the program of a schedule on a chain's profile; neither is needed afterwards. Offsets are the same as in a
 * ckpt_schedule_executor: arenas are as large as ckpt_schedule_place reports. INVALID_SCHEDULE as ckpt_schedule_verify,
 * OUT_OF_RANGE above 2^22 operations. */
CKPT_API ckpt_status ckpt_program_create(ckpt_schedule* schedule, const ckpt_profile* profile, ckpt_program** program);

/* Sets *bytes to the size of a tier's arena (0 .. CKPT_TIERS-1); it must begin at a multiple of 64 bytes. */
CKPT_API ckpt_status ckpt_program_get_arena_bytes(const ckpt_program* program, int32_t tier, int64_t* bytes);

/* Lists the buffers: buffers receives the first capacity (>= 0) of them; *count receives how many there are. */
CKPT_API ckpt_status ckpt_program_get_buffers(const ckpt_program* program, ckpt_program_buffer* buffers, int64_t capacity,
                                              int64_t* count);

/* Lists the operations: operations receives the first capacity (>= 0) of them; *count receives how many there are. */
CKPT_API ckpt_status ckpt_program_get_operations(const ckpt_program* program, ckpt_program_operation* operations, int64_t capacity,
                                                 int64_t* count);

/* Writes the program as JSON, as docs/how-to/bring-your-own-framework.md describes it, by the (buffer, capacity, *needed) rule of
 * ckpt.h. */
CKPT_API ckpt_status ckpt_program_get_json(const ckpt_program* program, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the program. NULL does nothing. */
CKPT_API void ckpt_program_release(ckpt_program* program);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PROGRAM_H */
