// A rank that saves in a forked child. The child has no coordinator to report through: its call fails, and the other ranks time out
// with a message that names the rank. The ranks are threads here.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "c_ranks.h"

using namespace ckpt_tests;

namespace {

// Returns whether the call fails in a forked child because of the fork.
bool fails_in_a_child(ckpt_checkpoint_manager* manager, const ckpt_state* state) {
  const pid_t child = ::fork();
  if (child == 0) {
    const ckpt_status status = ckpt_checkpoint_manager_save(manager, state, nullptr, nullptr);
    ::_exit(status == CKPT_E_FORKED && std::strstr(ckpt_last_error(), "before a fork") != nullptr ? 0 : 1);
  }
  int ended = -1;
  return child > 0 && ::waitpid(child, &ended, 0) == child && ended == 0;
}

using RanksFork = CRanks;

TEST_F(RanksFork, TheOthersNameTheRankThatForked) {
  constexpr std::int64_t soon = 2 * second;
  for (int forked_rank = 0; forked_rank < ranks; ++forked_rank) {
    for_all_ranks([&](Rank& here) {
      open(here, soon);
      if (here.rank == forked_rank) {
        EXPECT_TRUE(fails_in_a_child(here.manager, here.state)) << here.rank;
        return;
      }
      EXPECT_EQ(ckpt_checkpoint_manager_save(here.manager, here.state, nullptr, nullptr), CKPT_E_TIMEOUT);
      const std::string message = ckpt_last_error();
      EXPECT_EQ(message.find("rank " + std::to_string(forked_rank) + " did not arrive within 2000000000 ns"), 0U) << message;
    });
    for_all_ranks([&](Rank& here) { open(here, 10 * second); });  // removes the ranks' unfinished files
  }
}

}  // namespace
