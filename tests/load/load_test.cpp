// plugins/load: s3 locations with libckpt-s3 installed, missing, or not loadable. The environment has credentials but no store.
#include "load.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr const char* core_file = "libckpt.so." CKPT_SOVERSION;
constexpr const char* s3_file = "libckpt-s3.so." CKPT_SOVERSION;

bool is_mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
  return text.find(name) != std::string::npos;
}

ckpt_status open_s3(const char* uri = "s3://bucket/run", const std::string& folder = "") {
  ckpt_storage* storage = nullptr;
  const ckpt_status status = ckpt::load::create_storage(uri, folder, &storage);
  EXPECT_EQ(storage != nullptr, status == CKPT_OK);
  ckpt_storage_release(storage);
  return status;
}

void expect_unsupported(const std::string& folder, std::string_view text) {
  EXPECT_EQ(open_s3("s3://bucket/run", folder), CKPT_E_UNSUPPORTED);
  EXPECT_NE(std::string_view(ckpt_last_error()).find(text), std::string_view::npos) << ckpt_last_error();
  EXPECT_EQ(ckpt_storage_unregister_scheme("s3"), CKPT_E_NOT_FOUND) << "the scheme is not free again";
}

std::int32_t create_memory(const char*, ckpt_storage** storage, void* calls) {
  ++*static_cast<int*>(calls);
  return ckpt_storage_create_memory(storage);
}

std::int32_t create_through_s3(const char*, ckpt_storage** storage, void*) {
  const ckpt_status status = ckpt::load::create_storage("s3://bucket/inside", "", storage);
  if (status != CKPT_OK) ckpt_callback_error(ckpt_last_error());
  return status;
}

class Load : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ckpt-load-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    ckpt_storage_unregister_scheme("s3");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

// Runs first, before anything has been loaded.
TEST_F(Load, AFunctionOfTheProgramIsKept) {
  int calls = 0;
  ASSERT_EQ(ckpt_storage_register_scheme("s3", create_memory, &calls, nullptr), CKPT_OK);
  EXPECT_EQ(open_s3(), CKPT_OK) << ckpt_last_error();
  EXPECT_EQ(open_s3("S3:x"), CKPT_OK) << ckpt_last_error();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(open_s3("memory:"), CKPT_OK);
  EXPECT_EQ(open_s3("s3"), CKPT_OK);  // a directory
  EXPECT_TRUE(fs::remove("s3"));
  EXPECT_EQ(open_s3(nullptr), CKPT_E_INVALID_ARGUMENT);
  EXPECT_FALSE(is_mapped("libckpt-s3"));
}

TEST_F(Load, TheLibraryIsMissing) {
  expect_unsupported(folder_, "'s3' requires the package libckpt-s3; " + (folder_ / s3_file).string() + " was not found");
  expect_unsupported(folder_ / "none", "not LD_LIBRARY_PATH");
  EXPECT_FALSE(is_mapped("libckpt-s3"));
}

TEST_F(Load, ALoadFailureIsReportedWithItsReason) {
  std::ofstream(folder_ / s3_file) << "no library";
  expect_unsupported(folder_, (folder_ / s3_file).string() + " cannot be loaded: ");
  fs::copy_file(NEEDY, folder_ / s3_file, fs::copy_options::overwrite_existing);
  expect_unsupported(folder_, "libckpt_nowhere.so: cannot open shared object file");
}

TEST_F(Load, OtherMinorVersionsAreNamed) {
  std::ofstream(folder_ / "libckpt-s3.so.0.77") << "of a later version";
  std::ofstream(folder_ / "libckpt-s3.so.0.4.1") << "of another one";
  std::ofstream(folder_ / "libckpt-mpi.so.0.77") << "of another plug-in";
  expect_unsupported(folder_, (folder_ / s3_file).string() + " was not found");
  expect_unsupported(folder_, "; found libckpt-s3.so.0.4.1, libckpt-s3.so.0.77 for other versions than libckpt " +
                                  std::string(ckpt_version_string()));
}

TEST_F(Load, AnotherLibraryIsRefused) {
  const std::string path = (folder_ / s3_file).string();
  fs::copy_file(NOWHERE, path);
  expect_unsupported(folder_, path + " is not libckpt-s3, or its version differs from libckpt " + ckpt_version_string() +
                                  ": it lacks ckpt_s3_register");
  fs::copy_file(LATER, path, fs::copy_options::overwrite_existing);
  expect_unsupported(folder_, path + " cannot be loaded: its version differs from libckpt " + ckpt_version_string());
  expect_unsupported(folder_, "ckpt_of_a_later_version");
}

