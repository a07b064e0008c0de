// Manifest, checksums, names and JSON values.
#include "state/manifest.h"
#include "state/manifest_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "base/json_text.h"
#include "fixture.h"
#include "state/json_view.h"
#include "state/name.h"

namespace {

using ckpt::base::Status;
using namespace ckpt::base;
using namespace ckpt::state;

Manifest example() {
  Manifest manifest;
  manifest.library_version = "1.2.3";
  manifest.step = 1200;
  manifest.commit_sequence = 7;
  manifest.seed = UINT64_MAX;
  manifest.metadata = R"({"who":"\u00e9"})";
  manifest.environment = R"({"blas":"x"})";
  manifest.values = {{"lr", "0.1"}, {"data_position", R"({"byte":5})"}, {"controller", "[1]"}};
  manifest.groups = {{"model",
                      {{"model.safetensors", 100, {1, 2}}},
                      {{"w", "model.safetensors", ckpt::tensor::Dtype::f32, {2, 3}, {{3, 4}}},
                       {"empty", "model.safetensors", ckpt::tensor::Dtype::u8, {0}, {}}}},
                     {"none", {}, {}}};
  return manifest;
}

// Returns the text with a replacement and a recomputed checksum, as a hostile writer could produce it.
std::string forged(const std::string& from, const std::string& to) {
  std::string text = to_text(example());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string body = text.substr(0, text.rfind(",\n\"checksum\""));
  return body + ",\n\"checksum\":\"" + to_hex(hash_of(body)) + "\"}\n";
}

TEST(StateManifest, IsRestored) {
  const Manifest read = parse_manifest(to_text(example()));
  EXPECT_EQ(read.library_version, "1.2.3");
  EXPECT_EQ(read.step, 1200);
  EXPECT_EQ(read.commit_sequence, 7);
  EXPECT_EQ(read.world_size, 1);
  EXPECT_EQ(read.seed, UINT64_MAX);
  EXPECT_EQ(read.metadata, "{\"who\":\"\xC3\xA9\"}");
  EXPECT_EQ(read.environment, R"({"blas":"x"})");
  EXPECT_EQ(read.values, example().values);
  ASSERT_EQ(read.groups.size(), 2U);
  EXPECT_EQ(read.groups[0].files[0].name, "model.safetensors");
  EXPECT_EQ(read.groups[0].files[0].bytes, 100);
  EXPECT_EQ(read.groups[0].files[0].digest, (Digest{1, 2}));
  EXPECT_EQ(read.groups[0].tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read.groups[0].tensors[0].chunks[0], (Digest{3, 4}));
  EXPECT_TRUE(read.groups[0].tensors[1].chunks.empty());
  EXPECT_TRUE(read.groups[1].files.empty());
  EXPECT_EQ(total_bytes(read), 100);
  EXPECT_EQ(to_text(read), to_text(parse_manifest(to_text(read))));
}

TEST(StateManifest, EveryFlippedBitOfAManifestIsDetected) {
  const std::string text = to_text(example());
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_ERROR(parse_manifest(flipped), Status::corrupt, "manifest");
  }
}

TEST(StateManifest, EveryTruncationOfAManifestIsDetected) {
  const std::string text = to_text(example());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_ERROR(parse_manifest(text.substr(0, length)), Status::corrupt, "manifest");
  }
}

