#include "plan/program.h"

#include <unordered_map>

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
  void become(BufferId id, const BufferInfo& before, const BufferInfo& now) override {
    program_.instructions.push_back({Instruction::Kind::become, std::ssize(program_.changes)});
    program_.changes.push_back({id, before, now});
  }
  void run(const Operation& operation) override {
    program_.instructions.push_back({Instruction::Kind::run, std::ssize(program_.operations)});
    program_.operations.push_back(operation);
  }
  void free(BufferId id, const BufferInfo&) override { program_.instructions.push_back({Instruction::Kind::free, id}); }
  // Reported directly after its copy.
  void transfer_begins(const TransferInfo& transfer) override { copies_[transfer.id] = std::ssize(program_.operations) - 1; }
  void transfer_ends(std::int64_t id) override {
    const auto copy = copies_.find(id);
    program_.instructions.push_back({Instruction::Kind::await, copy->second});
    copies_.erase(copy);
  }

 private:
  Program& program_;
  std::unordered_map<std::int64_t, std::int64_t> copies_;  // operations of the transfers in progress, by id
};

// Fails before any memory is allocated for the list.
void require_listable(const Schedule& schedule, const ChainProfile& profile) {
  Cursor cursor = cursor_for(schedule, profile);
  std::int64_t runs = 0;
  for (Action action = cursor.next(); action.kind != Kind::end; action = cursor.next()) {
    // The walk refuses actions over layers that the chain does not have.
    const bool over_layers = action.first >= 0 && action.first < action.last && action.last <= profile.layers();
    runs += over_layers ? action.last - action.first : 1;
    if (runs > largest_program_operations) {
      base::fail(base::Status::out_of_range, "schedule ", base::quote(schedule.name()), " runs layers more than ",
                 largest_program_operations, " times in a step: the program would be too long for a list");
    }
  }
}

}  // namespace

Cursor cursor_for(const Schedule& schedule, const ChainProfile& profile) {
  profile.require_whole();
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

void replay(const Schedule& schedule, const ChainProfile& profile, WalkSink& sink) {
  Cursor cursor = cursor_for(schedule, profile);
  Walk walk(profile, sink, schedule.role());
  while (!walk.ended()) walk.step(cursor.next());
}

void replay(const Program& program, WalkSink& sink) {
  std::vector<BufferInfo> now = program.buffers;
  for (const Instruction& instruction : program.instructions) {
    const auto index = static_cast<std::size_t>(instruction.index);
    switch (instruction.kind) {
      case Instruction::Kind::allocate: sink.allocate(instruction.index, now[index]); break;
      case Instruction::Kind::free: sink.free(instruction.index, now[index]); break;
      case Instruction::Kind::run: sink.run(program.operations[index]); break;
      case Instruction::Kind::await: break;
      case Instruction::Kind::become: {
        const Change& change = program.changes[index];
        sink.become(change.buffer, change.before, change.now);
        now[static_cast<std::size_t>(change.buffer)] = change.now;
        break;
      }
    }
  }
}

Program make_program(const Schedule& schedule, const ChainProfile& profile) {
  require_listable(schedule, profile);
  Program program;
  ProgramSink sink(program);
  replay(schedule, profile, sink);
  return program;
}

}  // namespace ckpt::plan
