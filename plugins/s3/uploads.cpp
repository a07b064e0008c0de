#include "uploads.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>

#include "text.h"
#include "xml.h"

namespace ckpt::s3 {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr int attempts_of_lists = 5;
// Limits the list if a store repeats pages in a cycle: 1,000,000 uploads.
constexpr int max_pages = 1000;

// Removes the digits at the front of text and returns their value; nothing unless there are exactly count digits.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + count, value);
  if (error != std::errc() || end != text.data() + count || text[0] == '-') return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool skip(std::string_view& text, char wanted) {
  if (text.empty() || text[0] != wanted) return false;
  text.remove_prefix(1);
  return true;
}

struct All {
  std::vector<Unfinished> uploads;
  std::int64_t now_ns = 0;  // the store's time before the first page
};

// The whole list is read before any upload is aborted, so that it does not change during the read.
All list_uploads(Client& client, int max_at_once) {
  const Config& config = client.config();
  All all;
  UploadsPage page;
  for (int pages = 0; pages == 0 || !page.next_key.empty(); ++pages) {
    if (pages == max_pages) fail(CKPT_E_IO, "the store's list of uploads exceeds the limit");
    Request request;
    request.method = "GET";
    // Requests no encoding: Ceph 16.2 then encodes names but not the markers, and does not report it.
    request.query = {{"uploads", ""}, {"max-uploads", cat(max_at_once)}};
    request.query.emplace_back("prefix", config.prefix.empty() ? "" : config.prefix + "/");
    if (!page.next_key.empty()) {
      request.query.emplace_back("key-marker", page.next_key);
      request.query.emplace_back("upload-id-marker", page.next_id);
    }
    const Answer answer = client.execute(std::move(request), attempts_of_lists);
    if (pages == 0) {
      const std::time_t now = curl_getdate(answer.date.c_str(), nullptr);
      if (now < 0) fail(CKPT_E_UNSUPPORTED, "the store's response lacks a date");
      all.now_ns = now * second_ns;
    }
    page = read_uploads(config, answer.body);
    std::move(page.uploads.begin(), page.uploads.end(), std::back_inserter(all.uploads));
  }
  return all;
}

// Returns whether the upload existed.
bool abort_upload(Client& client, const Unfinished& upload) {
  Request request;
  request.method = "DELETE";
  request.key = client.config().key(upload.path);
  request.query = {{"uploadId", upload.id}};
  const Lease session = client.lease();
  const Transfer transfer = client.send(*session, std::move(request), attempts_of_lists);
  if (!transfer.error) return true;
  if (transfer.error->status() != CKPT_E_NOT_FOUND) throw *transfer.error;
  return false;
}

}  // namespace

std::optional<std::int64_t> utc_ns(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = digits(text, 4);
  if (!year_number || !skip(text, '-')) return std::nullopt;
  const auto month_number = digits(text, 2);
  if (!month_number || !skip(text, '-')) return std::nullopt;
  const auto day_number = digits(text, 2);
  if (!day_number || !skip(text, 'T')) return std::nullopt;
  const auto hour = digits(text, 2);
  if (!hour || !skip(text, ':')) return std::nullopt;
  const auto minute = digits(text, 2);
  if (!minute || !skip(text, ':')) return std::nullopt;
  const auto second = digits(text, 2);
  if (!second) return std::nullopt;
  std::int64_t fraction_ns = 0;
  if (skip(text, '.')) {
    std::int64_t unit = second_ns;
    while (const auto digit = digits(text, 1)) fraction_ns += *digit * (unit /= 10);
  }
  const year_month_day date(year(*year_number), month(static_cast<unsigned>(*month_number)),
                            day(static_cast<unsigned>(*day_number)));
  if (text != "Z" || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return (((days * 24 + *hour) * 60 + *minute) * 60 + *second) * second_ns + fraction_ns;
}

UploadsPage read_uploads(const Config& config, std::string_view xml) {
  const Element root = parse_xml(xml);
  if (root.name != "ListMultipartUploadsResult") fail(CKPT_E_IO, "the store's response: expected ListMultipartUploadsResult");
  const bool is_encoded = root.value("EncodingType") == "url";
  const std::string below = config.prefix.empty() ? "" : config.prefix + "/";
  const auto decoded = [&](std::string_view text) { return is_encoded ? url_decode(text, true) : std::string(text); };
  UploadsPage page;
  for (const Element& element : root.children) {
    if (element.name != "Upload") continue;
    const auto key = decoded(element.value("Key"));
    const auto begun_ns = utc_ns(trim(element.value("Initiated")));
    const std::string_view id = element.value("UploadId");
    if (!key || key->empty() || !begun_ns || id.empty())
      fail(CKPT_E_IO, "the store's list contains an upload without name, time or id");
    if (!key->starts_with(below)) fail(CKPT_E_IO, "the store's list contains an upload outside the requested prefix");
    std::string path = key->substr(below.size());
    if (is_path(path)) page.uploads.push_back({std::move(path), std::string(id), *begun_ns});  // others do not belong to a storage
  }
  if (trim(root.value("IsTruncated")) == "true") {
    page.next_key = decoded(root.value("NextKeyMarker")).value_or("");
    page.next_id = root.value("NextUploadIdMarker");
    if (page.next_key.empty()) fail(CKPT_E_IO, "the store's list is truncated and has no marker");
  }
  return page;
}

std::int64_t abort_uploads(Client& client, std::int64_t older_than_ns, bool dry_run, int max_at_once,
                           const std::function<void(const Unfinished&, std::int64_t)>& done) {
  const All all = list_uploads(client, max_at_once);
  std::int64_t count = 0;
  for (const Unfinished& upload : all.uploads) {
    // An upload of the current second, which the store's time does not resolve: 0.
    const std::int64_t age_ns = std::max<std::int64_t>(0, all.now_ns - upload.begun_ns);
    if (age_ns < older_than_ns) continue;
    if (!dry_run && !abort_upload(client, upload)) continue;
    ++count;
    done(upload, age_ns);
  }
  return count;
}

}  // namespace ckpt::s3
