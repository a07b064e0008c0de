// Symbolic links among checkpoints are never followed, and the log reports them.
#include <gtest/gtest.h>

#include <filesystem>

#include "fixture.h"
#include "storage/file_system.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

namespace fs = std::filesystem;

// Returns the name of a checkpoint in run, to which links has a link.
std::string save_and_link(const Scratch& run, const Scratch& links) {
  state::Checkpoint saved(disk_in(run), {});
  const std::string name = save_step(saved, 7).name;
  fs::create_directory_symlink(run / name, links / name);
  return name;
}

TEST(StateIgnoredLink, IsReportedOnce) {
  const Scratch run;
  const Scratch links;
  const std::string name = save_and_link(run, links);
  fs::create_directory_symlink(run / name, links / "newest");  // not a checkpoint name
  const Warnings warnings;
  state::Checkpoint reader(disk_in(links), read_only());
  EXPECT_TRUE(reader.list().empty());
  EXPECT_EQ(warnings.text(),
            base::cat("state: ", base::quote(name), " in ", base::quote(links.path()),
                      " is a symbolic link, which is not followed: the checkpoint is neither listed nor loaded. Move its "
                      "directory here, or open the directory that contains it\n"));
  Model model(0);
  std::string message;
  EXPECT_EQ(status_of([&] { reader.load(model.state, {}); }, &message), Status::not_found);
  EXPECT_NE(message.find("; links, which are not followed: 1"), std::string::npos) << message;
  state::Checkpoint(disk_in(links), read_only()).list();
  EXPECT_EQ(std::ranges::count(warnings.text(), '\n'), 1);
}

// A listing without a log does not use up the one report.
TEST(StateIgnoredLink, IsReportedToALogThatIsSetLater) {
  const Scratch run;
  const Scratch links;
  const std::string name = save_and_link(run, links);
  state::Checkpoint reader(disk_in(links), read_only());
  EXPECT_TRUE(reader.list().empty());
  const Warnings warnings;
  EXPECT_TRUE(reader.list().empty());
  EXPECT_TRUE(warnings.mention(name)) << warnings.text();
}

// Neither a save nor retention counts, removes or renames the link.
TEST(StateIgnoredLink, IsLeftUnchanged) {
  const Scratch run;
  const Scratch links;
  state::Checkpoint saved(disk_in(run), {});
  const std::string name = save_step(saved, 7).name;
  fs::create_directory_symlink(run / name, links / name);
  const Warnings warnings;
  state::CheckpointOptions options;
  options.keep_last = 1;
  state::Checkpoint writer(disk_in(links), options);
  EXPECT_FALSE(save_step(writer, 1).rolled_back);
  save_step(writer, 2);
  EXPECT_EQ(writer.list().size(), 1U);
  EXPECT_TRUE(fs::is_symlink(links / name));
  EXPECT_NO_THROW(saved.verify(name));
  EXPECT_EQ(std::ranges::count(warnings.text(), '\n'), 1) << warnings.text();
}

}  // namespace
