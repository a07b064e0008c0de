// The safetensors codec: written files, accepted files, and everything that it must refuse.
#include "state/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "fixture.h"
#include "state/manager/reader.h"

namespace {

using ckpt::base::Status;
using ckpt::state::Header;
using ckpt::state::make_header;
using ckpt::state::parse_header;
using ckpt::state::TensorEntry;
using ckpt::tensor::Dtype;

// Returns the header entry of one u8 tensor of n bytes at the given position.
std::string member(const std::string& name, int begin, int end, const std::string& shape) {
  return ckpt::base::cat('"', name, R"(":{"dtype":"U8","shape":)", shape, R"(,"data_offsets":[)", begin, ',', end, "]}");
}

// Returns a file as another program may have written it: any header, any data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return out + header + data;
}

Header read_bytes(const std::string& bytes) {
  const auto storage = ckpt::storage::make_memory_storage();
  const auto file = storage->create("f");
  file->write(0, std::as_bytes(std::span(bytes)));
  return ckpt::state::read_header(*file);
}

TEST(StateSafetensors, ReadsAFileOfAnotherWriter) {
  // Written manually in the reference implementation's style: tensors listed in another order than their data, 8-byte alignment.
  const std::string header =
      R"({"__metadata__":{"format":"pt","note":"\u00e9"},"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},)"
      R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"empty":{"dtype":"I64","shape":[0,5],"data_offsets":[12,12]},)"
      R"("scalar":{"dtype":"U8","shape":[],"data_offsets":[12,13],"unknown":{"x":[1,{"y":null}],"z":-1.5}}}   )";
  const Header read = read_bytes(file_of(header, "0123456789abc"));
  ASSERT_EQ(read.tensors.size(), 4U);
  EXPECT_EQ(read.tensors[0].name, "a");
  EXPECT_EQ(read.tensors[0].dtype, Dtype::f32);
  EXPECT_EQ(read.tensors[0].shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(read.tensors[1].name, "b");
  EXPECT_EQ(read.tensors[1].offset, 8);
  EXPECT_EQ(read.tensors[2].name, "empty");
  EXPECT_EQ(read.tensors[2].bytes, 0);
  EXPECT_EQ(read.tensors[3].name, "scalar");
  EXPECT_EQ(read.tensors[3].bytes, 1);
  EXPECT_TRUE(read.tensors[3].shape.empty());
  ASSERT_EQ(read.metadata.size(), 2U);
  EXPECT_EQ(read.metadata[1], (std::pair<std::string, std::string>("note", "\xC3\xA9")));
  EXPECT_EQ(read.data_start, 8 + static_cast<std::int64_t>(header.size()));
}

TEST(StateSafetensors, ReadsAnEmptyFile) {
  EXPECT_TRUE(read_bytes(file_of("{}", "")).tensors.empty());
  EXPECT_TRUE(read_bytes(file_of("{\"__metadata__\":{}} \n\t\r", "")).tensors.empty());
}

TEST(StateSafetensors, ReadsByPathAndThroughLinks) {
  const ckpt::tests::Scratch scratch;
  std::ofstream(scratch / "f", std::ios::binary) << file_of("{" + member("t", 0, 3, "[3]") + "}", "xyz");
  std::filesystem::create_symlink(scratch / "f", scratch / "link");
  ckpt::state::Reader file(scratch / "link");
  const auto target = ckpt::tensor::Tensor::create(Dtype::u8, {3});
  file.read(0, *target);
  EXPECT_EQ(std::string(target->data_as<char>(), 3), "xyz");
  std::ofstream(scratch / "bad", std::ios::binary) << "x";
  EXPECT_ERROR(ckpt::state::Reader(scratch / "bad"), Status::corrupt, scratch / "bad");
}

struct Refused {
  const char* what;
  std::string header;
  std::string data;
  const char* message;
};

