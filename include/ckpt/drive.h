/* drive.h - runs a schedule for an external framework: which values are kept, dropped, recomputed and run backward, and in which
 * order.
 *
 * The items of a step (inputs, tapes, gradients) are opaque handles of the caller: pointers to tensors, graphs or records that the
 * library never dereferences. The driver reads the schedule and calls back for every operation, with the handles that it needs. A
 * framework's forward returns before its backward begins, so the driver pauses between them:
 *
 *   ckpt_driver_create(schedule, &callbacks, user, NULL, &driver);
 *   ckpt_driver_forward(driver, x0, &xn);             runs up to TURN; xn is the chain's output, borrowed
 *   gn = gradient_of_the_loss(xn);
 *   ckpt_driver_backward(driver, gn, &g0);            recomputes and runs backward; g0 is the gradient of x0
 *   ckpt_driver_release(driver);
 *
 * Every handle that a callback or the caller passes to the driver is dropped or taken over by a callback exactly once. This also
 * holds if a callback fails, if the step is cancelled, and if backward is never called. A handle that a callback does not take over
 * is borrowed for the call. docs/how-to/bring-your-own-framework.md has complete examples. Read the general rules at the top of
 * ckpt.h first.
 *
 * A beginner needs:
 *
 *   ckpt_driver_create
 *   ckpt_driver_forward, ckpt_driver_backward
 *   ckpt_driver_release
 */
#ifndef CKPT_DRIVE_H
#define CKPT_DRIVE_H

#include <ckpt/base.h>
#include <ckpt/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Calls --------------------------------------------------------------------------------------------------------------- */

/* Flags of a call of the driver: a sum of flags. */
typedef uint32_t ckpt_drive_flag;

/* the layers ran before in this step: restore the ambient state (random numbers, statistics) of the start of their first run */
#define CKPT_DRIVE_FLAG_AGAIN 1U
/* only the layer's backward reads its output: a layer with a backward that reads it returns it, other layers return none */
#define CKPT_DRIVE_FLAG_NO_OUTPUT 2U
/* last use of the input: the callback owns the handle, also if it fails; an in-place step overwrites it */
#define CKPT_DRIVE_FLAG_TAKE_INPUT 4U
/* last use of the output that a backward reads: the callback owns the handle, also if it fails */
#define CKPT_DRIVE_FLAG_TAKE_OUTPUT 8U

/* One call of the driver: the operation to do. Frozen: 80 bytes in every version. Fields that a kind does not use are 0. */
typedef struct ckpt_drive_call {
  /* the operation: FORWARD, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT or DROP of CKPT_ACTION_KIND_* */
  ckpt_action_kind kind;
  ckpt_drive_flag flags; /* sum of CKPT_DRIVE_FLAG_* */
  int64_t first;         /* first layer of the call; or the index i of the item */
  int64_t last;          /* one past the last layer of the call */
  int32_t option;        /* option of the layers; or of the item, for a TAPE */
  int32_t micro_batch;   /* number of the micro-batch: 0 */
  ckpt_item item;        /* kind of item of STORE_BEGIN, LOAD_BEGIN, AWAIT and DROP: one of CKPT_ITEM_* */
  int32_t tier;          /* tier of the item: 0 memory; 1 .. CKPT_TIERS-1 slower places */
  int32_t slot;          /* place within the tier, >= 0; of FORWARD: the buffer of the result, as the schedule's action names it */
  int32_t reserved;      /* not used: 0 */
  int64_t transfer;      /* id of the transfer, from its STORE_BEGIN or LOAD_BEGIN to its AWAIT */
  int64_t action;        /* index of the schedule's action that causes the call, from 0 */
  int64_t layers;        /* number of layers of the chain; 0 while it is unknown in an open-ended schedule */
  int32_t reserved2;     /* not used: 0 */
  int32_t reserved3;     /* not used: 0 */
} ckpt_drive_call;

/* Runs layers first .. last-1 forward under one option, recording nothing; input is INPUT(first). *output receives INPUT(last), a
 * handle that is not live (input itself only with TAKE_INPUT). Runs on the thread that runs the step; may block; calls of its
 * driver, other than to cancel, finalize or release it, return INVALID_STATE. A non-zero return fails the step with
 * CKPT_E_CALLBACK, and *output is ignored. */
typedef int32_t (*ckpt_drive_forward_fn)(const ckpt_drive_call* call, void* input, void** output, void* user_data);

