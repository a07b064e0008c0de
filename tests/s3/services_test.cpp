// libckpt-s3 against a real S3 gateway (tests/services/radosgw), directly and through a proxy that simulates networks and other
// stores. Run by tests/services/radosgw/run.sh, which sets the gateway's address.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway.h"
#include "support.h"
#include "text.h"
#include "uploads.h"
#include "xml.h"

namespace {

using namespace s3_test;

// Sends a request of the test itself.
ckpt::s3::Answer raw(Store& store, const std::string& method, const std::string& key, const ckpt::s3::Pairs& query,
                     std::string_view body = "", const ckpt::s3::Pairs& headers = {}) {
  ckpt::s3::Request request;
  request.method = method;
  request.headers = headers;
  request.key = key;
  request.query = query;
  request.body = ckpt::s3::bytes_of(body);
  request.is_sent = method == "PUT" || method == "POST";
  return store.client().execute(std::move(request));
}

std::string random_bytes(std::size_t count) {
  std::mt19937_64 random(count);
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

std::int64_t uploads(Store& store) {
  const std::string body = raw(store, "GET", "", {{"uploads", ""}}).body;
  std::int64_t count = 0;
  for (std::size_t at = body.find("<UploadId>"); at != std::string::npos; at = body.find("<UploadId>", at + 1)) ++count;
  return count;
}

class S3 : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    uri = "s3://" + bucket() + "/" + test->test_suite_name() + "/" + test->name();
    store = std::make_unique<Store>(uri, given.get());
    store->clear();
  }
  void TearDown() override {
    if (store) store->clear();
  }
  Given given;
  std::string uri;
  std::unique_ptr<Store> store;
};

// Goes through the proxy.
class S3Proxy : public S3 {
 protected:
  void SetUp() override {
    S3::SetUp();
    through.at = proxy.url();
    far = std::make_unique<Store>(uri, through.get());
  }
  Proxy proxy;
  Given through;
  std::unique_ptr<Store> far;
};

TEST_F(S3, WritesAndReads) {
  EXPECT_EQ(store->put("a/small", "some bytes"), CKPT_OK) << reason();
  EXPECT_EQ(store->text("a/small"), "some bytes");
  EXPECT_EQ(store->put("a/empty", ""), CKPT_OK) << reason();
  EXPECT_EQ(store->text("a/empty"), "");
  std::int64_t bytes = -1;
  EXPECT_EQ(store->size("a/small", bytes), CKPT_OK);
  EXPECT_EQ(bytes, 10);

  const Opened file = store->open("a/small");
  std::string text;
  EXPECT_EQ(file.read(5, 100, text), CKPT_OK);
  EXPECT_EQ(text, "bytes");
  EXPECT_EQ(file.read(10, 100, text), CKPT_OK);
  EXPECT_EQ(text, "");
  EXPECT_EQ(file.read(0, 0, text), CKPT_OK);
  expect_failure(file.write(0, "x"), CKPT_E_UNSUPPORTED, "opened for reading");

  EXPECT_EQ(store->put("a/small", "others"), CKPT_OK) << reason();
  EXPECT_EQ(store->text("a/small"), "others");
  EXPECT_EQ(file.read(0, 4, text), CKPT_OK) << reason();
  EXPECT_EQ(text, "some");  // the bytes returned by the open
  EXPECT_EQ(store->remove("a/small"), CKPT_OK) << reason();
  EXPECT_EQ(store->remove("a/small"), CKPT_OK) << reason();
  expect_failure(store->try_open("a/small"), CKPT_E_NOT_FOUND, "the object does not exist");
  expect_failure(store->size("a/small", bytes), CKPT_E_NOT_FOUND, "the object or the bucket does not exist");
}

TEST_F(S3, NeverMixesTwoVersions) {
  const std::string bytes = random_bytes(100000);
  ASSERT_EQ(store->put("large", bytes), CKPT_OK) << reason();
  const Opened file = store->open("large");
  std::string text;
  ASSERT_EQ(store->put("large", random_bytes(100008)), CKPT_OK) << reason();
  expect_failure(file.read(0, 100000, text), CKPT_E_NOT_FOUND, "replaced after it was opened");
  ASSERT_EQ(store->put("large", "short"), CKPT_OK) << reason();
  expect_failure(file.read(99000, 1000, text), CKPT_E_NOT_FOUND, "replaced after it was opened");
  ASSERT_EQ(store->remove("large"), CKPT_OK) << reason();
  expect_failure(file.read(99000, 1000, text), CKPT_E_NOT_FOUND, "NoSuchKey");
  EXPECT_EQ(file.read(10, 100, text), CKPT_OK) << reason();  // the opened version
  EXPECT_EQ(text, bytes.substr(10, 100));
}

TEST_F(S3, WritesFromFrontToBack) {
  const Opened file = store->create("file");
  EXPECT_EQ(file.write(0, "abc"), CKPT_OK);
  expect_failure(file.write(1, "x"), CKPT_E_UNSUPPORTED, "written sequentially");
  expect_failure(file.write(5, "x"), CKPT_E_UNSUPPORTED, "offset is 5 and the file has 3 bytes");
  EXPECT_EQ(file.write(3, "def"), CKPT_OK);
  EXPECT_EQ(file.size(), 6);
  std::string text;
  expect_failure(file.read(0, 1, text), CKPT_E_UNSUPPORTED, "opened for writing");
  expect_failure(store->try_open("file"), CKPT_E_NOT_FOUND, "the object does not exist");
  EXPECT_EQ(file.sync(), CKPT_OK) << reason();
  EXPECT_EQ(store->text("file"), "abcdef");
  expect_failure(file.write(6, "x"), CKPT_E_INVALID_STATE, "was synced");
}

TEST_F(S3, AcceptsAllNames) {
  const std::vector<std::string> names = {"blank and+plus", "quotes'\"", "signs&<>;=?#%", "%2e%2e/x",   "tilde~!*()",
                                          "grüße/日本語",   "a.b-c_d",   "colon:at@,$",   "back\\slash"};
  for (const std::string& name : names) EXPECT_EQ(store->put(name, name), CKPT_OK) << name << ": " << reason();
  for (const std::string& name : names) EXPECT_EQ(store->text(name), name);
  Store::Found found;
  ASSERT_EQ(store->list("", "", 100, found), CKPT_OK) << reason();
  std::vector<std::string> listed;
  for (const auto& [path, bytes] : found) listed.push_back(path);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(listed, sorted);
  EXPECT_EQ(store->remove_many(names), CKPT_OK) << reason();
  ASSERT_EQ(store->list("", "", 100, found), CKPT_OK) << reason();
  EXPECT_TRUE(found.empty());
  std::int64_t bytes = 0;
  for (const char* bad : {"", "a//b", "../a", "a/..", "/a", "a/", "a\nb", "."}) {
    expect_failure(store->size(bad, bytes), CKPT_E_INVALID_ARGUMENT, "path is");
  }
  expect_failure(store->size(std::string(1100, 'x'), bytes), CKPT_E_INVALID_ARGUMENT, "at most 1024");
}