std::vector<Refused> refused_headers() {
  const std::string a = member("a", 0, 2, "[2]");
  const auto one = [](const std::string& body) { return R"({"a":{)" + body + "}}"; };
  const std::string nested(200, '[');
  return {
      {"no object", "[]", "", "'{'"},
      {"empty", "", "", "'{'"},
      {"leading space", " {}", "", "'{'"},
      {"byte order mark", "\xEF\xBB\xBF{}", "", "'{'"},
      {"cut off", "{" + a, "xx", "not JSON"},
      {"text after it", "{" + a + "} x", "xx", "not JSON"},
      {"NUL padding", std::string("{}\0", 3), "", "NUL"},
      {"text hidden after a NUL", std::string("{}\0{}", 5), "", "NUL"},
      {"trailing comma", "{" + a + ",}", "xx", "not JSON"},
      {"comment", "{/**/}", "", "not JSON"},
      {"broken UTF-8", "{\"\xC3\":{}}", "", "not JSON"},
      {"lone surrogate", R"({"\ud800":{}})", "", "not JSON"},
      {"NUL in a name", R"({"a\u0000b":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", "", "contains a NUL"},
      {"duplicate tensor", "{" + a + "," + member("a", 2, 4, "[2]") + "}", "xxxx", "'a' is duplicated"},
      {"duplicate by escape", "{" + a + "," + member("\\u0061", 2, 4, "[2]") + "}", "xxxx", "'a' is duplicated"},
      {"duplicate field", one(R"("dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2])"), "xx", "'dtype' is duplicated"},
      {"duplicate metadata", R"({"__metadata__":{"k":"1","k":"2"}})", "", "'k' is duplicated"},
      {"metadata is a string", R"({"__metadata__":"x"})", "", "a string is not allowed"},
      {"metadata value is a number", R"({"__metadata__":{"k":1}})", "", "a number is not allowed"},
      {"metadata value is an object", R"({"__metadata__":{"k":{}}})", "", "an object is not allowed"},
      {"metadata value is null", R"({"__metadata__":{"k":null}})", "", "null is not allowed"},
      {"tensor is a number", R"({"a":1})", "", "a number is not allowed"},
      {"tensor is a list", R"({"a":[]})", "", "a list is not allowed"},
      {"no dtype", one(R"("shape":[2],"data_offsets":[0,2])"), "xx", "dtype is missing"},
      {"no shape", one(R"("dtype":"U8","data_offsets":[0,2])"), "xx", "shape is missing"},
      {"no offsets", one(R"("dtype":"U8","shape":[2])"), "xx", "data_offsets: expected two numbers"},
      {"unknown dtype", one(R"("dtype":"F128","shape":[2],"data_offsets":[0,2])"), "xx", "'F128'"},
      {"dtype in lower case", one(R"("dtype":"u8","shape":[2],"data_offsets":[0,2])"), "xx", "'u8'"},
      {"dtype is a number", one(R"("dtype":8,"shape":[2],"data_offsets":[0,2])"), "xx", "a number is not allowed"},
      {"shape is a number", one(R"("dtype":"U8","shape":2,"data_offsets":[0,2])"), "xx", "a number is not allowed"},
      {"negative length", one(R"("dtype":"U8","shape":[-2],"data_offsets":[0,2])"), "xx", "negative"},
      {"minus zero", one(R"("dtype":"U8","shape":[-0],"data_offsets":[0,0])"), "", "negative"},
      {"fraction", one(R"("dtype":"U8","shape":[2.0],"data_offsets":[0,2])"), "xx", "64-bit integer"},
      {"length past 64 bits", one(R"("dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,2])"), "xx", "64-bit integer"},
      {"length past 63 bits", one(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,2])"), "xx", "too large"},
      {"length is text", one(R"("dtype":"U8","shape":["2"],"data_offsets":[0,2])"), "xx", "a string is not allowed"},
      {"shape nested", one(R"("dtype":"U8","shape":[[2]],"data_offsets":[0,2])"), "xx", "a list is not allowed"},
      {"one offset", one(R"("dtype":"U8","shape":[2],"data_offsets":[0])"), "xx", "two numbers"},
      {"three offsets", one(R"("dtype":"U8","shape":[2],"data_offsets":[0,2,2])"), "xx", "more than two"},
      {"offsets turned round", one(R"("dtype":"U8","shape":[2],"data_offsets":[2,0])"), "xx", "end 0 is less than begin 2"},
      {"product overflows", one(R"("dtype":"U8","shape":[4611686018427387904,4],"data_offsets":[0,2])"), "xx", "INT64_MAX"},
      {"product overflows to the size", one(R"("dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0])"), "",
       "INT64_MAX"},
      {"overflow before a zero", one(R"("dtype":"U8","shape":[4611686018427387904,4,0],"data_offsets":[0,0])"), "", "INT64_MAX"},
      {"half a byte", one(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])"), "xx", "a whole number of bytes"},
      {"six bits", one(R"("dtype":"F6_E2M3","shape":[2],"data_offsets":[0,2])"), "xx", "a whole number of bytes"},
      {"size does not fit", one(R"("dtype":"U16","shape":[2],"data_offsets":[0,2])"), "xx", "expected for its dtype and shape: 4"},
      {"hole at the start", "{" + member("a", 1, 3, "[2]") + "}", "xxx", "expected 0"},
      {"hole between", "{" + a + "," + member("b", 3, 4, "[1]") + "}", "xxxx", "expected 2"},
      {"overlap", "{" + a + "," + member("b", 1, 3, "[2]") + "}", "xxx", "expected 2"},
      {"same place", "{" + a + "," + member("b", 0, 2, "[2]") + "}", "xx", "expected 2"},
      {"byte over", "{" + a + "}", "xxx", "the file has 3 after the header"},
      {"byte missing", "{" + a + "}", "x", "the file has 1 after the header"},
      {"data without tensors", "{}", "x", "the file has 1 after the header"},
      {"nested without end", R"({"a":{"x":)" + nested, "", "nested too deep"},
      {"nested objects",
       R"({"a":{"x":)" +
           [] {
             std::string deep;
             for (int i = 0; i < 200; ++i) deep += "{\"x\":";
             return deep;
           }(),
       "", "nested too deep"},
  };
}