/* Runs layer first forward under an option and records; input is INPUT(first). *tape receives TAPE(first), NULL for an empty tape;
 * *output receives INPUT(last), or stays NULL with NO_OUTPUT. A tape may keep input alive: schedules keep the inputs of a backward
 * for the same time, except those of the planner tapes, which may recompute them. Threads, calls and failure as for
 * ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_record_fn)(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user_data);

/* Runs layer first backward. input is INPUT(first) and output is INPUT(last), each NULL if it does not exist. The callback takes
 * over tape and grad_output, GRAD(last), also if it fails; each may be NULL, as it was passed to the driver. *grad_input receives
 * GRAD(first), NULL for none. Threads, calls and failure as for ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_backward_fn)(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output,
                                          void** grad_input, void* user_data);

/* Runs layer first of a graph forward, recording nothing, as ckpt_drive_forward_fn does. inputs: the inputs_count values that it
 * reads, in the order of the profile. input_flags: for each of them CKPT_DRIVE_FLAG_TAKE_INPUT at its last use, as in a call, or 0.
 * Both arrays are borrowed for the call. */
typedef int32_t (*ckpt_drive_forward_n_fn)(const ckpt_drive_call* call, void* const* inputs, int64_t inputs_count,
                                           const ckpt_drive_flag* input_flags, void** output, void* user_data);

/* Runs layer first of a graph forward and records, as ckpt_drive_record_fn does. inputs and input_flags as for
 * ckpt_drive_forward_n_fn. */
typedef int32_t (*ckpt_drive_record_n_fn)(const ckpt_drive_call* call, void* const* inputs, int64_t inputs_count,
                                          const ckpt_drive_flag* input_flags, void** output, void** tape, void* user_data);

/* Runs layer first of a graph backward, as ckpt_drive_backward_fn does. inputs and input_flags as for ckpt_drive_forward_n_fn; an
 * input that does not exist is NULL. grad_inputs has an element for each input. It holds GRAD of that value as the sum of the
 * layers that ran backward before, or NULL if there is none; the callback takes it over, also if it fails. It receives the sum with
 * this layer's part, NULL for none: for a sum in place, the same handle. The elements of a failed callback are ignored. */
typedef int32_t (*ckpt_drive_backward_n_fn)(const ckpt_drive_call* call, void* const* inputs, int64_t inputs_count,
                                            const ckpt_drive_flag* input_flags, void* output, void* tape, void* grad_output,
                                            void** grad_inputs, void* user_data);

/* Ends the forward part in ckpt_driver_run: output is the chain's, INPUT(n). *grad_output receives GRAD(n), NULL for none. Threads,
 * calls and failure as for ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_turn_fn)(const ckpt_drive_call* call, void* output, void** grad_output, void* user_data);

/* Begins to copy an item into (tier, slot). The handle stays valid until the AWAIT of this transfer has returned. Threads, calls
 * and failure as for ckpt_drive_forward_fn; a failed call has begun no transfer. */
typedef int32_t (*ckpt_drive_store_fn)(const ckpt_drive_call* call, void* item, void* user_data);

/* Begins to copy the item in (tier, slot) back into memory: *item receives the new handle, which is used after the AWAIT of this
 * transfer. The slot keeps its item. Threads, calls and failure as for ckpt_drive_forward_fn; a failed call has begun no
 * transfer. */
typedef int32_t (*ckpt_drive_load_fn)(const ckpt_drive_call* call, void** item, void* user_data);

/* Waits until a transfer has ended: called exactly once for each transfer that was begun, also in a step that fails (its return
 * value is then ignored). Threads, calls and failure as for ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_await_fn)(const ckpt_drive_call* call, void* user_data);

/* Releases a handle, or with tier >= 1 the item in (tier, slot); item is NULL then. Cannot fail. Runs on the thread that runs the
 * step, cancels or releases; may block; calls of its driver return INVALID_STATE. */
typedef void (*ckpt_drive_drop_fn)(const ckpt_drive_call* call, void* item, void* user_data);

/* The functions of a driver. All receive the same user_data. A step that needs a missing function fails with CKPT_E_CALLBACK. */
typedef struct ckpt_driver_callbacks {
  uint32_t struct_size;                /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                   /* not used: 0 */
  ckpt_drive_forward_fn forward;       /* runs layers without recording */
  ckpt_drive_record_fn record;         /* runs a layer and records */
  ckpt_drive_backward_fn backward;     /* runs a layer backward */
  ckpt_drive_turn_fn turn;             /* computes the gradient of the chain's output, for ckpt_driver_run; may be NULL */
  ckpt_drive_store_fn store;           /* begins a copy into a slower tier; may be NULL */
  ckpt_drive_load_fn load;             /* begins a copy back into memory; may be NULL */
  ckpt_drive_await_fn await;           /* waits for a copy; may be NULL */
  ckpt_drive_drop_fn drop;             /* releases a handle; required */
  ckpt_drive_forward_n_fn forward_n;   /* replaces forward in a step of a graph */
  ckpt_drive_record_n_fn record_n;     /* replaces record in a step of a graph */
  ckpt_drive_backward_n_fn backward_n; /* replaces backward in a step of a graph */
} ckpt_driver_callbacks;

