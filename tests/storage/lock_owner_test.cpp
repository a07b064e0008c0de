// Records of lock owners, and the detection of owners that have exited.
#include "storage/lock_owner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace {

using namespace ckpt::storage;

const LockOwner owner{"host", 12, "345", "boot-1", "machine", "pid:[4026531836]"};

TEST(StorageLockOwner, TextContainsAllFields) {
  const std::string text = to_text(owner);
  const auto read = parse_lock_owner(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), text);
  EXPECT_EQ(read->process, 12);
  EXPECT_EQ(read->pid_namespace, "pid:[4026531836]");
  const LockOwner empty{"", 1, "", "", "", ""};
  EXPECT_TRUE(parse_lock_owner(to_text(empty)));
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(parse_lock_owner(text.substr(0, size))) << size;
  EXPECT_FALSE(parse_lock_owner(text + "x"));
  for (const char* pid : {"pid 0\n", "pid -1\n", "pid x\n", "pid 99999999999999\n", "pid 12 \n"}) {
    std::string changed = text;
    changed.replace(text.find("pid 12\n"), 7, pid);
    EXPECT_FALSE(parse_lock_owner(changed)) << pid;
  }
}

struct Case {
  const char* what;
  void (*change)(LockOwner& of_file, LockOwner& self, SeenProcess& seen);
  OwnerState expected;
};

TEST(StorageLockOwner, OnlyVisibleProcessesCanBeFoundEnded) {
  const Case cases[] = {
      {"the same process", [](LockOwner&, LockOwner&, SeenProcess&) {}, OwnerState::running},
      {"it ended", [](LockOwner&, LockOwner&, SeenProcess& seen) { seen = {}; }, OwnerState::ended},
      {"its id was given again", [](LockOwner&, LockOwner&, SeenProcess& seen) { seen.start = "346"; }, OwnerState::ended},
      {"the start is hidden", [](LockOwner&, LockOwner&, SeenProcess& seen) { seen.start = ""; }, OwnerState::running},
      {"another host",
       [](LockOwner& of_file, LockOwner&, SeenProcess& seen) {
         of_file.host = "other";
         seen = {};
       },
       OwnerState::unknown},
      {"another host of the same name",
       [](LockOwner& of_file, LockOwner&, SeenProcess& seen) {
         of_file.boot = "boot-2";
         of_file.machine = "other";
         seen = {};
       },
       OwnerState::unknown},
      {"before a restart", [](LockOwner& of_file, LockOwner&, SeenProcess&) { of_file.boot = "boot-0"; }, OwnerState::ended},
      {"another boot of a machine without an id",
       [](LockOwner& of_file, LockOwner& self, SeenProcess& seen) {
         of_file.boot = "boot-0";
         of_file.machine = self.machine = "";
         seen = {};
       },
       OwnerState::unknown},
      {"a system that identifies neither boots nor containers",
       [](LockOwner& of_file, LockOwner& self, SeenProcess& seen) {
         of_file.boot = self.boot = of_file.machine = self.machine = of_file.pid_namespace = self.pid_namespace = "";
         seen = {};
       },
       OwnerState::unknown},
      {"another container",
       [](LockOwner& of_file, LockOwner&, SeenProcess& seen) {
         of_file.pid_namespace = "pid:[1]";
         seen = {};
       },
       OwnerState::unknown},
      {"a container of another boot, with a copied machine id",
       [](LockOwner& of_file, LockOwner& self, SeenProcess& seen) {
         of_file.boot = "boot-0";
         of_file.pid_namespace = self.pid_namespace = "pid:[1]";
         seen = {};
       },
       OwnerState::unknown},
  };
  for (const Case& each : cases) {
    LockOwner of_file = owner;
    LockOwner self = owner;
    SeenProcess seen{false, "345"};
    self.process = 99;
    each.change(of_file, self, seen);
    const auto look = [&](std::int64_t process) {
      EXPECT_EQ(process, 12);
      return seen;
    };
    EXPECT_EQ(judge(of_file, self, look), each.expected) << each.what;
  }
}

TEST(StorageLockOwner, AProcessIsIdentifiedByTheSystem) {
  const LockOwner self = this_owner();
  EXPECT_EQ(self.process, ::getpid());
  EXPECT_FALSE(self.host.empty());
  EXPECT_FALSE(read_process(::getpid()).has_ended);
  EXPECT_EQ(read_process(::getpid()).start, self.start);
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const SeenProcess running = read_process(child);
  EXPECT_FALSE(running.has_ended);
  ::kill(child, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(read_process(child).has_ended) << "its parent has not collected it";
  EXPECT_EQ(read_process(child).start, running.start);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(read_process(child).has_ended);
}

}  // namespace