TEST(StateSafetensors, RefusesEveryMalformedHeader) {
  for (const Refused& refused : refused_headers()) {
    SCOPED_TRACE(refused.what);
    EXPECT_ERROR(read_bytes(file_of(refused.header, refused.data)), Status::corrupt, refused.message);
  }
}

TEST(StateSafetensors, RefusesEveryBadLength) {
  EXPECT_ERROR(read_bytes(""), Status::corrupt, "0 bytes");
  EXPECT_ERROR(read_bytes("1234567"), Status::corrupt, "7 bytes");
  EXPECT_ERROR(read_bytes(std::string(8, '\xFF')), Status::corrupt, "18446744073709551615");
  EXPECT_ERROR(read_bytes(std::string("\x01\xE1\xF5\x05\0\0\0\0", 8)), Status::corrupt, "100000001");
  EXPECT_ERROR(read_bytes(std::string("\x00\xE1\xF5\x05\0\0\0\0", 8)), Status::corrupt, "the file is truncated");
  EXPECT_ERROR(read_bytes(std::string("\x03\0\0\0\0\0\0\0{}", 10)), Status::corrupt, "the file is truncated");
  EXPECT_ERROR(read_bytes(std::string(8, '\0')), Status::corrupt, "'{'");
}

TEST(StateSafetensors, AcceptsWhatTheReferenceAccepts) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_EQ(
      read_bytes(file_of(R"({"a":{"dtype":"U8","x":)" + deep + R"(,"shape":[2],"data_offsets":[0,2]}})", "xx")).tensors.size(), 1U);
  EXPECT_EQ(read_bytes(file_of("{" + member("", 0, 2, "[2]") + "}", "xx")).tensors[0].name, "");
  EXPECT_EQ(read_bytes(file_of("{" + member("a", 0, 0, "[0,9223372036854775807,9223372036854775807]") + "}", "")).tensors.size(),
            1U);
  EXPECT_EQ(read_bytes(file_of("{" + member("a", 0, 1, "[1,1,1,1,1,1,1,1,1,1,1,1]") + "}", "x")).tensors[0].shape.size(), 12U);
}

