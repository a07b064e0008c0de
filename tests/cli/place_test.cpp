// How the command interprets a location, by the library's rules; and the commands on a storage that is only reached by its URI.
#include "place.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "copy.h"
#include "open_reader.h"
#include "prune.h"
#include "show.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;

// Changes into a new current directory during its lifetime.
class Here {
 public:
  Here() : before_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "ckpt-place-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
    folder_ = name;
    fs::current_path(folder_);
  }
  ~Here() {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;
  const fs::path& folder() const { return folder_; }

 private:
  fs::path before_;
  fs::path folder_;
};

bool is_taken(const std::string& text) {
  try {
    (void)place_of(text);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool is_taken_by_library(const std::string& text) {
  try {
    (void)Storage::from_uri(text);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::invalid_argument) << text;
    return false;
  }
}

TEST(CliPlace, FileUrisBecomePathsAndOthersAreUnchanged) {
  const Here here;
  EXPECT_EQ(place_of("file:///a/b%20c/"), "/a/b c");
  EXPECT_EQ(place_of("file:///"), "/");
  EXPECT_EQ(place_of("FILE:run"), "run");
  EXPECT_EQ(place_of("file:memory:x"), "./memory:x");
  for (const char* const same :
       {"run", "/a//b", "../x", "a%20b", "memory:x", "s3://bucket/a", "run:1", "c:x", "", "file", "xfile:a"}) {
    EXPECT_EQ(place_of(same), same);
  }
  fs::create_directory("file:there");
  EXPECT_EQ(place_of("file:there"), "file:there");
  fs::create_symlink("nowhere", "file:broken");
  EXPECT_EQ(place_of("file:broken"), "file:broken");
}

TEST(CliPlace, StoragesReachedOnlyByUri) {
  const Here here;
  for (const char* const uri : {"memory:", "memory:x", "MEMORY:a/b", "s3://bucket", "a+b-c.d://x", "unheard://"}) {
    EXPECT_TRUE(is_uri(uri)) << uri;
  }
  for (const char* const path : {"", "run", "memory", "run:1", "s3:x", "s3:/x", "c://x", "3s://x", "a_b://x", "x/memory:y",
                                 "file:a", "no/s3://bucket", ":", "://"}) {
    EXPECT_FALSE(is_uri(path)) << path;
  }
  fs::create_directory("memory:x");
  EXPECT_FALSE(is_uri("memory:x"));
}

// The command checks what exists before it opens it, and so parses file URIs itself: in the same way as the library.
TEST(CliPlace, FileUrisAreParsedLikeInTheLibrary) {
  const Here here;
  const std::string root = here.folder().string();
  const std::vector<std::string> pieces = {
      "",           "/",      "//",      ".",   "..",       "a",      "%61",      "%2e",    "%2F", "%2f", "%",
      "%4",         "%zz",    "%-1",     "%0a", "%7F",      "?",      "%3F",      "#",      "%23", " ",   "%20",
      "?lock=file", "?lock=", "?lock=x", ":",   "\xc2\x85", "%C2%85", "\xc3\xbc", "%C3%BC", "+"};
  int taken = 0;
  for (const std::string& begin : {std::string(), root, "//" + root, std::string("//host")}) {
    for (const std::string& first : pieces) {
      for (const std::string& second : pieces) {
        if (begin.empty() && first == "/") continue;  // creates nothing outside of the folder
        const std::string uri = "file:" + begin + (begin.empty() ? "" : "/") + first + second;
        const bool is_good = is_taken(uri);
        EXPECT_EQ(is_good, is_taken_by_library(uri)) << uri;
        if (!is_good) continue;
        ++taken;
        EXPECT_TRUE(fs::is_directory(place_of(uri))) << uri;
      }
    }
  }
  EXPECT_GT(taken, 100);
}

std::string printed(const std::function<void()>& command) {
  testing::internal::CaptureStdout();
  command();
  return testing::internal::GetCapturedStdout();
}

void save(const std::string& uri, std::int64_t step) {
  CheckpointManager checkpoints(Storage::from_uri(uri));
  Tensor weight(DType::f32, {3});
  weight.fill(static_cast<double>(step));
  State state;
  state.add("model", "weight", weight);
  state.set("epochs", std::vector<std::int64_t>{1, 2});
  SaveOptions options;
  options.step = step;
  options.seed = 11;
  checkpoints.save(state, options);
}

TEST(CliPlace, CommandsWorkOnStoragesWithoutAPath) {
  const Here here;
  const Storage kept = Storage::from_uri("memory:commands");
  const std::string uri = "memory:commands";
  save(uri, 5);
  save(uri, 6);
  EXPECT_NE(printed([&] { list(uri, false); }).find("step-000000000006"), std::string::npos);
  const std::string shown = printed([&] { show(uri, false, false); });
  EXPECT_NE(shown.find(uri + "/step-000000000006"), std::string::npos) << shown;
  EXPECT_NE(shown.find("seed: 11"), std::string::npos) << shown;
  EXPECT_NE(shown.find("model.safetensors: 1 tensor, 12 B"), std::string::npos) << shown;
  EXPECT_NE(shown.find("weight"), std::string::npos) << shown;
  EXPECT_NE(printed([&] { show(uri, true, false); }).find("\"dtype\": \"F32\""), std::string::npos);
  EXPECT_NE(printed([&] { verify(uri, false); }).find(": ok, "), std::string::npos);
  Reader reader = open_reader(uri).reader;
  EXPECT_EQ(tensor_at(reader, reader.find("weight")).data_as<float>()[2], 6.0F);

  // To a directory and back, and a single checkpoint.
  EXPECT_NE(printed([&] { copy(uri, "files", std::nullopt, true, false); }).find("verified"), std::string::npos);
  const Storage other = Storage::from_uri("memory:other");
  (void)printed([&] { copy("files", "memory:other", 5, false, false); });
  EXPECT_EQ(open_reader("memory:other").reader.tensor_count(), reader.tensor_count());
  EXPECT_THROW(copy(uri, "memory:other", 7, false, false), Error);

  EXPECT_NE(printed([&] { prune(uri, "last:1", true, false); }).find("1 checkpoint would be removed"), std::string::npos);
  pin(uri, 5, true);
  EXPECT_NE(printed([&] { prune(uri, "last:1", false, false); }).find("0 checkpoints removed"), std::string::npos);
  pin(uri, 5, false);
  EXPECT_NE(printed([&] { prune(uri, "last:1", false, false); }).find("1 checkpoint removed"), std::string::npos);

  for (const auto& command : std::vector<std::function<void()>>{
           [] { list("memory:empty", false); }, [] { show("memory:empty", false, false); }, [] { verify("memory:empty", false); },
           [] { (void)open_reader("memory:empty"); }, [] { (void)open_reader("memory:empty.npz"); }}) {
    EXPECT_THROW(command(), Error);
  }
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(".")) left.push_back(entry.path().filename().string());
  EXPECT_EQ(left, std::vector<std::string>{"files"});
}

}  // namespace
}  // namespace ckpt::cli