TEST(StateManifest, RefusesForgedContents) {
  struct Forgery {
    const char* from;
    std::string to;
    const char* message;
  };
  const Forgery forgeries[] = {
      {"\"ckpt-state\"", "\"other\"", "is not a state checkpoint"},
      {"\"step\":1200", "\"step\":-1", "top.step"},
      {"\"step\":1200", "\"step\":9223372036854775808", "top.step"},
      {"\"step\":1200", "\"step\":\"1200\"", "top.step"},
      {"\"step\":1200,\n", "", "lacks the member 'step'"},
      {"\"seed\":18446744073709551615", "\"seed\":-1", "top.seed"},
      {"\"step\":1200", "\"step\":1200,\"step\":1200", "'step' twice"},
      {"\"groups\":[", "\"groups\":{},\"x\":[", "top.groups is not a list"},
      {"\"model.safetensors\",\"bytes\"", "\"../model.safetensors\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"/etc/passwd\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"..\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"a\\\\b\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"c:x\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"manifest.json\",\"bytes\"", "unusable name"},
      {"\"model.safetensors\",\"bytes\"", "\"other.safetensors\",\"bytes\"", "is not a file of its group"},
      {"\"bytes\":100", "\"bytes\":-100", "bytes is not an integer"},
      {"\"F32\"", "\"F33\"", "dtype is unknown"},
      {"[2,3]", "[2,-3]", "is not an integer in 0 .. 2^63 - 1"},
      {"[2,3]", "[4611686018427387904,4]", "INT64_MAX"},
      {"[2,3]", "[0,3]", "1 checksums"},
      {"\"name\":\"empty\"", "\"name\":\"w\"", "has a duplicate name"},
      {"{\"name\":\"none\"", "{\"name\":\"model\"", "has a duplicate name"},
      {"00000000000000030000000000000004", "0000000000000003000000000000000G", "is not a checksum"},
      {"\"values\":{", "\"values\":[],\"other\":{", "values is not an object"},
      {"\"lr\":0.1", "\"lr\":" + std::string(100, '[') + std::string(100, ']'), "nested deeper"},
  };
  for (const Forgery& forgery : forgeries) {
    SCOPED_TRACE(forgery.to);
    EXPECT_ERROR(parse_manifest(forged(forgery.from, forgery.to)), Status::corrupt, forgery.message);
  }
}

TEST(StateManifest, LeavesNewerFormatsAlone) {
  EXPECT_ERROR(parse_manifest(forged("\"format_version\":1", "\"format_version\":3")), Status::unsupported, "format_version is 3");
  EXPECT_ERROR(parse_manifest(forged("\"world_size\":1", "\"world_size\":4")), Status::unsupported, "world_size is 4");
  EXPECT_ERROR(parse_manifest(forged("\"dtype\":\"F32\"", "\"placement\":{},\"dtype\":\"F32\"")), Status::unsupported,
               "larger tensor");
  EXPECT_NO_THROW(parse_manifest(forged("\"step\":1200", "\"future\":[{}],\"step\":1200")));
}

TEST(StateManifest, ChunksAreOf64MiB) {
  EXPECT_EQ(chunk_count(0), 0);
  EXPECT_EQ(chunk_count(1), 1);
  EXPECT_EQ(chunk_count(64 << 20), 1);
  EXPECT_EQ(chunk_count((64 << 20) + 1), 2);
  EXPECT_EQ(chunk_count(INT64_MAX), INT64_MAX / (64 << 20) + 1);
}