TEST_F(S3, WritesLargeFilesInParts) {
  given.options.part_bytes = 8 << 20;
  Store parts(uri, given.get());
  const std::string bytes = random_bytes((40U << 20) + 12345);
  {
    const Opened file = parts.create("large", static_cast<std::int64_t>(bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += 3000000) {
      ASSERT_EQ(file.write(static_cast<std::int64_t>(at), std::string_view(bytes).substr(at, 3000000)), CKPT_OK) << reason();
    }
    expect_failure(parts.try_open("large"), CKPT_E_NOT_FOUND, "the object does not exist");  // not before it is synced
    EXPECT_EQ(uploads(*store), 1);
    ASSERT_EQ(file.sync(), CKPT_OK) << reason();
  }
  EXPECT_EQ(uploads(*store), 0);
  EXPECT_TRUE(parts.text("large") == bytes);

  const Opened file = parts.open("large");
  EXPECT_EQ(file.size(), static_cast<std::int64_t>(bytes.size()));
  std::vector<std::string> pieces;
  std::vector<ckpt_storage_range> ranges;
  pieces.reserve(40);
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::int64_t offset = i * 1000003;
    pieces.emplace_back(static_cast<std::size_t>(i * 30011), '\0');
    ranges.push_back({offset, i * 30011, pieces.back().data()});
  }
  ASSERT_EQ(file.ranges(ranges), CKPT_OK) << reason();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_TRUE(pieces[i] == bytes.substr(static_cast<std::size_t>(ranges[i].offset), pieces[i].size())) << i;
  }
  char one = 0;
  expect_failure(file.ranges({{file.size(), 1, &one}}), CKPT_E_INVALID_ARGUMENT, "exceeds the file");
  expect_failure(file.ranges({{-1, 1, &one}}), CKPT_E_INVALID_ARGUMENT, "exceeds the file");
  EXPECT_EQ(file.ranges({{file.size(), 0, &one}}), CKPT_OK) << reason();
  EXPECT_EQ(file.ranges({}), CKPT_OK);
}

TEST_F(S3, WritesExactlyOnePartByOneRequest) {
  given.options.part_bytes = 8 << 20;
  Store parts(uri, given.get());
  for (const std::size_t more : {0U, 1U}) {
    const std::string bytes = random_bytes((8U << 20) + more);
    ASSERT_EQ(parts.put("edge", bytes), CKPT_OK) << reason();
    EXPECT_TRUE(parts.text("edge") == bytes);
    const std::string etag = parts.client().head(parts.client().config().key("edge")).etag;
    EXPECT_EQ(etag.find('-') != std::string::npos, more > 0) << etag;
  }
}

TEST_F(S3, AbortsUnsyncedUploads) {
  given.options.part_bytes = 8 << 20;
  Store parts(uri, given.get());
  {
    const Opened file = parts.create("left");
    ASSERT_EQ(file.write(0, random_bytes(30U << 20)), CKPT_OK) << reason();
    EXPECT_EQ(uploads(*store), 1);
  }
  EXPECT_EQ(uploads(*store), 0);
  expect_failure(parts.try_open("left"), CKPT_E_NOT_FOUND, "the object does not exist");
  { const Opened file = parts.create("never"); }
  expect_failure(parts.try_open("never"), CKPT_E_NOT_FOUND, "the object does not exist");
}

TEST_F(S3, FindsAndAbortsUnfinishedUploads) {
  const ckpt::s3::Config& config = store->client().config();
  for (const char* path : {"one", "one", "two words+", "three", "four"}) raw(*store, "POST", config.key(path), {{"uploads", ""}});
  raw(*store, "POST", "elsewhere/" + bucket(), {{"uploads", ""}});
  constexpr std::int64_t hour_ns = 3600'000'000'000;
  std::vector<std::string> reported;
  const auto run = [&](std::int64_t older_than_ns, bool dry_run) {
    reported.clear();
    return ckpt::s3::abort_uploads(store->client(), older_than_ns, dry_run, 2,
                                   [&](const ckpt::s3::Unfinished& upload, std::int64_t age_ns) {
                                     EXPECT_TRUE(age_ns >= 0 && age_ns < hour_ns) << age_ns;
                                     reported.push_back(upload.path);
                                   });
  };
  EXPECT_EQ(uploads(*store), 6);
  EXPECT_EQ(run(hour_ns, false), 0);  // they are too recent
  EXPECT_EQ(run(0, true), 5);         // in pages of two
  std::sort(reported.begin(), reported.end());
  EXPECT_EQ(reported, (std::vector<std::string>{"four", "one", "one", "three", "two words+"}));
  EXPECT_EQ(uploads(*store), 6);
  EXPECT_EQ(run(0, false), 5);
  EXPECT_EQ(reported.size(), 5U);
  EXPECT_EQ(run(0, false), 0);
  EXPECT_EQ(uploads(*store), 1);  // another prefix
  Store above("s3://" + bucket() + "/elsewhere", given.get());
  EXPECT_EQ(ckpt::s3::abort_uploads(above.client(), 0, false, 1000, [](const auto&, std::int64_t) {}), 1);
}

TEST_F(S3, PutsIfAbsentOnce) {
  EXPECT_EQ(store->put_if_absent("once", "first"), CKPT_OK) << reason();
  expect_failure(store->put_if_absent("once", "second"), CKPT_E_ALREADY_EXISTS, "the name is taken");
  EXPECT_EQ(store->text("once"), "first");
  EXPECT_EQ(store->put_if_absent("nothing", ""), CKPT_OK) << reason();
  EXPECT_EQ(store->text("nothing"), "");
}

TEST_F(S3, OneOfManyPutsIfAbsent) {
  for (int round = 0; round < 50; ++round) {
    const std::string path = "race/" + std::to_string(round);
    std::atomic<int> ready{0};
    std::vector<std::int32_t> codes(4, 1);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < 4) std::this_thread::yield();
        codes[i] = store->put_if_absent(path, "writer " + std::to_string(i));
      });
    }
    for (std::thread& thread : threads) thread.join();
    int winner = -1;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == CKPT_OK) {
        EXPECT_EQ(winner, -1) << "two winners in round " << round;
        winner = static_cast<int>(i);
      } else {
        EXPECT_EQ(codes[i], CKPT_E_ALREADY_EXISTS);
      }
    }
    ASSERT_NE(winner, -1) << "no winner in round " << round;
    EXPECT_EQ(store->text(path), "writer " + std::to_string(winner));
  }
}

