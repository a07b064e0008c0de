// Programs through the C++17 API.
#include <gtest/gtest.h>

#include <ckpt/ckpt.hpp>

namespace {

TEST(Program, EqualsTheCApi) {
  ckpt::Profile profile(100);
  for (const char* name : {"a", "b", "c"}) {
    ckpt::LayerProfile layer;
    layer.output_bytes = 100;
    ckpt::OptionProfile option;
    option.tape_bytes = 10;
    profile.add_layer(name, layer);
    profile.add_option(option);
  }
  const ckpt::Schedule schedule = ckpt::Schedule::create(profile, "recompute-all");
  const ckpt::Program program(schedule, profile);
  EXPECT_EQ(program.arena_bytes(), schedule.reserved_bytes(profile));
  EXPECT_EQ(program.arena_bytes(1), 0);
  const std::vector<ckpt::ProgramBuffer> buffers = program.buffers();
  std::int64_t again = 0;
  for (const ckpt::ProgramOperation& operation : program.operations()) {
    again += (static_cast<std::uint32_t>(operation.flags) & CKPT_OPERATION_FLAG_AGAIN) != 0 ? 1 : 0;
    if (operation.kind != ckpt::ActionKind::turn) continue;
    const ckpt::ProgramBuffer& output = buffers.at(static_cast<std::size_t>(operation.input));
    EXPECT_EQ(output.item, ckpt::Item::input);
    EXPECT_EQ(output.index, 3);
  }
  EXPECT_EQ(again, schedule.verify(profile).recomputed_forwards);
  EXPECT_EQ(program.json().rfind("{\"format\":\"ckpt-program\"", 0), 0U);
  EXPECT_THROW(static_cast<void>(program.arena_bytes(4)), ckpt::Error);
}

}  // namespace