TEST(StateHash, IsXxh3Of128Bits) {
  // Known value of XXH3_128bits with seed 0 for no input, from the xxHash specification's test vectors.
  EXPECT_EQ(to_hex(hash_of("")), "99aa06d3014798d86001c324468d497f");
  Hasher hasher;
  const std::string text(3'000'000, 'x');
  for (std::size_t begin = 0; begin < text.size(); begin += 700'001) {
    hasher.update(std::as_bytes(std::span(text)).subspan(begin, std::min<std::size_t>(700'001, text.size() - begin)));
  }
  EXPECT_EQ(hasher.finish(), hash_of(text));
  EXPECT_EQ(hasher.finish(), hash_of(""));
}

TEST(StateHash, HexIsExact) {
  const Digest digest{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(to_hex(digest), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(digest_from_hex(to_hex(digest)), digest);
  EXPECT_FALSE(digest_from_hex("0123456789abcdeffedcba987654321"));
  EXPECT_FALSE(digest_from_hex("0123456789abcdeffedcba98765432100"));
  EXPECT_FALSE(digest_from_hex("0123456789ABCDEFfedcba9876543210"));
}

TEST(StateName, FileNamesOfGroupsArePortable) {
  std::set<std::string> used;
  EXPECT_EQ(group_file_name("model", used), "model.safetensors");
  EXPECT_EQ(group_file_name("Model", used), "Model~2.safetensors");
  EXPECT_EQ(group_file_name("a/b", used), "a%2Fb.safetensors");
  EXPECT_EQ(group_file_name("..", used), "%2E..safetensors");
  EXPECT_EQ(group_file_name("c:\\x%", used), "c%3A%5Cx%25.safetensors");
  EXPECT_EQ(group_file_name("con", used), "%63on.safetensors");
  EXPECT_EQ(group_file_name("Lpt1.x", used), "%4Cpt1.x.safetensors");
  EXPECT_EQ(group_file_name("com0", used), "%63om0.safetensors");
  EXPECT_EQ(group_file_name("coma", used), "coma.safetensors");
  EXPECT_EQ(group_file_name("m-00001-of-00003", used), "%6D-00001-of-00003.safetensors");
  EXPECT_EQ(group_file_name("\xC3\xA9", used), "%C3%A9.safetensors");
  for (const std::string& name : used) EXPECT_TRUE(is_safe_file_name(name)) << name;
  EXPECT_TRUE(is_safe_file_name(group_file_name(std::string(64, '/'), used)));
}

TEST(StateName, AttemptsContainTheirStep) {
  EXPECT_EQ(attempt_name("", 1200, 0x1a2b3c4d), "step-000000001200-1a2b3c4d");
  EXPECT_EQ(attempt_name("", INT64_MAX, 0), "step-9223372036854775807-00000000");
  EXPECT_EQ(attempt_name("best_1", 7, 0), "best_1-step-000000000007-00000000");
  EXPECT_EQ(step_of_attempt("best_1-step-000000000007-00000000"), 7);
  EXPECT_EQ(step_of_attempt("torn-step-000000000007-00000000"), std::nullopt);
  EXPECT_EQ(step_of_attempt("Best-step-000000000007-00000000"), std::nullopt);
  EXPECT_EQ(step_of_attempt("-step-000000000007-00000000"), std::nullopt);
  EXPECT_EQ(step_of_attempt("step-000000001200-1a2b3c4d"), 1200);
  EXPECT_EQ(step_of_attempt("step-9223372036854775807-00000000"), INT64_MAX);
  for (const char* name : {"", "step-", "step-1200-1a2b3c4d", "step-000000001200-1a2b3c4", "step-000000001200-1A2B3C4D",
                           "torn-step-000000001200-1a2b3c4d", "step-00000000120x-1a2b3c4d", "step--00000001200-1a2b3c4d",
                           "step-9223372036854775808-00000000", "step-000000001200_1a2b3c4d", "step-000000001200-1a2b3c4d.tmp"}) {
    EXPECT_FALSE(step_of_attempt(name)) << name;
  }
}

TEST(StateJson, KeepsValuesExactly) {
  EXPECT_EQ(normalized_json("json", " {\"b\" : 1 ,\"a\":[ ]} "), R"({"b":1,"a":[]})");
  EXPECT_EQ(normalized_json("json", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(normalized_json("json", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(normalized_json("json", "0.1"), "0.1");
  EXPECT_EQ(normalized_json("json", "1.7976931348623157e308"), "1.7976931348623157e+308");
  EXPECT_EQ(normalized_json("json", std::string(48, '[') + std::string(48, ']')), std::string(48, '[') + std::string(48, ']'));
  EXPECT_ERROR(normalized_json("json", std::string(49, '[') + std::string(49, ']')), Status::invalid_argument, "deeper than 48");
  EXPECT_ERROR(normalized_json("json", std::string(10'000'000, '[')), Status::invalid_argument, "deeper than 48");
  EXPECT_ERROR(normalized_json("json", "-9223372036854775809"), Status::invalid_argument, "64 bits");
  EXPECT_ERROR(normalized_json("json", std::string("1\0", 2)), Status::invalid_argument, "NUL");
  EXPECT_ERROR(normalized_json("json", ""), Status::invalid_argument, "not JSON");
  EXPECT_ERROR(normalized_json("json", "1 2"), Status::invalid_argument, "not JSON");
  EXPECT_ERROR(normalized_json("json", "\"\xFF\""), Status::invalid_argument, "not JSON");
}

// Mutations of valid JSON: parsing accepts and rejects the same strings as the JSON library.
TEST(StateJson, ReadsWhatTheJsonLibraryReads) {
  const std::vector<std::string> seeds = {
      R"({"a":[1,-2,3.5e-3,true,false,null],"b\u00e9\n":{"c":"d\\\"","e":{}},"f":[],"g":"\ud83d\ude00"})",
      "[ 0 , -0 , 0.0 , 1E+2 , 18446744073709551615 , -9223372036854775808 ]",
      "{\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\" : \"\xED\x9F\xBF\xEF\xBF\xBF\"}", "\xEF\xBB\xBF\"text\"", " \t\r\n1 "};
  const std::string bytes = "{}[]\",:\\u09aAeE+-.tfn \n\x01\x7F\x80\xBF\xC0\xC3\xED\xA0\xF4\xF5";
  std::mt19937 random(7);
  int good = 0;
  int bad = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text = seeds[random() % seeds.size()];
    for (auto changes = random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 3) {
        case 0: text[at] = byte; break;
        case 1: text.insert(at, 1, byte); break;
        default: text.erase(at, text.size() > 1 ? 1 : 0);
      }
    }
    const std::string problem = json_problem(text, 64);
    const bool is_json = nlohmann::json::accept(text);
    if (problem.starts_with("not JSON")) {
      ASSERT_FALSE(is_json) << text;
      ++bad;
    } else if (problem.empty()) {
      ASSERT_TRUE(is_json) << text;
      ++good;
      const auto tree = nlohmann::ordered_json::parse(text);
      const JsonView view(text);
      if (!tree.is_object()) continue;
      const auto members = view.members();
      ASSERT_EQ(members.all.size(), tree.size()) << text;
      ASSERT_EQ(members.bytes, view.own().size()) << text;
      for (const JsonView::Member& member : members.all) {
        const std::string expected = tree.at(member.name()).dump();
        ASSERT_EQ(member.value.tree().text(), expected) << text;
        ASSERT_EQ(ckpt::base::plain_json(member.value.own()), expected) << text;
      }
    }
  }
  EXPECT_GT(good, 10000);
  EXPECT_GT(bad, 10000);
}

TEST(StateJson, ManyKeysAreDistinguished) {
  std::string text = "{";
  for (int i = 0; i < 40; ++i) text += ckpt::base::cat('"', i, "\":0,");
  EXPECT_EQ(json_problem(text + "\"x\":0}", 2), "");
  for (const char* twice : {"0", "11", "12", "39"})
    EXPECT_EQ(json_problem(text + '"' + twice + "\":0}", 2), ckpt::base::cat("key '", twice, "' twice"));
}

TEST(StateJson, ANumberIsReadFromItsDigits) {
  const std::string zeros(400, '0');
  EXPECT_EQ(double_from_digits("0,25"), 0.25);
  EXPECT_EQ(double_from_digits("-1\xD9"
                               "5e2"),
            -150);
  EXPECT_EQ(double_from_digits("4.9e-324"), 4.9e-324);
  EXPECT_EQ(double_from_digits("1e-400"), 0.0);
  EXPECT_EQ(double_from_digits("0." + zeros + "1"), 0.0);
  EXPECT_EQ(double_from_digits("0." + zeros + "1e401"), 1.0);
  EXPECT_EQ(double_from_digits("1" + zeros + ".0e-400"), 1.0);
  EXPECT_EQ(double_from_digits("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(double_from_digits("0e99999999999999999999"), 0.0);
  EXPECT_TRUE(std::signbit(double_from_digits("-1e-400").value_or(1)));
  for (const std::string& large : {std::string("1.5e999"), "1" + zeros, "-1" + zeros + ".5", "0." + zeros + "1e800",
                                   std::string("1e99999999999999999999"), std::string("2e308")}) {
    EXPECT_EQ(double_from_digits(large), std::nullopt) << large;
  }
  EXPECT_EQ(json_problem("[1e-400,0.001]", 4), "");
  EXPECT_EQ(json_problem("1e999", 4).find("not JSON"), 0U);
}

}  // namespace
