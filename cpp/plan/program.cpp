#include "plan/program.h"

#include "base/error.h"

namespace ckpt::plan {
namespace {

class ProgramSink final : public WalkSink {
 public:
  explicit ProgramSink(Program& program) : program_(program) {}

  void allocate(BufferId id, const BufferInfo& info) override {
    program_.buffers.push_back(info);
    program_.instructions.push_back({Instruction::Kind::allocate, id});
  }
  void run(const Operation& operation) override {
    program_.instructions.push_back({Instruction::Kind::run, static_cast<std::int64_t>(program_.operations.size())});
    program_.operations.push_back(operation);
  }
  void free(BufferId id) override { program_.instructions.push_back({Instruction::Kind::free, id}); }

 private:
  Program& program_;
};

}  // namespace

Cursor cursor_for(const Schedule& schedule, const ChainProfile& profile) {
  profile.require_complete();
  // The cursor does not outlive this call's reference: the aliasing pointer owns nothing.
  Cursor cursor(std::shared_ptr<const Schedule>(std::shared_ptr<void>(), &schedule));
  if (schedule.layers() < 0) {
    cursor.finalize(profile.layers());
  } else {
    base::require(schedule.layers() == profile.layers(), "schedule is for ", schedule.layers(), " layers; the profile has ",
                  profile.layers());
  }
  return cursor;
}

Program make_program(const Schedule& schedule, const ChainProfile& profile) {
  Program program;
  ProgramSink sink(program);
  Cursor cursor = cursor_for(schedule, profile);
  Walk walk(profile, sink, schedule.role());
  while (!walk.ended()) {
    if (walk.actions() == largest_program_actions) {
      base::fail(base::Status::out_of_range, "schedule ", base::quoted(schedule.name()), " has more than ", largest_program_actions,
                 " actions");
    }
    walk.step(cursor.next());
  }
  return program;
}

}  // namespace ckpt::plan
