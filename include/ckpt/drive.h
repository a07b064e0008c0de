/* drive.h - drives a schedule for a framework of its own: what is kept and dropped, recomputed and run backward, in which order.
 *
 * The items of a step (inputs, tapes, gradients) are the caller's own handles: pointers to tensors, graphs or records that the
 * library never looks into. The driver reads the schedule and calls back for every piece of work, with the handles it needs. A
 * framework's forward returns before its backward begins, so the driver pauses between them:
 *
 *   ckpt_driver_create(schedule, &callbacks, user, NULL, &driver);
 *   ckpt_driver_forward(driver, x0, &xn);             runs as far as TURN; xn is the chain's output, to look at
 *   gn = gradient_of_the_loss(xn);
 *   ckpt_driver_backward(driver, gn, &g0);            recomputes and runs backward; g0 is the gradient of x0
 *   ckpt_driver_release(driver);
 *
 * Every handle that a callback or a caller gives is dropped or taken over by a callback exactly once, also when a callback fails,
 * when the step is cancelled, and when backward never comes. A handle that a callback is shown without taking it over is borrowed
 * for the call. docs/how-to/bring-your-own-framework.md has whole examples. Read the general rules at the top of ckpt.h first.
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

/* What a callback must know beside its handles: a sum of flags. */
typedef uint32_t ckpt_drive_flag;

/* the layers ran before in this step: restore the ambient state (random numbers, statistics) that their first run began with */
#define CKPT_DRIVE_FLAG_AGAIN 1U
/* nothing but the layer's own backward reads its output: only a layer whose backward does so gives it, others give none */
#define CKPT_DRIVE_FLAG_NO_OUTPUT 2U
/* last use of the input: the callback owns the handle, also when it fails; a step in place overwrites it */
#define CKPT_DRIVE_FLAG_TAKE_INPUT 4U
/* last use of the output that a backward reads: the callback owns the handle, also when it fails */
#define CKPT_DRIVE_FLAG_TAKE_OUTPUT 8U

/* One call of the driver: which piece of work it is. Frozen: 80 bytes in every version. Fields that a kind does not use are 0. */
typedef struct ckpt_drive_call {
  /* what is to be done: FORWARD, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT or DROP of CKPT_ACTION_KIND_* */
  ckpt_action_kind kind;
  ckpt_drive_flag flags; /* sum of CKPT_DRIVE_FLAG_* */
  int64_t first;         /* first layer of the call; or the index i of the item */
  int64_t last;          /* one past the last layer of the call */
  int32_t option;        /* option of the layers; or of the item, for a TAPE */
  int32_t micro_batch;   /* number of the micro-batch: 0 */
  ckpt_item item;        /* kind of item of STORE_BEGIN, LOAD_BEGIN, AWAIT and DROP: one of CKPT_ITEM_* */
  int32_t tier;          /* where the item is or goes: 0 memory; 1 .. CKPT_TIERS-1 slower places */
  int32_t slot;          /* place within the tier, >= 0; of FORWARD: the buffer of the result, as the schedule's action names it */
  int32_t reserved;      /* not used: 0 */
  int64_t transfer;      /* id of the transfer, from its STORE_BEGIN or LOAD_BEGIN to its AWAIT */
  int64_t action;        /* index of the schedule's action that asks for this, from 0 */
  int64_t layers;        /* number of layers of the chain; 0 while an open-ended schedule does not know it */
  int32_t reserved2;     /* not used: 0 */
  int32_t reserved3;     /* not used: 0 */
} ckpt_drive_call;

/* Runs layers first .. last-1 forward under one option, recording nothing; input is INPUT(first). *output receives INPUT(last), a
 * handle that is not live (input itself only with TAKE_INPUT). Runs on the thread that drives; may block; calls of its driver,
 * other than to cancel, finalize or release it, return INVALID_STATE. Non-zero return ends the step with CKPT_E_CALLBACK, and what
 * was written to *output is ignored. */
typedef int32_t (*ckpt_drive_forward_fn)(const ckpt_drive_call* call, void* input, void** output, void* user_data);

/* Runs layer first forward under an option and records; input is INPUT(first). *tape receives TAPE(first), NULL for one that is
 * empty; *output receives INPUT(last), or stays NULL with NO_OUTPUT. A tape may keep input alive: schedules keep what a backward
 * reads as long, but for those of the planner tapes, which may have it made again. Threads, calls and failure as for
 * ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_record_fn)(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user_data);

/* Runs layer first backward. input is INPUT(first) and output is INPUT(last), each NULL where it is not there. tape and
 * grad_output, GRAD(last), are the callback's own from here on, also when it fails; each may be NULL, as it was given. *grad_input
 * receives GRAD(first), NULL for none. Threads, calls and failure as for ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_backward_fn)(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output,
                                          void** grad_input, void* user_data);

/* Ends the forward part in ckpt_driver_run: output is the chain's, INPUT(n). *grad_output receives GRAD(n), NULL for none. Threads,
 * calls and failure as for ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_turn_fn)(const ckpt_drive_call* call, void* output, void** grad_output, void* user_data);

/* Begins to copy an item into (tier, slot). The handle stays as it is until the AWAIT of this transfer has returned. Threads, calls
 * and failure as for ckpt_drive_forward_fn; one that fails has begun nothing. */
typedef int32_t (*ckpt_drive_store_fn)(const ckpt_drive_call* call, void* item, void* user_data);

