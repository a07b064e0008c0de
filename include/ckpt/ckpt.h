/* ckpt.h - libckpt: an embeddable checkpointing library. Umbrella header: includes one header per part.
 *
 *   #include <ckpt/ckpt.h>                                     cc program.c $(pkg-config --cflags --libs ckpt)
 *
 *   printf("libckpt %s\n", ckpt_version_string());
 *   if (ckpt_storage_create_file_system("run", NULL, &storage) != CKPT_OK) puts(ckpt_last_error());
 *   ckpt_storage_release(storage);                             release(NULL) does nothing
 *
 * Every name distinguishes two meanings of "checkpoint". An *activation checkpoint* is kept in memory to shorten recomputation
 * (strategy.h, plan.h, engine.h). A *state checkpoint* is durable and survives a crash (state.h).
 *
 * Rules for every function, unless its comment states otherwise:
 *
 * Result     Functions that can fail return ckpt_status: CKPT_OK is 0, errors are negative. After an error, ckpt_last_error() on
 *            the same thread names the invalid argument and its value. A function that fails changes nothing and leaves its
 *            out-parameters unchanged. No exception crosses this boundary in either direction: if a callback throws, the call that
 *            runs it fails with CKPT_E_CALLBACK and the exception's message; if the callback cannot report an error, an ERROR
 *            message is logged.
 * Handles    ckpt_<noun>_create returns one reference, ckpt_<noun>_release releases it; release(NULL) does nothing. Handles may be
 *            released in any order: an object keeps the objects that it needs alive. A handle of the wrong kind is refused with
 *            CKPT_E_INVALID_ARGUMENT. Using a handle after its release is undefined. Handles may be released inside a callback,
 *            too: one that the surrounding call uses is destroyed when that call ends.
 * Structs    A struct that starts with struct_size is initialized with its _INIT macro; later versions append fields. A size that
 *            is not a multiple of 4, above 4096 or below that of the first version is INVALID_ARGUMENT. The caller also initializes
 *            structs that the library fills, in the same way; at most struct_size bytes are written.
 * Strings    In: UTF-8, NUL-terminated. Out: borrowed, with the lifetime stated at the function, or written to (buffer, capacity,
 *            *needed): *needed receives the full length without the NUL; if the capacity is too small, the call returns
 *            CKPT_E_OUT_OF_RANGE and writes nothing else; buffer NULL with capacity 0 only queries the length.
 * Lists      Lists that can change are written to (array, capacity, *count) as one consistent snapshot: *count receives the number
 *            of elements, the array the first capacity of them. Lists that cannot change are read by count and index.
 * Numbers    Sizes and counts are int64_t, in bytes if the name contains "bytes". Times that are waited or measured are int64_t
 *            nanoseconds (_ns); points in time are nanoseconds on a clock of the process (_at_ns) or since 1970-01-01T00:00:00Z
 *            (_utc_ns). Inputs and results of formulas are double seconds (_seconds). A limit of 0 means no limit; has_x reports
 *            whether x is set. A time-out is in nanoseconds: -1 waits forever, 0 polls.
 * Callbacks  A callback is always a function, a user_data and a destroy function (may be NULL). destroy runs exactly once, after
 *            the last call; if the function that takes them fails, it does not run: the caller still owns user_data. A callback
 *            that returns non-zero stops the operation with CKPT_E_CALLBACK; calling ckpt_callback_error() first sets the reason.
 *            (1) Callbacks that report (log, events, progress and completion of tasks) run without holding a lock of the library
 *            and may call any function, also on the object that reports; log messages of an operation are delivered when it ends.
 *            (2) Callbacks that implement part of an operation (storages, stateful objects, coordinators, layers, strategies,
 *            sources of bytes), and those of ckpt_set_progress, run inside it. They may use other objects. A call on the object
 *            that runs the operation, other than to release it or to query the options that it was created with, returns
 *            CKPT_E_INVALID_STATE at once: it neither waits nor changes anything.
 * Threads    A handle may be used from any thread. Objects marked "synchronized" may be used from several threads at once; all
 *            others from one thread at a time. ckpt_*_release requires that no other thread uses the same reference.
 * Signals    The library's threads block the signals that a program handles (HUP, INT, QUIT, TERM, USR1, USR2, ALRM, VTALRM, CHLD,
 *            CONT, WINCH, PIPE, IO, URG, TSTP, TTIN, TTOU), so handlers run on the program's threads only. No function is
 *            async-signal-safe unless its comment states it.
 * Fork       In a forked child, handles that own threads return CKPT_E_FORKED; releasing them frees memory and joins no threads.
 *            All others work, or return CKPT_E_FORKED if a thread of the parent was changing them at the fork: no call waits for a
 *            thread that does not exist in the child. File locks remain with the parent.
 *
 * The library writes nothing to standard output, and to standard error only as ckpt_set_fallback_log documents. It never exits,
 * installs no signal handlers and does not change the locale.
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
