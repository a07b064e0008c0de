// The system probe with files written by the test.
#include "memory/probe.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ckpt::memory {
namespace {

class MemoryProbe : public ::testing::Test {
 protected:
  MemoryProbe() {
    root = std::filesystem::path(::testing::TempDir()) /
           (std::string("ckpt_probe_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root);
    files.meminfo = (root / "meminfo").string();
    files.cgroup = (root / "cgroup").string();
    files.mount = (root / "mount").string();
    write("meminfo", "MemTotal:       1000 kB\nMemFree:        100 kB\nMemAvailable:   600 kB\n");
  }
  ~MemoryProbe() override { std::filesystem::remove_all(root); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  std::filesystem::path root;
  ProbeFiles files;
};

constexpr std::int64_t kib = 1024;

TEST_F(MemoryProbe, WithoutGroupsTheMachineCounts) {
  const SystemMemory memory = probe_system_memory(files);
  EXPECT_EQ(memory.total_bytes, 1000 * kib);
  EXPECT_EQ(memory.available_bytes, 600 * kib);
  EXPECT_EQ(memory.machine_bytes, 1000 * kib);
  EXPECT_EQ(memory.limit_bytes, 0);
}

TEST_F(MemoryProbe, Version2LimitMinusUnreclaimableUsage) {
  write("cgroup", "0::/app/job\n");
  write("mount/app/job/memory.max", "409600\n");
  write("mount/app/job/memory.current", "204800\n");
  write("mount/app/job/memory.stat", "anon 102400\ninactive_file 51200\nactive_file 1\n");
  const SystemMemory memory = probe_system_memory(files);
  EXPECT_EQ(memory.total_bytes, 409600);
  EXPECT_EQ(memory.available_bytes, 409600 - 204800 + 51200);
  EXPECT_EQ(memory.machine_bytes, 1000 * kib);
  EXPECT_EQ(memory.limit_bytes, 409600);
}

TEST_F(MemoryProbe, TheSmallestLimitUpToTheRootCounts) {
  write("cgroup", "0::/app/job\n");
  write("mount/app/job/memory.max", "max\n");
  write("mount/app/memory.max", "300000\n");
  write("mount/app/memory.current", "299000\n");
  write("mount/memory.max", "500000\n");
  const SystemMemory memory = probe_system_memory(files);
  EXPECT_EQ(memory.limit_bytes, 300000);
  EXPECT_EQ(memory.total_bytes, 300000);
  EXPECT_EQ(memory.available_bytes, 1000);
}

TEST_F(MemoryProbe, Version1AndAHostPathThatDoesNotExistInTheContainer) {
  write("cgroup", "5:cpu:/\n4:memory:/docker/0123456789\n1:name=systemd:/\n");
  write("mount/memory/memory.limit_in_bytes", "200000\n");
  write("mount/memory/memory.usage_in_bytes", "150000\n");
  write("mount/memory/memory.stat", "cache 9\ninactive_file 7\ntotal_inactive_file 50000\n");
  const SystemMemory memory = probe_system_memory(files);
  EXPECT_EQ(memory.limit_bytes, 200000);
  EXPECT_EQ(memory.available_bytes, 100000);
}

TEST_F(MemoryProbe, Version1ReportsNoLimitAsAHugeNumber) {
  write("cgroup", "4:memory:/\n");
  write("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(probe_system_memory(files).limit_bytes, 0);
  EXPECT_EQ(probe_system_memory(files).available_bytes, 600 * kib);
}

TEST_F(MemoryProbe, AvailableIsNeverNegativeNorAboveTheMachine) {
  write("cgroup", "0::/\n");
  write("mount/memory.max", "1000\n");
  write("mount/memory.current", "5000\n");
  EXPECT_EQ(probe_system_memory(files).available_bytes, 0);
  write("mount/memory.current", "0\n");
  write("meminfo", "MemTotal: 1000 kB\nMemAvailable: 0 kB\n");
  EXPECT_EQ(probe_system_memory(files).available_bytes, 0);
}

TEST_F(MemoryProbe, InvalidFilesMeanNoMemoryLimit) {
  write("cgroup", "nonsense\n:\n0:\n0::/a\n");
  write("mount/a/memory.max", "-5\n");
  write("mount/memory.max", "lots\n");
  EXPECT_EQ(probe_system_memory(files).limit_bytes, 0);
}

TEST_F(MemoryProbe, WithoutMeminfoTheSystemIsQueried) {
  files.meminfo = (root / "missing").string();
  const SystemMemory memory = probe_system_memory(files);
  EXPECT_GT(memory.machine_bytes, 1 << 20);
  EXPECT_GT(memory.available_bytes, 0);
  EXPECT_LE(memory.available_bytes, memory.machine_bytes);
}

TEST(MemoryProbeReal, ThisMachine) {
  const SystemMemory memory = probe_system_memory();
  EXPECT_GT(memory.total_bytes, 1 << 20);
  EXPECT_LE(memory.total_bytes, memory.machine_bytes);
  EXPECT_GE(memory.available_bytes, 0);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
}

}  // namespace
}  // namespace ckpt::memory