TEST(StateSafetensors, EveryTruncationIsRefused) {
  const std::string whole = file_of("{" + member("a", 0, 4, "[4]") + "," + member("b", 4, 6, "[2]") + "}   ", "abcdef");
  EXPECT_NO_THROW(read_bytes(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    EXPECT_ERROR(read_bytes(whole.substr(0, length)), Status::corrupt, "");
  }
}

std::vector<TensorEntry> all_dtypes() {
  std::vector<TensorEntry> tensors;
  for (std::int32_t number = ckpt::tensor::first_dtype; number <= ckpt::tensor::last_dtype; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    tensors.push_back({std::string(ckpt::tensor::dtype_name(dtype)), dtype, {3, 8}});
  }
  return tensors;
}

TEST(StateSafetensors, WritesWhatItReadsForAllDtypes) {
  std::vector<TensorEntry> tensors = all_dtypes();
  tensors.push_back({"scalar", Dtype::f32, {}});
  tensors.push_back({"empty", Dtype::f64, {0, 7}});
  tensors.push_back({"quote \" \\ \n \xE2\x82\xAC", Dtype::u8, {1}});
  const std::string head = make_header(tensors, {{"k\"", "v\n"}});
  const Header read = parse_header(std::string_view(head).substr(8), tensors.back().offset + tensors.back().bytes);
  ASSERT_EQ(read.tensors.size(), 25U);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].name, tensors[i].name);
    EXPECT_EQ(read.tensors[i].dtype, tensors[i].dtype);
    EXPECT_EQ(read.tensors[i].shape, tensors[i].shape);
    EXPECT_EQ(read.tensors[i].offset, tensors[i].offset);
    EXPECT_EQ(read.tensors[i].bytes, tensors[i].bytes);
  }
  EXPECT_EQ(read.metadata, (ckpt::state::Metadata{{"k\"", "v\n"}}));
}

TEST(StateSafetensors, AlignsTheDataAndOrdersBySize) {
  for (int padding = 0; padding < 130; ++padding) {  // for every header length
    std::vector<TensorEntry> tensors = all_dtypes();
    tensors.push_back({std::string(static_cast<std::size_t>(padding) + 1, 'n'), Dtype::u8, {8}});
    const std::string head = make_header(tensors, {});
    EXPECT_EQ(head.size() % 64, 0U);
    EXPECT_EQ(head[8], '{');
    EXPECT_EQ(head.find_last_not_of(' '), head.rfind('}'));
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const std::int64_t before = ckpt::tensor::dtype_bits(tensors[i - 1].dtype);
      const std::int64_t bits = ckpt::tensor::dtype_bits(tensors[i].dtype);
      EXPECT_TRUE(before > bits || (before == bits && tensors[i - 1].name < tensors[i].name));
      EXPECT_EQ(tensors[i].offset % std::max<std::int64_t>(bits / 8, 1), 0);
    }
  }
}

TEST(StateSafetensors, RefusesToWriteATooLargeHeader) {
  std::vector<TensorEntry> tensors = {{std::string(100'000'000, 'n'), Dtype::u8, {1}}};
  EXPECT_ERROR(make_header(tensors, {}), Status::out_of_range, "100000000");
  tensors = {{"a", Dtype::u8, {INT64_MAX / 8}}, {"b", Dtype::u8, {INT64_MAX / 8}}};
  EXPECT_NO_THROW(make_header(tensors, {}));
}

}  // namespace