TEST_F(S3, ListsByPages) {
  constexpr int count = 2500;
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("keys/" + std::to_string(10000 + i));
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int i = k; i < count; i += 4)
        failed += store->put(names[static_cast<std::size_t>(i)], std::string(static_cast<std::size_t>(i % 7), 'x')) != CKPT_OK;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(failed, 0) << reason();
  ASSERT_EQ(store->put("keyz", "no"), CKPT_OK);
  ASSERT_EQ(store->put("kex/1", "no"), CKPT_OK);

  Store::Found found;
  ASSERT_EQ(store->list("keys/", "", 1000000, found), CKPT_OK) << reason();
  ASSERT_EQ(found.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(found[i].first, names[i]);
    EXPECT_EQ(found[i].second, static_cast<std::int64_t>(i % 7));
  }
  ASSERT_EQ(store->list("keys/", "keys/10041", 1, found), CKPT_OK);
  EXPECT_EQ(found, (Store::Found{{"keys/10042", 0}}));
  ASSERT_EQ(store->list("keys/", "keys/1004", 1500, found), CKPT_OK);
  ASSERT_EQ(found.size(), 1500U);
  EXPECT_EQ(found.front().first, "keys/10040");
  EXPECT_EQ(found.back().first, "keys/11539");
  ASSERT_EQ(store->list("", "", 1000000, found), CKPT_OK);
  EXPECT_EQ(found.size(), names.size() + 2);
  ASSERT_EQ(store->list("none", "", 10, found), CKPT_OK);
  EXPECT_TRUE(found.empty());
  expect_failure(store->list("", "", 0, found), CKPT_E_INVALID_ARGUMENT, "limit is 0");

  // The status of the caller's function ends the listing.
  const ckpt_storage_object_fn refuse = [](void* listing, const char*, std::int64_t) -> std::int32_t {
    return ++*static_cast<int*>(listing) == 3 ? 77 : CKPT_OK;
  };
  int calls = 0;
  EXPECT_EQ(store->calls.list_from("keys/", "", 100, refuse, &calls, store->data), 77);
  EXPECT_EQ(calls, 3);

  names.push_back("keys/not-there");
  EXPECT_EQ(store->remove_many(names), CKPT_OK) << reason();
  ASSERT_EQ(store->list("keys/", "", 10, found), CKPT_OK);
  EXPECT_TRUE(found.empty());
}

TEST_F(S3, SkipsInvalidNames) {
  const std::string below = store->client().config().prefix + "/";
  for (const char* name : {"marker/", "double//slash", "real"}) raw(*store, "PUT", below + name, {});
  Store::Found found;
  ASSERT_EQ(store->list("", "", 10, found), CKPT_OK) << reason();
  EXPECT_EQ(found, (Store::Found{{"real", 0}}));
  for (const char* name : {"marker/", "double//slash"}) raw(*store, "DELETE", below + name, {});
}

TEST_F(S3, ReportsInvalidKeys) {
  Store::Found found;
  std::int64_t bytes = 0;
  const auto refused = [&](Given& bad, const std::string& at, const std::string& text) {
    Store other(at, bad.get());
    expect_failure(other.list("", "", 1, found), CKPT_E_PERMISSION, text);
    expect_failure(other.put("x", "x"), CKPT_E_PERMISSION, text);
    expect_failure(other.put_if_absent("x", "x"), CKPT_E_PERMISSION, text);
    expect_failure(other.try_open("x"), CKPT_E_PERMISSION, text);
    expect_failure(other.size("x", bytes), CKPT_E_PERMISSION, text);
    expect_failure(other.remove("x"), CKPT_E_PERMISSION, text);
    expect_failure(other.remove_many({"x"}), CKPT_E_PERMISSION, text);
  };
  Given secret;
  secret.secret = "notTheSecretKeyAtAll";
  refused(secret, uri, "SignatureDoesNotMatch");
  Given unknown;
  unknown.access = "NOSUCHKEY";
  refused(unknown, uri, "InvalidAccessKeyId");
  Given other;
  other.access = "CKPTOTHERKEY";
  other.secret = "ckptOtherSecret0123456789abcdefghijklmno";
  refused(other, uri, "AccessDenied");
}

TEST_F(S3, NamesAMissingBucket) {
  Store other("s3://no-such-bucket/x", given.get());
  Store::Found found;
  const std::string text = "NoSuchBucket: the bucket 'no-such-bucket' does not exist";
  expect_failure(other.list("", "", 1, found), CKPT_E_INVALID_ARGUMENT, text);
  expect_failure(other.put("x", "x"), CKPT_E_INVALID_ARGUMENT, text);
  expect_failure(other.put_if_absent("x", "x"), CKPT_E_INVALID_ARGUMENT, text);
  expect_failure(other.remove("x"), CKPT_E_INVALID_ARGUMENT, text);
  expect_failure(other.remove_many({"x"}), CKPT_E_INVALID_ARGUMENT, text);
  expect_failure(other.try_open("x"), CKPT_E_INVALID_ARGUMENT, text);
}

TEST_F(S3, ReportsAWrongClock) {
  for (const std::int64_t offset : {-3600, 3600}) {
    Store late(uri, given.get(), [&](ckpt::s3::Config& config) { config.clock_offset_seconds = offset; });
    Store::Found found;
    expect_failure(late.list("", "", 1, found), CKPT_E_PERMISSION, "set the clock");
    expect_failure(late.try_open("x"), CKPT_E_PERMISSION, "set the clock");
  }
}

TEST_F(S3, ReportsAFullQuota) {
  Given full;
  full.access = "CKPTFULLKEY";
  full.secret = "ckptFullSecret0123456789abcdefghijklmnop";
  Store small("s3://ckpt-full", full.get());
  raw(small, "PUT", "", {});
  std::int32_t code = CKPT_OK;
  for (int i = 0; i < 10 && code == CKPT_OK; ++i) code = small.put("file" + std::to_string(i), "x");
  expect_failure(code, CKPT_E_NO_SPACE, "the quota is full");
  expect_failure(small.put_if_absent("more", "x"), CKPT_E_NO_SPACE, "the quota is full");
  small.clear();
}

TEST_F(S3, ReadsAChangedProfileAgain) {
  char folder[] = "/tmp/ckpt-s3-profile.XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string file = std::string(folder) + "/credentials";
  const auto write = [&](const std::string& secret) {
    std::ofstream(file) << "[tests]\naws_access_key_id = " << access_key() << "\naws_secret_access_key = " << secret << "\n";
  };
  const Variable credentials("AWS_SHARED_CREDENTIALS_FILE", file);
  const Variable config("AWS_CONFIG_FILE", std::string(folder) + "/config");
  const Variable profile("AWS_PROFILE", "tests");
  const Variable at("AWS_ENDPOINT_URL_S3", endpoint());
  write("wrongAtFirst");
  const ckpt_s3_options none = CKPT_S3_OPTIONS_INIT;
  Store own(uri, none);
  Store::Found found;
  expect_failure(own.list("", "", 1, found), CKPT_E_PERMISSION, "SignatureDoesNotMatch");
  write(secret_key());
  EXPECT_EQ(own.list("", "", 1, found), CKPT_OK) << reason();
  write("wrongAgain, and longer");
  expect_failure(own.list("", "", 1, found), CKPT_E_PERMISSION, "SignatureDoesNotMatch");
  unlink(file.c_str());
  rmdir(folder);
}

