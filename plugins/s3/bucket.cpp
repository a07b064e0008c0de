#include "bucket.h"

#include <algorithm>
#include <deque>

#include "text.h"
#include "xml.h"

namespace ckpt::s3 {
namespace {

constexpr std::size_t max_removed_at_once = 1000;
constexpr std::int64_t max_listed_at_once = 1000;

Request delete_request(const Config& config, const std::string& path) {
  Request request;
  request.method = "DELETE";
  request.key = config.key(path);
  return request;
}

void accept_missing(const Error& error) {
  if (error.status() != CKPT_E_NOT_FOUND) throw error;
}

// Removes each object with a separate request; stops at the first error.
class Removals final : public Source {
 public:
  Removals(const Config& config, std::span<const std::string> paths) {
    for (const std::string& path : paths) transfers_.emplace_back().request = delete_request(config, path);
  }
  Transfer* next() override { return begun_ < transfers_.size() ? &transfers_[begun_++] : nullptr; }
  bool has_more() override { return begun_ < transfers_.size(); }
  bool take(Transfer& transfer) override {
    if (transfer.error) accept_missing(*transfer.error);
    return true;
  }

 private:
  std::deque<Transfer> transfers_;
  std::size_t begun_ = 0;
};

void remove_singly(Client& client, std::span<const std::string> paths) {
  const Lease session = client.lease();
  Removals removals(client.config(), paths);
  client.drive(*session, removals, static_cast<std::size_t>(client.config().parts_in_flight));
}

// Errors of single objects are reported in a response with status 200.
void check_removed(const Config& config, const Answer& answer) {
  const Element root = parse_xml(answer.body);
  if (root.name == "Error") throw answer_error(answer, sanitized(root.value("Code")), config.bucket, config.region);
  if (root.name != "DeleteResult") fail(CKPT_E_IO, "the store's response: expected DeleteResult");
  for (const Element& element : root.children) {
    if (element.name != "Error") continue;
    const std::string code = sanitized(element.value("Code"));
    if (code == "NoSuchKey") continue;
    Answer one;
    one.status = answer.status;
    throw Error(answer_error(one, code, config.bucket, config.region).status(),
                cat(in_quotes(element.value("Key")), " was not removed: ", code.empty() ? "the store reports no reason" : code));
  }
}

void remove_together(Client& client, std::span<const std::string> paths) {
  std::string body = "<Delete><Quiet>true</Quiet>";
  for (const std::string& path : paths) body += cat("<Object><Key>", xml_escape(client.config().key(path)), "</Key></Object>");
  body += "</Delete>";
  Request request;
  request.method = "POST";
  request.query = {{"delete", ""}};
  request.body = bytes_of(body);
  request.is_sent = true;
  request.headers = {{"content-type", "application/xml"}, {"x-amz-checksum-sha256", base64(sha256(request.body))}};
  // Older stores require this header, and support no other checksum.
  if (std::string md5 = md5_base64(request.body); !md5.empty()) request.headers.emplace_back("content-md5", std::move(md5));
  try {
    check_removed(client.config(), client.execute(std::move(request)));
  } catch (const Error& error) {
    if (error.status() != CKPT_E_UNSUPPORTED) throw;
    remove_singly(client, paths);
  }
}

}  // namespace

void put_if_absent(Client& client, const std::string& path, std::span<const std::byte> bytes) {
  const Config& config = client.config();
  Request request;
  request.method = "PUT";
  request.key = config.key(path);
  request.headers = {{"if-none-match", "*"}};
  if (!config.server_side_encryption.empty())
    request.headers.emplace_back("x-amz-server-side-encryption", config.server_side_encryption);
  if (!config.kms_key.empty()) request.headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", config.kms_key);
  if (!config.storage_class.empty()) request.headers.emplace_back("x-amz-storage-class", config.storage_class);
  request.body = bytes;
  request.is_sent = true;
  client.execute(std::move(request));
}

void remove_one(Client& client, const std::string& path) {
  try {
    client.execute(delete_request(client.config(), path));
  } catch (const Error& error) {
    accept_missing(error);
  }
}

void remove_many(Client& client, const std::vector<std::string>& paths) {
  const std::span<const std::string> all(paths);
  for (std::size_t begin = 0; begin < all.size(); begin += max_removed_at_once) {
    remove_together(client, all.subspan(begin, std::min(max_removed_at_once, all.size() - begin)));
  }
}

std::int64_t size_of(Client& client, const std::string& path) {
  const Answer answer = client.head(client.config().key(path));
  if (answer.length < 0) fail(CKPT_E_UNSUPPORTED, "the store's response lacks the object's size");
  return answer.length;
}

Page read_page(const Config& config, std::string_view xml, const std::string& after_key) {
  const Element root = parse_xml(xml);
  if (root.name != "ListBucketResult") fail(CKPT_E_IO, "the store's response: expected ListBucketResult");
  const bool is_encoded = root.value("EncodingType") == "url";
  const std::string below = config.prefix.empty() ? "" : config.prefix + "/";
  Page page;
  page.last_key = after_key;
  for (const Element& element : root.children) {
    if (element.name != "Contents") continue;
    const auto key = is_encoded ? url_decode(element.value("Key"), true) : std::string(element.value("Key"));
    const auto bytes = number(trim(element.value("Size")));
    if (!key || !bytes || key->empty()) fail(CKPT_E_IO, "the store's list contains an object without name or size");
    // Otherwise objects after it could be missed or returned twice.
    if (*key <= page.last_key) fail(CKPT_E_UNSUPPORTED, "the store's list is not in ascending order of the names");
    page.last_key = *key;
    if (!key->starts_with(below)) fail(CKPT_E_IO, "the store's list contains an object outside the requested prefix");
    std::string path = key->substr(below.size());
    // Other programs can create names that are not valid paths of a storage, such as the markers "directory/" of consoles.
    if (is_path(path)) page.objects.push_back({std::move(path), *bytes});
  }
  if (trim(root.value("IsTruncated")) == "true") {
    page.next = root.value("NextContinuationToken");
    if (page.next.empty()) fail(CKPT_E_IO, "the store's list is truncated and has no continuation token");
  }
  return page;
}

std::int32_t list_from(Client& client, const std::string& prefix, const std::string& after, std::int64_t limit,
                       const std::function<std::int32_t(const Listed&)>& object) {
  const Config& config = client.config();
  const std::string below = config.prefix.empty() ? "" : config.prefix + "/";
  std::string next;
  std::string last_key = after.empty() ? "" : below + after;
  while (limit > 0) {
    Request request;
    request.method = "GET";
    request.query = {{"list-type", "2"},
                     {"encoding-type", "url"},
                     {"prefix", below + prefix},
                     {"max-keys", cat(std::min(limit, max_listed_at_once))}};
    if (!next.empty()) {
      request.query.emplace_back("continuation-token", next);
    } else if (!after.empty()) {
      request.query.emplace_back("start-after", below + after);
    }
    Page page = read_page(config, client.execute(std::move(request)).body, last_key);
    last_key = std::move(page.last_key);
    for (const Listed& listed : page.objects) {
      if (limit == 0) break;
      --limit;
      if (const std::int32_t code = object(listed); code != CKPT_OK) return code;
    }
    if (page.next.empty()) break;
    next = std::move(page.next);
  }
  return CKPT_OK;
}

}  // namespace ckpt::s3
