/* ckpt.h - libckpt: checkpointing that a program can embed. Umbrella header: includes one header per part.
 *
 * Two meanings of one word are kept apart in every name. An *activation checkpoint* is kept in memory to shorten recomputation
 * (strategy.h, plan.h, engine.h). A *state checkpoint* is durable and survives a crash (state.h).
 *
 * Rules that hold for every function, unless its comment says otherwise:
 *
 * Result     Functions that can fail return ckpt_status: CKPT_OK is 0, errors are negative. After an error ckpt_last_error() says
 *            on the same thread which argument was wrong and its value. A function that failed changed nothing and leaves its
 *            out-parameters alone. No exception ever crosses this boundary, in either direction: if a callback throws, the call
 *            that runs it fails with CKPT_E_CALLBACK and the exception's text; if the callback cannot report an error, the log
 *            has an error.
 * Handles    ckpt_<noun>_create returns one reference, ckpt_<noun>_release releases it; release(NULL) does nothing. Handles
 *            may be released in any order: what still needs another object keeps it alive. A handle of the wrong kind is refused
 *            with CKPT_E_INVALID_ARGUMENT. Using a handle after its release is undefined. Inside a callback handles may be released
 *            too: one that the call around it uses is destroyed when that call ends.
 * Structs    A struct that starts with struct_size is initialised with its _INIT macro; later versions append fields. A size that
 *            is not a multiple of 4, above 4096 or below that of the first version is INVALID_ARGUMENT. The caller also
 *            initialises structs that the library fills, in the same way; at most struct_size bytes are written.
 * Strings    In: UTF-8, NUL-terminated. Out: borrowed, with the lifetime stated at the function, or written to (buffer, capacity,
 *            *needed): *needed receives the full length without the NUL; a capacity that is too small returns CKPT_E_OUT_OF_RANGE
 *            and writes nothing else; buffer NULL with capacity 0 only asks for the length.
 * Lists      What can change is written to (array, capacity, *count), all of one moment: *count receives how many there are, the
 *            array the first capacity of them. What cannot change is asked for by count and index.
 * Numbers    Sizes and counts are int64_t; bytes where the name says bytes; times that were waited or measured are int64_t
 *            nanoseconds (_ns), moments too: on a clock of the process (_at_ns) or since 1970-01-01T00:00:00Z (_utc_ns); what
 *            formulas read or give is double seconds (_seconds). A limit of 0 is none; has_x says whether x is
 *            set. A time-out is in nanoseconds: -1 waits for ever, 0 polls.
 * Callbacks  Always a function, a user_data and a destroy function (may be NULL). destroy runs exactly once, after the last call;
 *            when the function that took them fails, it does not run: the caller still owns user_data. A callback that returns
 *            non-zero stops the operation with CKPT_E_CALLBACK; ckpt_callback_error() before it sets the reason.
 *            (1) Callbacks that report (log, events, tasks' progress and completion) run under no lock of the library and may call
 *            any function, also through the object that reports; messages of the log that an operation writes come when it ends.
 *            (2) Callbacks that an operation consists of (storages, stateful objects, coordinators, layers, strategies, sources of
 *            bytes), and those of ckpt_set_progress, run inside it. From them other objects may be used; a call on the object whose
 *            operation it is, other than to release it or to ask what it was made with, returns CKPT_E_INVALID_STATE at once: it
 *            neither waits nor changes anything.
 * Threads    A handle may be used from any thread. Objects marked "synchronised" may be used from several threads at once; all
 *            others from one thread at a time. ckpt_*_release needs that no other thread uses the same reference.
 * Signals    The library's threads block the signals that a program handles (HUP, INT, QUIT, TERM, USR1, USR2, ALRM, VTALRM, CHLD,
 *            CONT, WINCH, PIPE, IO, URG, TSTP, TTIN, TTOU), so handlers run on the program's threads only. No function is
 *            async-signal-safe unless its comment states it.
 * Fork       In a forked child, handles that own threads return CKPT_E_FORKED; releasing them frees memory and joins nothing. All
 *            others work on, or return CKPT_E_FORKED where a thread of the parent was changing them: no call waits for a thread
 *            that the child does not have. Locks of files stay the parent's.
 *
 * The library never prints, never exits, installs no signal handlers and does not change the locale.
 */
#ifndef CKPT_CKPT_H
#define CKPT_CKPT_H

#include <ckpt/adaptive.h>
#include <ckpt/async.h>
#include <ckpt/base.h>
#include <ckpt/drive.h>
#include <ckpt/engine.h>
#include <ckpt/memory.h>
#include <ckpt/pipeline.h>
#include <ckpt/plan.h>
#include <ckpt/program.h>
#include <ckpt/state.h>
#include <ckpt/storage.h>
#include <ckpt/strategy.h>
#include <ckpt/tensor.h>
#include <ckpt/tree.h>

#endif /* CKPT_CKPT_H */