// With a key of the gateway (start.sh): it stores written data encrypted, and returns it decrypted.
TEST_F(S3, IsEncryptedByTheStore) {
  given.options.server_side_encryption = "aws:kms";
  given.options.kms_key = "ckpt-key";
  given.options.part_bytes = 8 << 20;
  Store encrypted(uri, given.get());
  const std::string large = random_bytes(20U << 20);
  ASSERT_EQ(encrypted.put("small", "bytes"), CKPT_OK) << reason();
  ASSERT_EQ(encrypted.put("large", large), CKPT_OK) << reason();
  ASSERT_EQ(encrypted.put_if_absent("once", "first"), CKPT_OK) << reason();
  expect_failure(encrypted.put_if_absent("once", "second"), CKPT_E_ALREADY_EXISTS, "the name is taken");
  for (const char* name : {"small", "large", "once"}) {
    const std::string command = "radosgw-admin object stat --bucket=" + bucket() +
                                " --object=" + store->client().config().key(name) +
                                R"( | grep -a -q '"user.rgw.crypt.mode": "SSE-KMS"')";
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
  }
  EXPECT_EQ(store->text("small"), "bytes");
  EXPECT_EQ(store->text("once"), "first");
  EXPECT_TRUE(store->text("large") == large);
  const Opened file = store->open("large");
  std::string text;
  ASSERT_EQ(file.read(9000001, 5000, text), CKPT_OK) << reason();
  EXPECT_TRUE(text == large.substr(9000001, 5000));
  given.options.kms_key = "no-such-key";
  Store other(uri, given.get());
  expect_failure(other.put("x", "x"), CKPT_E_PERMISSION, "HTTP 403");
  expect_failure(store->try_open("x"), CKPT_E_NOT_FOUND, "the object does not exist");
}

// The bucket in the host name: every name below localhost resolves to this machine.
TEST_F(S3, TheBucketMayBeInTheHostsName) {
  given.at = "http://localhost" + given.at.substr(given.at.rfind(':'));
  given.options.path_style = CKPT_S3_PATH_STYLE_OFF;
  given.options.part_bytes = 8 << 20;
  Store hosted(uri, given.get());
  ASSERT_EQ(hosted.client().config().host().find(bucket() + ".localhost:"), 0U);
  const std::string large = random_bytes(20U << 20);
  ASSERT_EQ(hosted.put("a b/small+", "bytes"), CKPT_OK) << reason();
  ASSERT_EQ(hosted.put("large", large), CKPT_OK) << reason();
  ASSERT_EQ(hosted.put_if_absent("once", "first"), CKPT_OK) << reason();
  expect_failure(hosted.put_if_absent("once", "second"), CKPT_E_ALREADY_EXISTS, "the name is taken");
  EXPECT_EQ(store->text("a b/small+"), "bytes");
  EXPECT_TRUE(hosted.text("large") == large);
  Store::Found found;
  ASSERT_EQ(hosted.list("", "", 10, found), CKPT_OK) << reason();
  EXPECT_EQ(found, (Store::Found{{"a b/small+", 5}, {"large", 20 << 20}, {"once", 5}}));
  EXPECT_EQ(hosted.remove_many({"a b/small+", "large"}), CKPT_OK) << reason();
  EXPECT_EQ(hosted.remove("once"), CKPT_OK) << reason();
  ASSERT_EQ(store->list("", "", 10, found), CKPT_OK) << reason();
  EXPECT_TRUE(found.empty());
}