#define CKPT_DRIVER_CALLBACKS_INIT \
  { sizeof(ckpt_driver_callbacks), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* ---- Driver -------------------------------------------------------------------------------------------------------------- */

/* Runs the steps of one schedule, one at a time; any number of drivers may run at once. One thread at a time, except for
 * ckpt_driver_cancel. Owns no thread: keeps working in a forked child. */
typedef struct ckpt_driver ckpt_driver;

/* Creates a driver. Keeps the schedule alive; callbacks are copied. A schedule that a planner created for a graph contains the
 * values that each layer reads: its layers run one by one, by forward_n, record_n and backward_n. A list of actions is always one
 * of a chain. INVALID_ARGUMENT without drop, and for a schedule of a pipeline's stage; UNSUPPORTED for a graph that passes several
 * values to the caller. The schedule is not verified here (ckpt_schedule_verify does that): a step that violates its rules fails
 * with INVALID_SCHEDULE. Needs no memory per action. */
CKPT_API ckpt_status ckpt_driver_create(ckpt_schedule* schedule, const ckpt_driver_callbacks* callbacks, void* user_data,
                                        ckpt_destroy_fn destroy, ckpt_driver** driver);

/* Begins a step and runs it up to TURN. The driver takes over x0 (not NULL), INPUT(0). *xn receives INPUT(n), borrowed: valid until
 * the driver's next call. INVALID_ARGUMENT, FORKED, and INVALID_STATE if a step has begun already: x0 then still belongs to the
 * caller. CALLBACK if a callback failed or returned invalid data (NULL instead of a required handle, or a handle that is live
 * already): the message names item, layer and action. INVALID_SCHEDULE if the schedule violates a rule. CANCELLED. After any other
 * error the step has ended and every handle of it was dropped or taken over, x0 included; the next step works. */
CKPT_API ckpt_status ckpt_driver_forward(ckpt_driver* driver, void* x0, void** xn);

/* Runs the step that ckpt_driver_forward paused to its end. The driver takes over gn, GRAD(n), NULL for none. *g0 receives GRAD(0),
 * which the caller owns, NULL for none; g0 may be NULL: GRAD(0) is dropped then. INVALID_ARGUMENT, FORKED, and INVALID_STATE if no
 * step is paused: gn then still belongs to the caller. Other errors as for ckpt_driver_forward. */
CKPT_API ckpt_status ckpt_driver_backward(ckpt_driver* driver, void* gn, void** g0);

/* Runs a whole step: callbacks.turn computes GRAD(n). x0, g0 and errors as for ckpt_driver_forward and ckpt_driver_backward. */
CKPT_API ckpt_status ckpt_driver_run(ckpt_driver* driver, void* x0, void** g0);

/* Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the number of steps that were already
 * requested): inside a callback for the current step, else for the next one. The number applies to one step only. INVALID_STATE if
 * the number is known already, or if the step is past its TURN. */
CKPT_API ckpt_status ckpt_driver_finalize(ckpt_driver* driver, int64_t layer_count);

/* Cancels the step: a running step fails with CANCELLED at its next action; a step that is paused at TURN has ended when this
 * returns, and its handles were dropped on this thread. Without a step it does nothing. May be called on any thread, also in a
 * callback of the driver. Not async-signal-safe: in a signal handler set a flag that a callback reads. */
CKPT_API ckpt_status ckpt_driver_cancel(ckpt_driver* driver);

/* Reports the call that failed the last failed step: *call receives it, and *result the return value of the callback, or 0 if the
 * callback returned invalid data or is NULL. Each may be NULL. NOT_FOUND when the last step did not fail by a callback. */
CKPT_API ckpt_status ckpt_driver_get_failure(const ckpt_driver* driver, ckpt_drive_call* call, int32_t* result);

/* Releases the driver; drops the handles of a paused step. NULL does nothing. */
CKPT_API void ckpt_driver_release(ckpt_driver* driver);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_DRIVE_H */
