// The parts of libckpt-s3 that need no network: signatures, XML, names, profiles, and the interpretation of answers.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "sign.h"
#include "support.h"
#include "text.h"
#include "upload.h"
#include "uploads.h"
#include "xml.h"

namespace {

using namespace ckpt::s3;
using s3_test::Variable;

template <class Call>
void expect_error(Call&& call, ckpt_status status, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "no error; expected '" << text << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_NE(error.message().find(text), std::string::npos) << error.message();
  }
}

// ---- Signatures: the examples of "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)", Amazon S3
// API Reference.

const Keys example{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
constexpr char of_nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

Unsigned example_request(const std::string& method, const std::string& path, const std::string& payload) {
  Unsigned request;
  request.method = method;
  request.path = path;
  request.payload_sha256 = payload;
  request.region = "us-east-1";
  request.time = "20130524T000000Z";
  request.headers = {{"Host", "examplebucket.s3.amazonaws.com"}, {"x-amz-content-sha256", payload}, {"x-amz-date", request.time}};
  return request;
}

std::string signature(const Unsigned& request) {
  const std::string text = authorization(request, example);
  return text.substr(text.find("Signature=") + 10);
}

TEST(S3Sign, GetObject) {
  Unsigned request = example_request("GET", "/test.txt", of_nothing);
  request.headers.emplace_back("Range", "bytes=0-9");
  EXPECT_EQ(canonical_request(request),
            std::string("GET\n/test.txt\n\nhost:examplebucket.s3.amazonaws.com\nrange:bytes=0-9\nx-amz-content-sha256:") +
                of_nothing + "\nx-amz-date:20130524T000000Z\n\nhost;range;x-amz-content-sha256;x-amz-date\n" + of_nothing);
  EXPECT_EQ(sha256_hex(bytes_of(canonical_request(request))), "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972");
  EXPECT_EQ(authorization(request, example),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(S3Sign, PutObject) {
  const std::string payload = sha256_hex(bytes_of("Welcome to Amazon S3."));
  EXPECT_EQ(payload, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  Unsigned request = example_request("PUT", "/" + url_encode("test$file.text", true), payload);
  request.headers.emplace_back("Date", "Fri, 24 May 2013 00:00:00 GMT");
  request.headers.emplace_back("x-amz-storage-class", "REDUCED_REDUNDANCY");
  EXPECT_EQ(signature(request), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(S3Sign, Queries) {
  Unsigned lifecycle = example_request("GET", "/", of_nothing);
  lifecycle.query = {{"lifecycle", ""}};
  EXPECT_EQ(signature(lifecycle), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  Unsigned list = example_request("GET", "/", of_nothing);
  list.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(canonical_query(list.query), "max-keys=2&prefix=J");
  EXPECT_EQ(signature(list), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  EXPECT_EQ(canonical_query({{"b", "x y+/"}, {"a", "ä"}, {"a", "B"}}), "a=%C3%A4&a=B&b=x%20y%2B%2F");
}

TEST(S3Sign, Digests) {
  EXPECT_EQ(sha256_hex({}), of_nothing);
  EXPECT_EQ(base64(sha256({})), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  const std::string md5 = md5_base64(bytes_of("abc"));
  EXPECT_TRUE(md5 == "kAFQmDzST7DWlj99KOF/cg==" || md5.empty()) << md5;
  EXPECT_NE(random_hex(16), random_hex(16));
  EXPECT_EQ(random_hex(16).size(), 32U);
}

// ---- Text

TEST(S3Text, Encodes) {
  EXPECT_EQ(url_encode("az AZ09-._~/+%", true), "az%20AZ09-._~/%2B%25");
  EXPECT_EQ(url_encode("a/b", false), "a%2Fb");
  EXPECT_EQ(url_encode("ü", true), "%C3%BC");
  EXPECT_EQ(url_decode("a%20b+c%2b", false), "a b+c+");
  EXPECT_EQ(url_decode("a%20b+c%2b", true), "a b c+");
  for (const char* bad : {"%", "%2", "%zz", "a%2"}) EXPECT_EQ(url_decode(bad, false), std::nullopt) << bad;
  EXPECT_EQ(base64(std::vector<unsigned char>{'M'}), "TQ==");
  EXPECT_EQ(base64(std::vector<unsigned char>{'M', 'a'}), "TWE=");
  EXPECT_EQ(base64(std::vector<unsigned char>{'M', 'a', 'n'}), "TWFu");
  EXPECT_EQ(xml_escape("<a&b>\"'"), "&lt;a&amp;b&gt;&quot;'");
  EXPECT_EQ(sanitized("Slow Down\n<b>"), "SlowDownb");
  EXPECT_EQ(sanitized(std::string(100, 'x')).size(), 64U);
  EXPECT_EQ(in_quotes("a\nb'"), "'a\\x0ab\\x27'");
  EXPECT_EQ(in_quotes(std::string(199, 'a') + "ü"), "'" + std::string(199, 'a') + "...'");
  EXPECT_EQ(number("12"), 12);
  for (const char* bad : {"", "-1", "1x", " 1", "99999999999999999999"}) EXPECT_EQ(number(bad), std::nullopt) << bad;
}

TEST(S3Text, KnowsPaths) {
  for (const char* good : {"a", "a/b", "...", "a..b", " ", "ü"}) EXPECT_TRUE(is_path(good)) << good;
  for (const char* bad : {"", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "a/.", "a\nb", "\x7f"})
    EXPECT_FALSE(is_path(bad)) << bad;
}

// ---- XML

TEST(S3Xml, ReadsElements) {
  const Element root = parse_xml("<?xml version=\"1.0\"?><a xmlns=\"x\"><b>1 &amp; &#50;</b><c/><b>3</b></a>");
  EXPECT_EQ(root.name, "a");
  ASSERT_EQ(root.children.size(), 3U);
  EXPECT_EQ(root.value("b"), "1 & 2");
  EXPECT_EQ(root.children[2].text, "3");
  EXPECT_EQ(root.value("d"), "");
  EXPECT_EQ(root.child("d"), nullptr);
}

TEST(S3Xml, RefusesDocumentTypes) {
  for (const char* text :
       {"<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"}) {
    expect_error([&] { parse_xml(text); }, CKPT_E_UNSUPPORTED, "document type");
  }
}

TEST(S3Xml, RefusesMalformedXml) {
  for (const char* text : {"", " ", "a", "<a>", "<a></b>", "<a/><b/>", "<a>&b;</a>", "<a>\xff</a>"}) {
    expect_error([&] { parse_xml(text); }, CKPT_E_IO, "not XML");
  }
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += "<a>";
  expect_error([&] { parse_xml(deep); }, CKPT_E_IO, "too many elements");
  std::string many = "<a>";
  for (int i = 0; i < 200001; ++i) many += "<b/>";
  expect_error([&] { parse_xml(many + "</a>"); }, CKPT_E_IO, "too many elements");
}

// ---- Unfinished uploads

TEST(S3Uploads, ReadsTimes) {
  EXPECT_EQ(utc_ns("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(utc_ns("2010-11-10T20:48:33.000Z"), 1289422113000000000);
  EXPECT_EQ(utc_ns("2024-02-29T23:59:59.25Z"), 1709251199250000000);
  EXPECT_EQ(utc_ns("2024-02-29T23:59:59.1234567891Z"), 1709251199123456789);
  for (const char* wrong :
       {"", "2010-11-10", "2010-11-10T20:48:33", "2010-13-10T20:48:33Z", "2023-02-29T20:48:33Z", "2010-11-10T24:00:00Z",
        "2010-11-10 20:48:33Z", "2010-11-10T20:48:-3Z", "2010-11-10T20:48:33.0Zx", "20101110T204833Z"}) {
    EXPECT_EQ(utc_ns(wrong), std::nullopt) << wrong;
  }
}

TEST(S3Uploads, ReadsPages) {
  Config config;
  config.prefix = "runs/7";
  const std::string head = "<ListMultipartUploadsResult><EncodingType>url</EncodingType>";
  const std::string tail = "</ListMultipartUploadsResult>";
  const auto upload = [](const char* key, const char* id, const char* begun) {
    return std::string("<Upload><Key>") + key + "</Key><UploadId>" + id + "</UploadId><Initiated>" + begun +
           "</Initiated></Upload>";
  };
  const std::string now = "2010-11-10T20:48:33.000Z";
  const UploadsPage page =
      read_uploads(config, head +
                               "<IsTruncated>true</IsTruncated><NextKeyMarker>runs/7/c+d</NextKeyMarker><NextUploadIdMarker>2~x</"
                               "NextUploadIdMarker>" +
                               upload("runs/7/a%2Bb", "1~y", now.c_str()) + upload("runs/7//odd", "3", now.c_str()) + tail);
  ASSERT_EQ(page.uploads.size(), 1U);  // the other one has a name that no storage has
  EXPECT_EQ(page.uploads[0].path, "a+b");
  EXPECT_EQ(page.uploads[0].id, "1~y");
  EXPECT_EQ(page.uploads[0].begun_ns, 1289422113000000000);
  EXPECT_EQ(page.next_key, "runs/7/c d");
  EXPECT_EQ(page.next_id, "2~x");
  EXPECT_EQ(read_uploads(config, head + tail).next_key, "");
  const auto refused = [&](const std::string& body, const char* text) {
    expect_error([&] { read_uploads(config, head + body + tail); }, CKPT_E_IO, text);
  };
  refused(upload("runs/7/a", "1", "yesterday"), "without name, time or id");
  refused(upload("runs/7/a", "", now.c_str()), "without name, time or id");
  refused(upload("runs/8/a", "1", now.c_str()), "outside the requested prefix");
  refused("<IsTruncated>true</IsTruncated>", "has no marker");
  expect_error([&] { read_uploads(config, "<Error><Code>InternalError</Code></Error>"); }, CKPT_E_IO,
               "expected ListMultipartUploadsResult");
}

// ---- Lists

TEST(S3List, ReadsPages) {
  Config config;
  config.prefix = "runs/7";
  const std::string text =
      "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t/1=</"
      "NextContinuationToken>"
      "<Contents><Key>runs/7/</Key><Size>0</Size></Contents><Contents><Key>runs/7/a+b%2Bc</Key><Size>12</Size></Contents>"
      "<Contents><Key>runs/7/b</Key><Size>9000000000000</Size></Contents></ListBucketResult>";
  const Page page = read_page(config, text, "");
  ASSERT_EQ(page.objects.size(), 2U);
  EXPECT_EQ(page.objects[0].path, "a b+c");
  EXPECT_EQ(page.objects[1].bytes, 9000000000000);
  EXPECT_EQ(page.next, "t/1=");
  EXPECT_EQ(page.last_key, "runs/7/b");
  expect_error([&] { read_page(config, text, "runs/7/a"); }, CKPT_E_UNSUPPORTED, "ascending order");
  expect_error([&] { read_page(config, "<Error><Code>InternalError</Code></Error>", ""); }, CKPT_E_IO, "expected ListBucketResult");
  expect_error([&] { read_page(config, "<ListBucketResult><Contents><Key>runs/7/a</Key></Contents></ListBucketResult>", ""); },
               CKPT_E_IO, "without name or size");
  // Without the encoding, names are taken literally.
  EXPECT_EQ(read_page(config, "<ListBucketResult><Contents><Key>runs/7/a+%2B</Key><Size>1</Size></Contents></ListBucketResult>", "")
                .objects[0]
                .path,
            "a+%2B");
}

// ---- URIs and endpoints

TEST(S3Config, ReadsUris) {
  const auto read = [](const char* uri) {
    Config config;
    read_uri(uri, config);
    return config.bucket + "|" + config.prefix;
  };
  EXPECT_EQ(read("s3://bucket"), "bucket|");
  EXPECT_EQ(read("S3://bucket/"), "bucket|");
  EXPECT_EQ(read("s3://a.b-c_d/x/y/"), "a.b-c_d|x/y");
  EXPECT_EQ(read("s3://bucket/a%20b%25%3F"), "bucket|a b%?");
  for (const char* bad : {"",
                          "s3:",
                          "s3:/",
                          "s3://",
                          "s3:///x",
                          "file:///x",
                          "s3://ab",
                          "s3://-ab",
                          "s3://a..b",
                          "s3://user@bucket",
                          "s3://bucket//",
                          "s3://bucket//x",
                          "s3://bucket/x//",
                          "s3://bucket/../x",
                          "s3://bucket/x/.",
                          "s3://bucket/%2e%2e/x",
                          "s3://bucket/a%2Fb",
                          "s3://bucket/a%2fb",
                          "s3://bucket/%00",
                          "s3://bucket/a\nb",
                          "s3://bucket/a%0ab",
                          "s3://bucket/%",
                          "s3://bucket/%zz",
                          "s3://bucket/a?b",
                          "s3://bucket/a#b",
                          "s3://bucket?x"}) {
    expect_error([&] { read(bad); }, CKPT_E_INVALID_ARGUMENT, "uri ");
  }
  // The query may contain keys, so it is not shown.
  expect_error([&] { read("s3://bucket/a?token=secret"); }, CKPT_E_INVALID_ARGUMENT, "'s3://bucket/a' has a query");
}

TEST(S3Config, ReadsEndpoints) {
  const auto read = [](const char* endpoint) {
    Config config;
    read_endpoint(endpoint, config);
    return std::string(config.is_tls ? "https " : "http ") + config.endpoint;
  };
  EXPECT_EQ(read("http://127.0.0.1:8000"), "http 127.0.0.1:8000");
  EXPECT_EQ(read("https://S3.Example.com/"), "https s3.example.com");
  EXPECT_EQ(read("s3.example.com:9000"), "https s3.example.com:9000");
  EXPECT_EQ(read("https://s3.example.com:443"), "https s3.example.com");
  EXPECT_EQ(read("http://s3.example.com:80"), "http s3.example.com");
  EXPECT_EQ(read("http://[::1]:80"), "http [::1]");
  for (const char* bad :
       {"ftp://x", "https://", "http://user:secret@x", "http://x/path", "http://x?y", "http://x y", "http://x#"}) {
    expect_error([&] { read(bad); }, CKPT_E_INVALID_ARGUMENT, "the endpoint");
  }
}

// ---- The environment and profiles, in a temporary folder

class S3Profile : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(folder_), nullptr);
    credentials = std::string(folder_) + "/.aws/credentials";
    config = std::string(folder_) + "/.aws/config";
    mkdir((std::string(folder_) + "/.aws").c_str(), 0700);
    variables_.push_back(std::make_unique<Variable>("HOME", folder_));
    for (const char* name :
         {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION",
          "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"}) {
      variables_.push_back(std::make_unique<Variable>(name));
    }
  }
  void TearDown() override {
    unlink(credentials.c_str());
    unlink(config.c_str());
    rmdir((std::string(folder_) + "/.aws").c_str());
    rmdir(folder_);
  }
  void set(const char* name, const std::string& value) { variables_.push_back(std::make_unique<Variable>(name, value)); }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  std::string credentials;
  std::string config;

 private:
  char folder_[32] = "/tmp/ckpt-s3-home.XXXXXX";
  std::vector<std::unique_ptr<Variable>> variables_;
};

constexpr char two_profiles[] =
    "# comment\n[default]\naws_access_key_id = DEFAULTKEY\n  aws_secret_access_key = not "
    "this\naws_secret_access_key=default/secret+=\n"
    "\n[ other ]\r\naws_access_key_id=OTHERKEY\r\naws_secret_access_key = othersecret # comment\r\naws_session_token = t==\r\n";

TEST_F(S3Profile, FindsNothing) {
  const Environment found = read_environment(false);
  EXPECT_FALSE(found.keys.has_value());
  EXPECT_EQ(found.region, "");
  const ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  expect_error([&] { make_config("s3://bucket", options); }, CKPT_E_PERMISSION, "no keys for s3://bucket");
}

TEST_F(S3Profile, ReadsProfiles) {
  write(credentials, two_profiles);
  write(config,
        "[default]\nregion = eu-one\ns3 =\n  region = not-this\n[profile other]\nregion = eu-two\nendpoint_url = "
        "http://127.0.0.1:9\n[sso-session x]\nregion = no\n");
  Environment found = read_environment(false);
  EXPECT_TRUE(found.keys == (Keys{"DEFAULTKEY", "default/secret+=", ""}));
  EXPECT_EQ(found.region, "eu-one");
  set("AWS_PROFILE", "other");
  found = read_environment(false);
  EXPECT_TRUE(found.keys == (Keys{"OTHERKEY", "othersecret", "t=="}));
  EXPECT_EQ(found.region, "eu-two");
  EXPECT_EQ(found.endpoint, "http://127.0.0.1:9");
  set("AWS_REGION", "from-environment");
  EXPECT_EQ(read_environment(false).region, "from-environment");
  set("AWS_PROFILE", "nobody");
  expect_error([] { read_environment(false); }, CKPT_E_PERMISSION, "AWS_PROFILE is 'nobody'");
  EXPECT_NO_THROW(read_environment(true));
}

TEST_F(S3Profile, EnvironmentTakesPrecedence) {
  write(credentials, two_profiles);
  set("AWS_ACCESS_KEY_ID", "ENVKEY");
  expect_error([] { read_environment(false); }, CKPT_E_INVALID_ARGUMENT, "without a secret key");
  set("AWS_SECRET_ACCESS_KEY", "envsecret");
  set("AWS_ENDPOINT_URL", "http://127.0.0.1:7");
  Environment found = read_environment(false);
  EXPECT_TRUE(found.keys == (Keys{"ENVKEY", "envsecret", ""}));
  EXPECT_EQ(found.endpoint, "http://127.0.0.1:7");
  EXPECT_TRUE(found.files.empty());
  set("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:8");
  EXPECT_EQ(read_environment(false).endpoint, "http://127.0.0.1:8");
}

TEST_F(S3Profile, ReportsUnsupportedSettings) {
  write(config, "[default]\ncredential_process = /bin/true\n");
  const ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  expect_error([&] { make_config("s3://bucket", options); }, CKPT_E_PERMISSION,
               "has credential_process, which libckpt-s3 does not support");
}

TEST_F(S3Profile, ReadsChangedFilesAgain) {
  write(credentials, two_profiles);
  Credentials keys(read_environment(false));
  EXPECT_EQ(keys.current().access_key, "DEFAULTKEY");
  EXPECT_FALSE(keys.refresh(keys.current()));
  write(credentials, "[default]\naws_access_key_id = NEWKEY\naws_secret_access_key = new\n");
  EXPECT_EQ(keys.current().access_key, "NEWKEY");
  // Half-written or missing: the keys stay until there are new ones.
  write(credentials, "[default]\naws_access_key_id = HALF\n");
  EXPECT_EQ(keys.current().access_key, "NEWKEY");
  unlink(credentials.c_str());
  EXPECT_EQ(keys.current().access_key, "NEWKEY");
  write(credentials, two_profiles);
  EXPECT_EQ(keys.current().access_key, "DEFAULTKEY");
  EXPECT_TRUE(keys.refresh({"NEWKEY", "new", ""}));
  Credentials given(Keys{"a", "b", ""});
  EXPECT_FALSE(given.refresh(given.current()));
}

TEST_F(S3Profile, ChecksOptions) {
  set("AWS_ACCESS_KEY_ID", "ENVKEY");
  set("AWS_SECRET_ACCESS_KEY", "envsecret");
  const auto created = [](auto change) {
    ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
    change(options);
    return make_config("s3://bucket/x", options).config;
  };
  const auto refused = [&](auto change, const char* text) {
    expect_error([&] { created(change); }, CKPT_E_INVALID_ARGUMENT, text);
  };
  Config config_made = created([](auto&) {});
  EXPECT_EQ(config_made.url("x/y z", "a=b"), "https://bucket.s3.us-east-1.amazonaws.com/x/y%20z?a=b");
  EXPECT_EQ(config_made.key("a"), "x/a");
  EXPECT_EQ(config_made.name(), "s3://bucket/x");
  EXPECT_EQ(created([](auto& o) { o.region = "cn-north-1"; }).host(), "bucket.s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(created([](auto& o) { o.path_style = CKPT_S3_PATH_STYLE_ON; }).url("k", ""),
            "https://s3.us-east-1.amazonaws.com/bucket/k");
  EXPECT_EQ(created([](auto& o) { o.endpoint = "http://h:1"; }).url("", ""), "http://h:1/bucket");
  EXPECT_EQ(created([](auto& o) { o.endpoint = "http://h:1", o.path_style = CKPT_S3_PATH_STYLE_OFF; }).url("", ""),
            "http://bucket.h:1/");
  refused([](auto& o) { o.part_bytes = (8 << 20) - 1; }, "options.part_bytes is 8388607");
  refused([](auto& o) { o.part_bytes = (64 << 20) + 1; }, "options.part_bytes is 67108865");
  refused([](auto& o) { o.parts_in_flight = 0; }, "options.parts_in_flight is 0");
  refused([](auto& o) { o.parts_in_flight = 65; }, "options.parts_in_flight is 65");
  refused([](auto& o) { o.connect_timeout_ns = 0; }, "options.connect_timeout_ns is 0");
  refused([](auto& o) { o.request_timeout_ns = -1; }, "options.request_timeout_ns is -1");
  refused([](auto& o) { o.path_style = 3; }, "options.path_style is 3");
  refused([](auto& o) { o.access_key = "a"; }, "without a secret_key");
  refused([](auto& o) { o.secret_key = "a"; }, "without an access_key");
  refused([](auto& o) { o.session_token = "a"; }, "session_token without keys");
  refused([](auto& o) { o.storage_class = "A\r\nx: y"; }, "options.storage_class: expected");
  refused([](auto& o) { o.server_side_encryption = "A\n"; }, "options.server_side_encryption: expected");
  refused([](auto& o) { o.kms_key = "k"; }, "options.kms_key requires");
  refused([](auto& o) { o.region = "a/b"; }, "the region is");
  refused([](auto& o) { o.endpoint = "http://u:p@h"; }, "the endpoint: expected a host");
  ckpt_s3_options off = CKPT_S3_OPTIONS_INIT;
  off.path_style = CKPT_S3_PATH_STYLE_OFF;
  expect_error([&] { make_config("s3://dotted.bucket", off); }, CKPT_E_INVALID_ARGUMENT, "cannot be part of a host name");
  off.path_style = CKPT_S3_PATH_STYLE_AUTO;
  EXPECT_TRUE(make_config("s3://dotted.bucket", off).config.is_path_style);
  set("AWS_SECRET_ACCESS_KEY", "with blank");
  refused([](auto&) {}, "a key or token: expected printable ASCII");
}

// ---- Parts, and the interpretation of answers

TEST(S3Parts, AreAtMostTenThousand) {
  constexpr std::int64_t mebibyte = 1 << 20;
  EXPECT_EQ(part_size(16 * mebibyte, 0), 16U << 20);
  EXPECT_EQ(part_size(16 * mebibyte, 100 * mebibyte), 16U << 20);
  for (const std::int64_t bytes : {160000 * mebibyte, 1000000 * mebibyte, 5000000 * mebibyte}) {
    const auto size = static_cast<std::int64_t>(part_size(16 * mebibyte, bytes));
    EXPECT_EQ(size % mebibyte, 0);
    EXPECT_LE((bytes + bytes / 20 + size - 1) / size, 10000) << bytes;  // also with slightly more bytes
  }
}

TEST(S3Ranges, ReadsWhatWasSent) {
  const auto read = [](const char* header) {
    const auto range = read_content_range(header);
    return range ? cat(range->first, ' ', range->last, ' ', range->total) : std::string("none");
  };
  EXPECT_EQ(read("bytes 0-65535/1234567890123"), "0 65535 1234567890123");
  EXPECT_EQ(read("bytes 7-7/8"), "7 7 8");
  EXPECT_EQ(read("bytes 7-9/*"), "7 9 -1");
  for (const char* bad : {"", "bytes", "bytes */0", "bytes 0-1", "bytes 0/1-2", "bytes 2-1/5", "bytes 0-5/5", "bytes -1-2/5",
                          "bytes 0-1/", "bytes 0-1/x", "bytes  0-1/5", "items 0-1/5", "bytes 0-9223372036854775807/*"})
    EXPECT_EQ(read(bad), "none") << bad;
}

TEST(S3Errors, HaveStatusAndMessage) {
  const auto of = [](long status, const std::string& code) {
    Answer answer;
    answer.status = status;
    return answer_error(answer, code, "bucket", "us-east-1");
  };
  const auto check = [&](long status, const std::string& code, ckpt_status wanted, const std::string& text) {
    const Error error = of(status, code);
    EXPECT_EQ(error.status(), wanted) << error.message();
    EXPECT_NE(error.message().find(text), std::string::npos) << error.message();
  };
  check(403, "AccessDenied", CKPT_E_PERMISSION, "HTTP 403 AccessDenied: ");
  check(403, "", CKPT_E_PERMISSION, "HTTP 403: access is denied");
  check(404, "NoSuchKey", CKPT_E_NOT_FOUND, "the object does not exist");
  check(404, "NoSuchBucket", CKPT_E_INVALID_ARGUMENT, "the bucket 'bucket' does not exist");
  check(412, "PreconditionFailed", CKPT_E_ALREADY_EXISTS, "the name is taken");
  check(409, "ConditionalRequestConflict", CKPT_E_BUSY, "another writer");
  check(501, "NotImplemented", CKPT_E_UNSUPPORTED, "does not support this operation");
  check(501, "", CKPT_E_UNSUPPORTED, "does not support this operation");
  check(403, "QuotaExceeded", CKPT_E_NO_SPACE, "the quota is full");
  check(507, "", CKPT_E_NO_SPACE, "full");
  check(403, "RequestTimeTooSkewed", CKPT_E_PERMISSION, "clock");
  check(400, "ExpiredToken", CKPT_E_PERMISSION, "expired");
  check(400, "XAmzContentSHA256Mismatch", CKPT_E_IO, "the received bytes differ");
  check(400, "RequestTimeout", CKPT_E_TIMEOUT, "waited too long");
  check(503, "SlowDown", CKPT_E_BUSY, "limits the rate of requests");
  check(429, "", CKPT_E_BUSY, "limits the rate of requests");
  check(500, "", CKPT_E_IO, "internal error of the store");
  check(504, "", CKPT_E_TIMEOUT, "too long");
  check(302, "", CKPT_E_INVALID_ARGUMENT, "not followed");
  check(400, "SomethingNew", CKPT_E_UNSUPPORTED, "HTTP 400 SomethingNew: the store rejects");
  Answer answer;
  answer.body = "<Error><Code>No\nSuch <![CDATA[<Key>]]></Code><Message>AWS4-secret</Message></Error>";
  EXPECT_EQ(error_code(answer), "NoSuchKey");
  answer.body = "<Error><Code>x</Code>";
  EXPECT_EQ(error_code(answer), "");
}

}  // namespace
