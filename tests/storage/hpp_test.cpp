// The C++ face of storages.
#include <ckpt/state.hpp>
#include <ckpt/storage.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace {

TEST(StorageHpp, RetryingAndLimitedStoragesSaveAndLoad) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "ckpt-storage-hpp-test";
  std::filesystem::remove_all(root);
  {
    ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
    options.bytes_per_second = 1'000'000'000;
    const ckpt::FaultHandler handler;
    const ckpt::Storage storage = ckpt::Storage::file_system(root.string(), options).retrying(handler);
    ckpt::State state;
    state.set_json("lr", "0.25");
    ckpt::Checkpoint checkpoint(storage, 1);
    checkpoint.save(state, {});
    state.set_json("lr", "1");
    EXPECT_TRUE(checkpoint.load_if_any(state));
    EXPECT_EQ(state.json("lr"), "0.25");
    EXPECT_EQ(handler.retries(), 0);
  }
  std::filesystem::remove_all(root);
}

TEST(StorageHpp, ErrorsAreExceptions) {
  EXPECT_THROW(ckpt::Storage::custom("nowhere", CKPT_STORAGE_CALLBACKS_INIT, nullptr, nullptr), ckpt::Error);
  ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  options.max_attempts = 0;
  EXPECT_THROW(ckpt::FaultHandler{options}, ckpt::Error);
}

}  // namespace
