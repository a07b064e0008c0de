// The C++ face of storages.
#include <ckpt/state.hpp>
#include <ckpt/storage.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace {

TEST(StorageHpp, RetryingAndLimitedStoragesSaveAndLoad) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "ckpt-storage-hpp-test";
  std::filesystem::remove_all(root);
  {
    ckpt::FileSystemOptions options;
    options.bytes_per_second = 1'000'000'000;
    const ckpt::FaultHandler handler;
    const ckpt::Storage storage = ckpt::Storage::file_system(root.string(), options).retrying(handler);
    ckpt::State state;
    state.set_json("lr", "0.25");
    ckpt::CheckpointManager checkpoint(storage, 1);
    checkpoint.save(state, {});
    state.set_json("lr", "1");
    EXPECT_TRUE(checkpoint.load_if_any(state));
    EXPECT_EQ(state.json("lr"), "0.25");
    EXPECT_EQ(handler.retries(), 0);
  }
  std::filesystem::remove_all(root);
}

// A handler of one's own has the say: here about a root that is a file, which no patience helps.
TEST(StorageHpp, AFunctionDecidesWhatIsTriedAgain) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "ckpt-storage-hpp-decide-test";
  std::filesystem::remove_all(root);
  {
    ckpt::FaultHandlerOptions options;
    options.max_attempts = 3;
    std::vector<ckpt::Fault> faults;
    const ckpt::FaultHandler handler(options, [&](ckpt::Fault& fault) {
      faults.push_back(fault);
      fault.retry = fault.attempt == 1;
      fault.delay_ns = 0;
    });
    ckpt::CheckpointManagerOptions with_handler;
    with_handler.fault_handler = handler.handle();
    const ckpt::Storage storage = ckpt::Storage::file_system(root.string());
    ckpt_checkpoint_manager* made = nullptr;
    ckpt::check(ckpt_checkpoint_manager_create(storage.handle(), &with_handler, &made));
    ckpt::State state;
    std::filesystem::remove_all(root);  // under its feet
    EXPECT_NE(ckpt_checkpoint_manager_save(made, state.handle(), nullptr, nullptr), ckpt::Status::ok);
    ASSERT_GE(faults.size(), 2U);
    EXPECT_EQ(faults[0].attempt, 1);
    EXPECT_EQ(faults[1].attempt, 2);
    EXPECT_FALSE(faults[0].retry);
    EXPECT_FALSE(faults[0].message.empty());
    EXPECT_GE(handler.retries(), 1);
    ckpt_checkpoint_manager_release(made);
  }
  std::filesystem::remove_all(root);
}

TEST(StorageHpp, ErrorsAreExceptions) {
  EXPECT_THROW(ckpt::Storage::custom("nowhere", CKPT_STORAGE_CALLBACKS_INIT, nullptr, nullptr), ckpt::Error);
  ckpt::FaultHandlerOptions options;
  options.max_attempts = 0;
  EXPECT_THROW(ckpt::FaultHandler{options}, ckpt::Error);
}

}  // namespace
