/* Shorthands for ckpt_controller_record in tests. */
#ifndef CKPT_TESTS_ADAPTIVE_EVENTS_H
#define CKPT_TESTS_ADAPTIVE_EVENTS_H

#include <ckpt/adaptive.h>

static inline ckpt_controller_event event_at(ckpt_controller_event_kind kind, double now) {
  ckpt_controller_event event = CKPT_CONTROLLER_EVENT_INIT;
  event.kind = kind;
  event.now_seconds = now;
  return event;
}

static inline ckpt_status record_at(ckpt_controller* controller, ckpt_controller_event_kind kind, double now) {
  const ckpt_controller_event event = event_at(kind, now);
  return ckpt_controller_record(controller, &event);
}

static inline ckpt_status record_begin_run(ckpt_controller* controller, double now) {
  return record_at(controller, CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN, now);
}
static inline ckpt_status record_resume(ckpt_controller* controller, double now) {
  return record_at(controller, CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED, now);
}
static inline ckpt_status record_begin(ckpt_controller* controller, double now) {
  return record_at(controller, CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN, now);
}
static inline ckpt_status record_abort(ckpt_controller* controller, double now) {
  return record_at(controller, CKPT_CONTROLLER_EVENT_KIND_SAVE_ABORTED, now);
}
static inline ckpt_status record_failure(ckpt_controller* controller, double now) {
  return record_at(controller, CKPT_CONTROLLER_EVENT_KIND_FAILURE, now);
}
static inline ckpt_status record_clean_exit(ckpt_controller* controller, double now) {
  return record_at(controller, CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT, now);
}
static inline ckpt_status record_commit(ckpt_controller* controller, double now, double stall_seconds, double durable_seconds) {
  ckpt_controller_event event = event_at(CKPT_CONTROLLER_EVENT_KIND_SAVE_COMMITTED, now);
  event.stall_seconds = stall_seconds;
  event.durable_seconds = durable_seconds;
  return ckpt_controller_record(controller, &event);
}
static inline ckpt_status record_task(ckpt_controller* controller, const char* name, double duration_seconds) {
  ckpt_controller_event event = event_at(CKPT_CONTROLLER_EVENT_KIND_TASK_DONE, 0);
  event.name = name;
  event.duration_seconds = duration_seconds;
  return ckpt_controller_record(controller, &event);
}
static inline ckpt_status record_recovery(ckpt_controller* controller, double now, double saved_seconds, double overhead_seconds) {
  ckpt_controller_event event = event_at(CKPT_CONTROLLER_EVENT_KIND_RECOVERY, now);
  event.saved_seconds = saved_seconds;
  event.overhead_seconds = overhead_seconds;
  return ckpt_controller_record(controller, &event);
}
static inline ckpt_status record_preemption(ckpt_controller* controller, double now, double left_seconds) {
  ckpt_controller_event event = event_at(CKPT_CONTROLLER_EVENT_KIND_PREEMPTION, now);
  event.left_seconds = left_seconds;
  return ckpt_controller_record(controller, &event);
}

#endif