// If the dynamic linker found libckpt through a relative path in LD_LIBRARY_PATH, the library next to it is found from any working
// directory.
TEST_F(Load, ARelativeSearchPathWorks) {
  const fs::path libraries = fs::path(S3_LIBRARY).parent_path();
  fs::create_directories(folder_ / "lib");
  fs::copy_file(libraries / s3_file, folder_ / "lib" / s3_file);
  fs::copy_file(fs::canonical(LIBCKPT), folder_ / "lib" / core_file);
  const std::string program = fs::canonical("/proc/self/exe").string();
  const std::string command = "cd '" + folder_.string() + "' && LD_LIBRARY_PATH=lib '" + program +
                              "' --gtest_also_run_disabled_tests --gtest_filter=Load.DISABLED_FromAnotherFolder >out 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream out(folder_ / "out");
  EXPECT_EQ(status, 0) << out.rdbuf();
}

// The preceding test runs this one in another process.
TEST_F(Load, DISABLED_FromAnotherFolder) {
  ASSERT_TRUE(is_mapped(std::string("/lib/") + core_file));
  fs::current_path("/");
  EXPECT_EQ(open_s3(), CKPT_OK) << ckpt_last_error();
}

// A copy of libckpt next to it is not loaded: libckpt-s3 uses the one in the process.
TEST_F(Load, ItUsesTheLibckptOfTheProcess) {
  fs::copy_file(fs::path(S3_LIBRARY).parent_path() / core_file, folder_ / core_file);
  fs::copy_file(S3_LIBRARY, folder_ / s3_file);
  EXPECT_EQ(open_s3("s3://bucket/run", folder_), CKPT_OK) << ckpt_last_error();
  EXPECT_FALSE(is_mapped((folder_ / core_file).string()));
}

TEST_F(Load, SeveralThreadsAtOnce) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> succeeded = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { succeeded += open_s3() == CKPT_OK; });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(succeeded, 8) << ckpt_last_error();
    ASSERT_EQ(ckpt_storage_unregister_scheme("s3"), CKPT_OK);
  }
}

// The scheme is registered then, and is also loaded from within another scheme's function.
TEST_F(Load, TheSchemeIsKnownAfterwards) {
  ASSERT_EQ(ckpt_storage_register_scheme("through", create_through_s3, nullptr, nullptr), CKPT_OK);
  EXPECT_EQ(open_s3("through:x"), CKPT_OK) << ckpt_last_error();
  ckpt_storage* storage = nullptr;
  EXPECT_EQ(ckpt_storage_create_from_uri("s3://bucket/run", &storage), CKPT_OK) << ckpt_last_error();
  ckpt_storage_release(storage);
  EXPECT_EQ(ckpt_storage_unregister_scheme("through"), CKPT_OK);
  EXPECT_EQ(open_s3("s3://b"), CKPT_E_INVALID_ARGUMENT);
  EXPECT_NE(std::string_view(ckpt_last_error()).find("no valid bucket name"), std::string_view::npos) << ckpt_last_error();
}

TEST_F(Load, UploadsAreListedIfTheLibraryIsLoaded) {
  ckpt::load::AbortedUploads aborted = ckpt::load::abort_uploads("s3://b", 0, true);
  EXPECT_EQ(aborted.status, CKPT_E_INVALID_ARGUMENT);
  EXPECT_NE(aborted.reason.find("no valid bucket name"), std::string::npos) << aborted.reason;
  aborted = ckpt::load::abort_uploads("s3://bucket/run", 0, true);
  EXPECT_EQ(aborted.status, CKPT_E_IO) << aborted.reason;  // nothing listens
  EXPECT_TRUE(aborted.uploads.empty());
}

// A child forked while another thread loads does not wait for that thread. libckpt reports its own state after a fork.
TEST_F(Load, ForkedWhileAnotherThreadLoads) {
  std::atomic<bool> ends = false;
  std::thread loads([&] {
    while (!ends) {
      open_s3();
      ckpt_storage_unregister_scheme("s3");
    }
  });
  for (int i = 0; i < 30; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      ckpt_storage* storage = nullptr;
      const ckpt_status status = ckpt::load::create_storage("s3://bucket/run", "", &storage);
      _exit(status == CKPT_OK || status == CKPT_E_FORKED ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << i;
  }
  ends = true;
  loads.join();
}

}  // namespace