/* Begins to copy what (tier, slot) holds back into memory: *item receives the new handle, which is used behind the AWAIT of this
 * transfer. The slot keeps what it holds. Threads, calls and failure as for ckpt_drive_forward_fn; one that fails has begun
 * nothing. */
typedef int32_t (*ckpt_drive_load_fn)(const ckpt_drive_call* call, void** item, void* user_data);

/* Waits until a transfer has ended: exactly once for each that was begun, also in a step that fails (then what it returns is not
 * looked at). Threads, calls and failure as for ckpt_drive_forward_fn. */
typedef int32_t (*ckpt_drive_await_fn)(const ckpt_drive_call* call, void* user_data);

/* Ends a handle, or with tier >= 1 what (tier, slot) holds: item is NULL then. Cannot fail. Runs on the thread that drives, cancels
 * or releases; may block; calls of its driver return INVALID_STATE. */
typedef void (*ckpt_drive_drop_fn)(const ckpt_drive_call* call, void* item, void* user_data);

/* The functions of a driver. All get the same user_data. A step that needs one that is not there ends with CKPT_E_CALLBACK. */
typedef struct ckpt_driver_callbacks {
  uint32_t struct_size;            /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;               /* not used: 0 */
  ckpt_drive_forward_fn forward;   /* runs layers without recording */
  ckpt_drive_record_fn record;     /* runs a layer and records */
  ckpt_drive_backward_fn backward; /* runs a layer backward */
  ckpt_drive_turn_fn turn;         /* makes the gradient of the chain's output, for ckpt_driver_run; may be NULL */
  ckpt_drive_store_fn store;       /* begins a copy into a slower tier; may be NULL */
  ckpt_drive_load_fn load;         /* begins a copy back into memory; may be NULL */
  ckpt_drive_await_fn await;       /* waits for a copy; may be NULL */
  ckpt_drive_drop_fn drop;         /* ends a handle; always there */
} ckpt_driver_callbacks;

#define CKPT_DRIVER_CALLBACKS_INIT \
  { sizeof(ckpt_driver_callbacks), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* ---- Driver -------------------------------------------------------------------------------------------------------------- */

/* Drives the steps of one schedule, one at a time; any number of drivers may run at once. From one thread at a time, but for
 * ckpt_driver_cancel. Owns no thread: works on in a forked child. */
typedef struct ckpt_driver ckpt_driver;

/* Creates a driver. Keeps the schedule alive; callbacks are copied. INVALID_ARGUMENT without drop, and for a schedule of a
 * pipeline's stage. The schedule is not verified here (ckpt_schedule_verify does that): a step that breaks its rules ends with
 * INVALID_SCHEDULE. Takes no memory per action. */
CKPT_API ckpt_status ckpt_driver_create(ckpt_schedule* schedule, const ckpt_driver_callbacks* callbacks, void* user_data,
                                        ckpt_destroy_fn destroy, ckpt_driver** driver);

/* Begins a step and runs it as far as TURN. x0 (not NULL), INPUT(0), is the driver's from here on. *xn receives INPUT(n), borrowed:
 * it may be looked at until the driver's next call. INVALID_ARGUMENT, FORKED, and INVALID_STATE when a step has begun already: x0
 * is still the caller's then. CALLBACK when a callback failed or lied (gave NULL where a handle is needed, or one that is live
 * already): the message names item, layer and action. INVALID_SCHEDULE when the schedule breaks a rule. CANCELLED. After any other
 * error the step is over and every handle of it was dropped or taken over, x0 included; the next step works. */
CKPT_API ckpt_status ckpt_driver_forward(ckpt_driver* driver, void* x0, void** xn);

/* Runs the step that ckpt_driver_forward paused to its end. gn, GRAD(n), NULL for none, is the driver's from here on. *g0 receives
 * GRAD(0), which is the caller's, NULL for none; g0 may be NULL: GRAD(0) is dropped then. INVALID_ARGUMENT, FORKED, and
 * INVALID_STATE when no step is paused: gn is still the caller's then. Other errors as for ckpt_driver_forward. */
CKPT_API ckpt_status ckpt_driver_backward(ckpt_driver* driver, void* gn, void** g0);

/* Runs a whole step: callbacks.turn makes GRAD(n). x0 and g0 as for ckpt_driver_forward and ckpt_driver_backward, errors too. */
CKPT_API ckpt_status ckpt_driver_run(ckpt_driver* driver, void* x0, void** g0);

/* Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the steps that were already asked for):
 * within a callback, of the step that runs; else of the next one. Each step has a number of its own. INVALID_STATE when the number
 * is known already, or when the step is behind its TURN. */
CKPT_API ckpt_status ckpt_driver_finalize(ckpt_driver* driver, int64_t layer_count);

/* Ends the step: one that runs ends with CANCELLED at its next action, one that is paused at TURN is over when this returns, its
 * handles dropped on this thread. Without a step it does nothing. Any thread, also a callback of the driver. Not async-signal-safe:
 * a signal handler sets a flag instead, which a callback reads. */
CKPT_API ckpt_status ckpt_driver_cancel(ckpt_driver* driver);

/* Says which call ended the last step that failed: *call receives it, and *result what the callback returned, or 0 when it lied or
 * is NULL. Each may be NULL. NOT_FOUND when the last step did not fail by a callback. */
CKPT_API ckpt_status ckpt_driver_get_failure(const ckpt_driver* driver, ckpt_drive_call* call, int32_t* result);

/* Releases the driver; drops what a paused step holds. NULL does nothing. */
CKPT_API void ckpt_driver_release(ckpt_driver* driver);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_DRIVE_H */
