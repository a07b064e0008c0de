// CPU quotas of cgroups, from files that the test writes.
#include "base/os/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ckpt::base {
namespace {

namespace fs = std::filesystem;

class BaseCpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ckpt-cpu-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  // Returns the quota of a process with these contents of /proc/self/cgroup.
  double quota(const std::string& cgroups) const {
    write("cgroup", cgroups);
    return cgroup_cpu_quota((root_ / "cgroup").string(), (root_ / "fs").string());
  }

 private:
  fs::path root_;
};

TEST_F(BaseCpu, NoFilesMeansNoLimit) {
  EXPECT_EQ(cgroup_cpu_quota("/nonexistent/cgroup", "/nonexistent"), 0);
  EXPECT_EQ(quota(""), 0);
  EXPECT_EQ(quota("0::/user.slice\n"), 0);
}

TEST_F(BaseCpu, Version2) {
  write("fs/box/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/box\n"), 1.5);
  write("fs/box/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/box\n"), 0);
}

TEST_F(BaseCpu, Version2UsesTheSmallestParentLimit) {
  write("fs/a/cpu.max", "200000 100000\n");
  write("fs/a/b/cpu.max", "max 100000\n");
  write("fs/a/b/c/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota("0::/a/b/c\n"), 2);
  EXPECT_EQ(quota("0::/a/b\n"), 2);
  write("fs/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/a/b/c\n"), 0.5);
}

TEST_F(BaseCpu, Version2InAContainerWithAHostPath) {
  write("fs/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota("0::/docker/0123456789abcdef\n"), 3);
  EXPECT_EQ(quota("0::/\n"), 3);
}

TEST_F(BaseCpu, Version1) {
  write("fs/cpu/box/cpu.cfs_quota_us", "250000\n");
  write("fs/cpu/box/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("4:memory:/box\n3:cpu:/box\n"), 2.5);
  EXPECT_EQ(quota("4:memory:/box\n"), 0);
  EXPECT_EQ(quota("3:cpuset:/box\n"), 0);
  write("fs/cpu/box/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota("3:cpu:/box\n"), 0);
}

TEST_F(BaseCpu, Version1WithJoinedControllers) {
  write("fs/cpu,cpuacct/x/y/cpu.cfs_quota_us", "100000\n");
  write("fs/cpu,cpuacct/x/y/cpu.cfs_period_us", "50000\n");
  write("fs/cpu,cpuacct/x/cpu.cfs_quota_us", "75000\n");
  write("fs/cpu,cpuacct/x/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(quota("3:cpuacct,cpu:/x/y\n0::/x/y\n"), 1.5);
}

TEST_F(BaseCpu, BothVersionsMounted) {
  write("fs/unified/box/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/box\n"), 4);
  write("fs/cpu/box/cpu.cfs_quota_us", "100000\n");
  write("fs/cpu/box/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("3:cpu:/box\n0::/box\n"), 1);
}

TEST_F(BaseCpu, InvalidFilesMeanNoLimit) {
  for (const char* text : {"", "x y\n", "-5 100000\n", "100000\n", "100000 0\n", "100000 -1\n", "nan nan\n"}) {
    write("fs/box/cpu.max", text);
    EXPECT_EQ(quota("0::/box\n"), 0) << text;
  }
  EXPECT_EQ(quota("no colons\n:\n::\n"), 0);
}

TEST_F(BaseCpu, ThisProcessHasAtLeastOneThread) { EXPECT_GE(available_threads(), 1); }

}  // namespace
}  // namespace ckpt::base