TEST_F(S3, CannotBeUsedInAForkedChild) {
  given.options.part_bytes = 8 << 20;
  Store parts(uri, given.get());
  ASSERT_EQ(parts.put("file", "bytes"), CKPT_OK);
  auto* large = new Opened(parts.create("large"));
  const std::string bytes = random_bytes(20U << 20);
  ASSERT_EQ(large->write(0, bytes), CKPT_OK);
  auto* read = new Opened(parts.open("file"));
  const pid_t child = fork();
  if (child == 0) {
    Store::Found found;
    std::string text;
    std::int64_t size = 0;
    bool good = parts.put_if_absent("x", "x") == CKPT_E_FORKED && parts.list("", "", 1, found) == CKPT_E_FORKED &&
                large->write(static_cast<std::int64_t>(bytes.size()), "x") == CKPT_E_FORKED && large->sync() == CKPT_E_FORKED &&
                read->read(0, 1, text) == CKPT_E_FORKED && parts.size("file", size) == CKPT_E_FORKED;
    delete large;
    delete read;
    Store again(uri, given.get());  // a store of the child
    good = good && again.get("file", text) == CKPT_OK && text == "bytes";
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(large->sync(), CKPT_OK) << reason();
  EXPECT_TRUE(parts.text("large") == bytes);
  std::string text;
  EXPECT_EQ(read->read(0, 5, text), CKPT_OK) << reason();
  delete large;
  delete read;
}

// ---- Through the proxy

TEST_F(S3Proxy, CountsRequests) {
  proxy.rules("[]");
  ASSERT_EQ(far->put("a", "bytes"), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen(""), 1);
  EXPECT_EQ(far->text("a"), "bytes");
  EXPECT_EQ(proxy.seen(""), 2);
  EXPECT_EQ(far->put_if_absent("b", "bytes"), CKPT_OK);
  EXPECT_EQ(far->remove("b"), CKPT_OK);
  Store::Found found;
  EXPECT_EQ(far->list("", "", 1, found), CKPT_OK);
  EXPECT_EQ(proxy.seen(""), 5);
  EXPECT_EQ(far->remove_many({"a", "b", "c"}), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen(""), 6);
  const std::string bytes = random_bytes(40U << 20);
  ASSERT_EQ(far->put("large", bytes), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen(""), 6 + 1 + 3 + 1);  // start, parts of 16 MiB, complete
  EXPECT_TRUE(store->text("large") == bytes);
}

TEST_F(S3Proxy, FirstBytesAreReturnedByOpening) {
  constexpr std::size_t begin = 65536;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, begin - 1, begin, begin + 1, 3 * begin}) {
    const std::string all = random_bytes(bytes / 8 * 8) + std::string(bytes % 8, 'x');
    ASSERT_EQ(store->put("file", all), CKPT_OK) << reason();
    proxy.rules("[]");
    EXPECT_TRUE(far->text("file") == all) << bytes;
    EXPECT_EQ(proxy.seen(""), bytes <= begin ? 1 : 2) << bytes;
    EXPECT_EQ(proxy.seen("HEAD"), 0);
    const Opened file = far->open("file");
    EXPECT_EQ(file.size(), static_cast<std::int64_t>(bytes));
    proxy.rules("[]");
    for (std::size_t at = 0; at < bytes; at += 20011) {
      std::string text;
      ASSERT_EQ(file.read(static_cast<std::int64_t>(at), 7, text), CKPT_OK) << reason();
      EXPECT_EQ(text, all.substr(at, 7)) << bytes << " at " << at;
    }
    EXPECT_EQ(proxy.seen("GET"), bytes < 2 * begin ? 0 : 6);  // reads after the first bytes
    if (bytes < 2 * begin) continue;
    std::string one(40000, ' ');  // all, some or none of it was returned by the open
    std::string two(40000, ' ');
    std::string three(40000, ' ');
    proxy.rules("[]");
    ASSERT_EQ(file.ranges({{100, 40000, one.data()}, {40000, 40000, two.data()}, {begin, 40000, three.data()}}), CKPT_OK);
    EXPECT_EQ(proxy.seen("GET"), 2);
    EXPECT_TRUE(one == all.substr(100, 40000) && two == all.substr(40000, 40000) && three == all.substr(begin, 40000));
  }
  // A refusal is reported at once.
  proxy.rules(R"([{"do": "answer", "status": 403, "body": "<Error><Code>AccessDenied</Code></Error>"}])");
  expect_failure(far->try_open("file"), CKPT_E_PERMISSION, "AccessDenied");
  EXPECT_EQ(proxy.seen(""), 1);
  proxy.rules("[]");
  expect_failure(far->try_open("none"), CKPT_E_NOT_FOUND, "NoSuchKey");
  EXPECT_EQ(proxy.seen(""), 1);
  for (const char* answer :
       {R"("status": 206, "headers": {"Content-Range": "bytes 0-1/*"}, "body": "ab")",
        R"("status": 206, "headers": {"Content-Range": "bytes 0-1/10"}, "body": "ab")",
        R"("status": 206, "headers": {"Content-Range": "bytes 1-2/3"}, "body": "ab")", R"("status": 206, "body": "ab")"}) {
    proxy.rules(std::string(R"([{"do": "answer", )") + answer + "}]");
    expect_failure(far->try_open("file"), CKPT_E_UNSUPPORTED, "the store ");
  }
}

// Eight requests wait for one another, so they run concurrently; a ninth starts only after one of them has ended.
TEST_F(S3Proxy, PartsAndPiecesMoveEightAtOnce) {
  constexpr std::size_t part = 8U << 20;
  through.options.part_bytes = part;
  for (const int max : {8, 3}) {
    through.options.parts_in_flight = max;
    Store parts(uri, through.get());
    const std::string rule = ", \"count\": " + std::to_string(max) + ", \"times\": " + std::to_string(max) + "}]";
    const std::string bytes = random_bytes(part * 10 + 1000);
    proxy.rules(R"([{"do": "gather", "method": "PUT", "target": "partNumber")" + rule);
    ASSERT_EQ(parts.put("large", bytes), CKPT_OK) << reason();
    EXPECT_EQ(proxy.seen("gather"), max);
    EXPECT_EQ(proxy.at_once(), max);
    EXPECT_EQ(proxy.seen("partNumber"), 11);
    const Opened file = parts.open("large");
    proxy.rules(R"([{"do": "gather", "method": "GET")" + rule);
    std::string text;
    ASSERT_EQ(file.read(0, static_cast<std::int64_t>(bytes.size()), text), CKPT_OK) << reason();
    EXPECT_TRUE(text == bytes);
    EXPECT_EQ(proxy.at_once(), max);
    proxy.rules(R"([{"do": "gather", "method": "GET")" + rule);
    std::vector<ckpt_storage_range> ranges;
    std::string pieces(20000, ' ');
    for (std::int64_t i = 0; i < 20; ++i) ranges.push_back({(i + 1) * 4000000, 1000, pieces.data() + i * 1000});
    ASSERT_EQ(file.ranges(ranges), CKPT_OK) << reason();
    EXPECT_EQ(proxy.at_once(), max);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(pieces.substr(i * 1000, 1000), bytes.substr((i + 1) * 4000000, 1000)) << i;
    EXPECT_EQ(proxy.seen("GET"), 20);
  }
}

TEST_F(S3Proxy, RequestsEncryptionAndClass) {
  through.options.server_side_encryption = "aws:kms";
  through.options.kms_key = "ckpt-key";
  through.options.storage_class = "STANDARD";
  through.options.part_bytes = 8 << 20;
  Store classed(uri, through.get());
  const char* const headers[][2] = {{"x-amz-server-side-encryption", "aws:kms"},
                                    {"x-amz-server-side-encryption-aws-kms-key-id", "ckpt-key"},
                                    {"x-amz-storage-class", "STANDARD"}};
  for (const auto& [header, value] : headers) {
    proxy.rules(std::string(R"([{"do": "drop", "has": ")") + header + R"(", "value": ")" + value + R"(", "times": -1}])");
    ASSERT_EQ(classed.put("small", "bytes"), CKPT_OK) << reason();
    EXPECT_EQ(proxy.seen("drop"), 1) << header;
    ASSERT_EQ(classed.put_if_absent(std::string("once-") + header, "bytes"), CKPT_OK) << reason();
    EXPECT_EQ(proxy.seen("drop"), 2) << header;
    ASSERT_EQ(classed.put("large", random_bytes(9U << 20)), CKPT_OK) << reason();
    EXPECT_EQ(proxy.seen("drop"), 3) << header;  // at the start of the upload
    EXPECT_EQ(proxy.seen("\"POST\", \"/"), 2);
    EXPECT_EQ(classed.text("small"), "bytes");
    EXPECT_EQ(proxy.seen("drop"), 3) << header;  // not needed for reading
  }
  through.options.server_side_encryption = nullptr;
  through.options.kms_key = nullptr;
  through.options.storage_class = "NO_SUCH_CLASS";
  Store unknown(uri, through.get());
  proxy.rules("[]");
  expect_failure(unknown.put("x", "x"), CKPT_E_UNSUPPORTED, "HTTP 400 InvalidArgument: the store rejects the request");
  expect_failure(unknown.put("x", random_bytes(20U << 20)), CKPT_E_UNSUPPORTED, "HTTP 400 InvalidArgument");
}

TEST_F(S3Proxy, CorruptedBytesAreRefused) {
  proxy.rules(R"([{"do": "corrupt", "method": "PUT", "times": 1}])");
  ASSERT_EQ(far->put("a", "bytes"), CKPT_OK) << reason();  // retried by the plug-in
  EXPECT_EQ(proxy.seen("PUT"), 2);
  EXPECT_EQ(store->text("a"), "bytes");
  proxy.rules(R"([{"do": "corrupt", "method": "PUT", "times": -1}])");
  expect_failure(far->put("b", "bytes"), CKPT_E_IO, "the received bytes differ");
  expect_failure(far->put_if_absent("b", "bytes"), CKPT_E_IO, "the received bytes differ");
  expect_failure(store->try_open("b"), CKPT_E_NOT_FOUND, "the object does not exist");
  proxy.rules(R"([{"do": "corrupt", "method": "PUT", "target": "partNumber=2", "times": 1}])");
  const std::string bytes = random_bytes(40U << 20);
  ASSERT_EQ(far->put("large", bytes), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen("corrupt"), 1);
  EXPECT_TRUE(store->text("large") == bytes);
}

TEST_F(S3Proxy, HonoursRetryAfter) {
  ASSERT_EQ(store->put("a", "bytes"), CKPT_OK);
  for (const char* status : {"503", "429"}) {
    proxy.rules(std::string(R"([{"do": "answer", "status": )") + status + R"(, "headers": {"Retry-After": "1"}}])");
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(far->text("a"), "bytes");
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(990));
    EXPECT_EQ(proxy.seen("answer"), 1);
    proxy.rules(std::string(R"([{"do": "answer", "status": )") + status + R"(, "headers": {"Retry-After": "60"}}])");
    expect_failure(far->try_open("a"), CKPT_E_BUSY, "a wait of 60 s");
    proxy.rules(std::string(R"([{"do": "answer", "status": )") + status + R"(}])");
    expect_failure(far->try_open("a"), CKPT_E_BUSY, std::string("HTTP ") + status);
  }
  proxy.rules(R"([{"do": "answer", "status": 503, "times": -1, "headers": {"Retry-After": "0"}}])");
  expect_failure(far->try_open("a"), CKPT_E_BUSY, "HTTP 503");  // not forever
  proxy.rules(R"([{"do": "answer", "status": 503, "body": "<Error><Code>SlowDown</Code></Error>"}])");
  Store::Found found;
  expect_failure(far->list("", "", 1, found), CKPT_E_BUSY, "SlowDown");
}

TEST_F(S3Proxy, TransientErrorsAreReportedAsSuch) {
  ASSERT_EQ(store->put("a", "bytes"), CKPT_OK);
  Store::Found found;
  std::string text;
  for (const char* status : {"500", "502"}) {
    proxy.rules(std::string(R"([{"do": "answer", "status": )") + status + "}]");
    expect_failure(far->list("", "", 1, found), CKPT_E_IO, std::string("HTTP ") + status);
    EXPECT_EQ(far->list("", "", 1, found), CKPT_OK) << reason();
  }
  proxy.rules(R"([{"do": "answer", "status": 504}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_TIMEOUT, "HTTP 504");
  proxy.rules(R"([{"do": "reset", "times": -1}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_IO, "");
  expect_failure(far->put_if_absent("c", "x"), CKPT_E_IO, "");
  proxy.rules(R"([{"do": "truncate", "method": "GET"}])");
  expect_failure(far->get("a", text), CKPT_E_IO, "");
  EXPECT_EQ(far->get("a", text), CKPT_OK) << reason();
  proxy.rules(R"([{"do": "truncate", "method": "GET"}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_IO, "");
  proxy.rules(R"([{"do": "slow", "seconds": 3}])");
  through.options.request_timeout_ns = 300000000;
  Store hasty(uri, through.get());
  expect_failure(hasty.list("", "", 1, found), CKPT_E_TIMEOUT, "");
  Given nowhere;
  nowhere.at = "http://127.0.0.1:1";
  Store lost(uri, nowhere.get());
  expect_failure(lost.list("", "", 1, found), CKPT_E_IO, "connect");
}

TEST_F(S3Proxy, PartsAndCompletingAreRetried) {
  const std::string bytes = random_bytes(40U << 20);
  const char* const what[] = {
      R"([{"do": "answer", "status": 500, "method": "PUT", "target": "partNumber=2", "times": 2}])",
      R"([{"do": "reset", "method": "PUT", "target": "partNumber=1", "times": 1}])",
      R"([{"do": "reset", "when": "after", "method": "PUT", "target": "partNumber=3", "times": 1}])",
      R"([{"do": "answer", "status": 503, "method": "POST", "target": "uploads", "times": 2}])",
      R"([{"do": "answer", "status": 500, "method": "POST", "target": "uploadId", "times": 2}])",
      R"([{"do": "answer", "status": 200, "body": "<Error><Code>InternalError</Code></Error>", "method": "POST", "target": "uploadId"}])",
      R"([{"do": "reset", "when": "after", "method": "POST", "target": "uploadId", "times": 1}])",
      // The same if completing again is an error, as at Amazon.
      R"([{"do": "reset", "when": "after", "method": "POST", "target": "uploadId", "times": 1},
          {"do": "answer", "status": 404, "body": "<Error><Code>NoSuchUpload</Code></Error>", "method": "POST", "target": "uploadId"}])"};
  for (const char* rules : what) {
    proxy.rules(rules);
    EXPECT_EQ(far->put("large", bytes), CKPT_OK) << rules << ": " << reason();
    EXPECT_TRUE(store->text("large") == bytes) << rules;
    EXPECT_EQ(store->remove("large"), CKPT_OK);
    EXPECT_EQ(uploads(*store), 0) << rules;
  }
  // The upload no longer exists, and a file with that name belongs to another writer.
  ASSERT_EQ(store->put("large", "another's"), CKPT_OK);
  proxy.rules(
      R"([{"do": "answer", "status": 404, "body": "<Error><Code>NoSuchUpload</Code></Error>", "method": "POST", "target": "uploadId"}])");
  expect_failure(far->put("large", bytes), CKPT_E_NOT_FOUND, "NoSuchUpload");
  EXPECT_EQ(store->text("large"), "another's");
  proxy.rules(R"([{"do": "answer", "status": 500, "method": "PUT", "target": "partNumber=2", "times": -1}])");
  expect_failure(far->put("large", bytes), CKPT_E_IO, "HTTP 500");
  EXPECT_EQ(uploads(*store), 0);
  proxy.rules(R"([{"do": "answer", "status": 403, "method": "PUT", "target": "partNumber=1"}])");
  expect_failure(far->put("large", bytes), CKPT_E_PERMISSION, "HTTP 403");
  EXPECT_EQ(uploads(*store), 0);
}

TEST_F(S3Proxy, StoresWithoutTheCondition) {
  proxy.rules(R"([{"do": "answer", "status": 501, "has": "if-none-match", "times": -1,
                   "body": "<Error><Code>NotImplemented</Code></Error>"}])");
  expect_failure(far->put_if_absent("a", "x"), CKPT_E_UNSUPPORTED, "NotImplemented");
  // These stores return success: a caller that relies on the condition has to probe it first.
  proxy.rules(R"([{"do": "drop", "name": "if-none-match", "has": "if-none-match", "times": -1}])");
  EXPECT_EQ(far->put_if_absent("b", "first"), CKPT_OK) << reason();
  EXPECT_EQ(far->put_if_absent("b", "second"), CKPT_OK) << reason();
  EXPECT_EQ(store->text("b"), "second");
  EXPECT_EQ(proxy.seen("drop"), 2);
  proxy.rules(R"([{"do": "false_success", "has": "if-none-match", "times": -1}])");
  EXPECT_EQ(far->put_if_absent("c", "first"), CKPT_OK) << reason();
  EXPECT_EQ(far->put_if_absent("c", "second"), CKPT_OK) << reason();
  EXPECT_EQ(store->text("c"), "first");
  EXPECT_EQ(proxy.seen("false_success"), 2);
  proxy.rules(R"([{"do": "overwrite", "has": "if-none-match", "times": -1}])");
  EXPECT_EQ(far->put_if_absent("d", "first"), CKPT_OK) << reason();
  expect_failure(far->put_if_absent("d", "second"), CKPT_E_ALREADY_EXISTS, "the name is taken");
  EXPECT_EQ(store->text("d"), "second");
}

TEST_F(S3Proxy, ConflictsAreRetried) {
  const std::string rule =
      R"([{"do": "answer", "status": 409, "body": "<Error><Code>ConditionalRequestConflict</Code></Error>", "times": )";
  proxy.rules(rule + "2}]");
  EXPECT_EQ(far->put_if_absent("a", "x"), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen("PUT"), 3);
  proxy.rules(rule + "-1}]");
  expect_failure(far->put_if_absent("b", "x"), CKPT_E_BUSY, "another writer is writing");
  EXPECT_EQ(proxy.seen("PUT"), 5);
}

TEST_F(S3Proxy, RedirectsAreNotFollowed) {
  Store::Found found;
  proxy.rules(R"([{"do": "answer", "status": 307, "headers": {"Location": "http://127.0.0.1:1/elsewhere"}}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_INVALID_ARGUMENT, "redirects are not followed");
  EXPECT_EQ(proxy.seen(""), 1);
  proxy.rules(R"([{"do": "answer", "status": 301, "headers": {"x-amz-bucket-region": "eu-west-9"},
                   "body": "<Error><Code>PermanentRedirect</Code></Error>"}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_INVALID_ARGUMENT, "is not in the region us-east-1 but in eu-west-9");
}

TEST_F(S3Proxy, StrangeAnswersAreRefused) {
  ASSERT_EQ(store->put("a", "some bytes"), CKPT_OK);
  Store::Found found;
  std::string text;
  proxy.rules(R"([{"do": "answer", "status": 200,
      "body": "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>]><ListBucketResult><Name>&a;</Name></ListBucketResult>"}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_UNSUPPORTED, "document type");
  for (const char* body :
       {"", "no xml", "<ListBucketResult>", "<html></html>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>other</Key><Size>1</Size></Contents></ListBucketResult>"}) {
    proxy.rules(std::string(R"([{"do": "answer", "status": 200, "body": ")") + body + R"("}])");
    expect_failure(far->list("", "", 1, found), CKPT_E_IO, "the store's");
  }
  proxy.rules(R"([{"do": "huge", "bytes": 67108864}])");
  expect_failure(far->list("", "", 1, found), CKPT_E_IO, "longer than 16777216");
  // A store without range requests.
  proxy.rules(R"([{"do": "whole", "method": "GET", "times": -1}])");
  EXPECT_EQ(far->text("a"), "some bytes");
  EXPECT_EQ(proxy.seen(""), 1);
  ASSERT_EQ(store->put("large", random_bytes(80000)), CKPT_OK);
  expect_failure(far->try_open("large"), CKPT_E_UNSUPPORTED, "a range other than the requested one");
  proxy.rules("[]");
  const Opened file = far->open("large");
  proxy.rules(R"([{"do": "whole", "method": "GET"}])");
  expect_failure(file.read(70000, 3, text), CKPT_E_UNSUPPORTED, "a range other than the requested one");
  proxy.rules(R"([{"do": "answer", "status": 206, "headers": {"Content-Range": "bytes 0-1/80000"}, "body": "ab"}])");
  expect_failure(file.read(70000, 2, text), CKPT_E_UNSUPPORTED, "a range other than the requested one");
}

TEST_F(S3Proxy, RemovesSinglyIfTheStoreCannotRemoveMany) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(store->put(name, name), CKPT_OK);
  proxy.rules(R"([{"do": "answer", "status": 501, "method": "POST", "target": "delete"}])");
  EXPECT_EQ(far->remove_many({"a", "b", "c", "d"}), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen("DELETE"), 4);
  Store::Found found;
  ASSERT_EQ(store->list("", "", 10, found), CKPT_OK);
  EXPECT_TRUE(found.empty());
  proxy.rules(R"([{"do": "answer", "status": 200, "method": "POST",
      "body": "<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>"}])");
  expect_failure(far->remove_many({"a"}), CKPT_E_PERMISSION, "'a' was not removed: AccessDenied");
}

TEST_F(S3Proxy, ExpiredKeysAreReadAgain) {
  ASSERT_EQ(store->put("a", "bytes"), CKPT_OK);
  const std::string expired =
      R"([{"do": "answer", "status": 400, "times": 1, "body": "<Error><Code>ExpiredToken</Code><Token0>x</Token0></Error>"}])";
  Store::Found found;
  // Explicitly given keys do not change.
  proxy.rules(expired);
  expect_failure(far->list("", "", 1, found), CKPT_E_PERMISSION, "the keys have expired");
  // Keys from the environment are read again, and used if they differ.
  const Variable at("AWS_ENDPOINT_URL", proxy.url());
  const Variable access("AWS_ACCESS_KEY_ID", access_key());
  const Variable old("AWS_SECRET_ACCESS_KEY", "oldSecretKey");
  const ckpt_s3_options none = CKPT_S3_OPTIONS_INIT;
  Store own(uri, none);
  proxy.rules(expired);
  expect_failure(own.list("", "", 1, found), CKPT_E_PERMISSION, "the keys have expired");
  const Variable fresh("AWS_SECRET_ACCESS_KEY", secret_key());
  proxy.rules(expired);
  EXPECT_EQ(own.list("", "", 1, found), CKPT_OK) << reason();
  EXPECT_EQ(proxy.seen("GET"), 2);
  // HEAD has no body for the reason.
  const Variable old_again("AWS_SECRET_ACCESS_KEY", "oldSecretKey");
  Store head(uri, none);
  const Variable fresh_again("AWS_SECRET_ACCESS_KEY", secret_key());
  proxy.rules(R"([{"do": "answer", "status": 400, "method": "HEAD"},
                  {"do": "answer", "status": 400, "method": "GET", "body": "<Error><Code>ExpiredToken</Code></Error>"}])");
  std::int64_t bytes = 0;
  EXPECT_EQ(head.size("a", bytes), CKPT_OK) << reason();
  EXPECT_EQ(bytes, 5);
  EXPECT_EQ(proxy.seen("HEAD"), 2);
  EXPECT_EQ(proxy.seen("GET"), 2);
}

TEST_F(S3Proxy, AnswersThatRepeatSecretsAreNotShown) {
  through.token = "SessionTokenThatIsASecretToo";
  Store own(uri, through.get());
  proxy.rules(R"([{"do": "echo", "times": -1}])");
  Store::Found found;
  std::int64_t bytes = 0;
  expect_failure(own.list("", "", 1, found), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.try_open("a"), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.size("a", bytes), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.put("a", "x"), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.put("large", random_bytes(20U << 20)), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.put_if_absent("a", "x"), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.remove("a"), CKPT_E_PERMISSION, "AccessDenied");
  expect_failure(own.remove_many({"a"}), CKPT_E_PERMISSION, "AccessDenied");
}

TEST_F(S3, RejectsUnknownCertificates) {
  char folder[] = "/tmp/ckpt-s3-tls.XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string certificate = std::string(folder) + "/cert.pem";
  const std::string key = std::string(folder) + "/key.pem";
  const std::string command =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " + key +
      " -out " + certificate + " 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  {
    const Proxy proxy("--tls " + certificate + " " + key);
    Given tls;
    tls.at = proxy.url("https");
    Store::Found found;
    Store distrusting(uri, tls.get());
    expect_failure(distrusting.list("", "", 1, found), CKPT_E_PERMISSION, "certificate");
    const Variable bundle("AWS_CA_BUNDLE", certificate);
    Store trusting(uri, tls.get());
    EXPECT_EQ(trusting.list("", "", 1, found), CKPT_OK) << reason();
    EXPECT_EQ(trusting.put("a", "bytes"), CKPT_OK) << reason();
    EXPECT_EQ(trusting.text("a"), "bytes");
    tls.at = "https://localhost" + proxy.url("").substr(proxy.url("").rfind(':'));
    Store other(uri, tls.get());
    expect_failure(other.list("", "", 1, found), CKPT_E_PERMISSION, "certificate");
  }
  unlink(certificate.c_str());
  unlink(key.c_str());
  rmdir(folder);
}

// ---- Temporary keys with a session token, created by a gateway with STS (sts.sh)

struct Temporary {
  std::string access;
  std::string secret;
  std::string token;
};

Temporary temporary_keys(Given& given, int seconds) {
  Store sts("s3://" + bucket(), given.get(), [](ckpt::s3::Config& config) { config.bucket.clear(); });
  const std::string body = "Action=AssumeRole&DurationSeconds=" + std::to_string(seconds) +
                           "&RoleArn=arn%3Aaws%3Aiam%3A%3A%3Arole%2Fckpt-tests&RoleSessionName=tests&Version=2011-06-15";
  const std::string answer = raw(sts, "POST", "", {}, body, {{"content-type", "application/x-www-form-urlencoded"}}).body;
  const ckpt::s3::Element root = ckpt::s3::parse_xml(answer);
  const ckpt::s3::Element* result = root.child("AssumeRoleResult");
  const ckpt::s3::Element* keys = result == nullptr ? nullptr : result->child("Credentials");
  if (keys == nullptr) throw std::runtime_error("the store has made no keys");
  return {std::string(keys->value("AccessKeyId")), std::string(keys->value("SecretAccessKey")),
          std::string(keys->value("SessionToken"))};
}

class S3Temporary : public S3 {};

TEST_F(S3Temporary, KeysAreReadAndRenewedInTime) {
  const Temporary lasting = temporary_keys(given, 900);
  const Temporary passing = temporary_keys(given, 1);
  Given created;
  created.access = lasting.access;
  created.secret = lasting.secret;
  created.token = lasting.token;
  created.options.part_bytes = 8 << 20;
  Store session(uri, created.get());
  const std::string large = random_bytes(20U << 20);
  ASSERT_EQ(session.put("large", large), CKPT_OK) << reason();
  ASSERT_EQ(session.put_if_absent("once", "first"), CKPT_OK) << reason();
  EXPECT_TRUE(session.text("large") == large);
  created.token.clear();
  Store tokenless(uri, created.get());
  Store::Found found;
  expect_failure(tokenless.list("", "", 1, found), CKPT_E_PERMISSION, "HTTP 403");

  // The environment's keys have expired: this is reported until there are new ones.
  const Variable at("AWS_ENDPOINT_URL_S3", endpoint());
  const Variable access("AWS_ACCESS_KEY_ID", passing.access);
  const Variable secret("AWS_SECRET_ACCESS_KEY", passing.secret);
  const Variable token("AWS_SESSION_TOKEN", passing.token);
  const ckpt_s3_options none = CKPT_S3_OPTIONS_INIT;
  Store own(uri, none);
  Store late(uri, none);
  while (own.list("", "", 1, found) == CKPT_OK) {  // about a second
  }
  expect_failure(own.list("", "", 1, found), CKPT_E_PERMISSION, "or the session has expired");
  std::int64_t bytes = 0;
  expect_failure(own.size("once", bytes), CKPT_E_PERMISSION, "or the session has expired");
  const Variable next_access("AWS_ACCESS_KEY_ID", lasting.access);
  const Variable next_secret("AWS_SECRET_ACCESS_KEY", lasting.secret);
  const Variable next_token("AWS_SESSION_TOKEN", lasting.token);
  EXPECT_EQ(own.size("once", bytes), CKPT_OK) << reason();
  EXPECT_EQ(late.put("more", "bytes"), CKPT_OK) << reason();  // its old keys have expired unnoticed
  EXPECT_EQ(own.put("other", "bytes"), CKPT_OK) << reason();
  EXPECT_EQ(store->text("other"), "bytes");
  for (const std::string& text : all_reasons()) {
    for (const std::string& part : {lasting.access, lasting.secret, lasting.token, passing.access, passing.secret, passing.token}) {
      EXPECT_EQ(text.find(part), std::string::npos) << "a reason has a key or token";
    }
  }
}

// Runs last: no message above contains a secret.
TEST(S3Secrets, AreInNoMessage) {
  const auto reasons = all_reasons();
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 10) {
    EXPECT_GT(reasons.size(), 60U);
  }
  for (const std::string& text : reasons) {
    for (const std::string& secret :
         {access_key(), secret_key(), std::string("CKPTOTHERKEY"), std::string("ckptOtherSecret"), std::string("CKPTFULLKEY"),
          std::string("NOSUCHKEY"), std::string("notTheSecretKey"), std::string("wrongA"), std::string("oldSecretKey"),
          std::string("SessionToken"), std::string("Signature="), std::string("AWS4-"), std::string("uthorization"),
          std::string("uploadId"), std::string("partNumber"), std::string("list-type"), std::string("?")}) {
      EXPECT_EQ(text.find(secret), std::string::npos) << "a reason has something of '" << secret.substr(0, 3) << "...'";
    }
  }
}

}  // namespace
