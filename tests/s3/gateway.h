// The gateway from tests/services/radosgw/run.sh, and the proxy before it (tests/services/s3_proxy.py).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ckpt/s3.h>

namespace s3_test {

inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}
inline std::string endpoint() { return variable("CKPT_TEST_S3_ENDPOINT"); }
inline std::string access_key() { return variable("CKPT_TEST_S3_ACCESS_KEY"); }
inline std::string secret_key() { return variable("CKPT_TEST_S3_SECRET_KEY"); }
inline std::string bucket() { return variable("CKPT_TEST_S3_BUCKET"); }

// Options with strings that live as long as this object.
struct Given {
  std::string at = endpoint();
  std::string access = access_key();
  std::string secret = secret_key();
  std::string token;
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;

  const ckpt_s3_options& get() {
    options.endpoint = at.c_str();
    options.access_key = access.c_str();
    options.secret_key = secret.c_str();
    options.session_token = token.empty() ? nullptr : token.c_str();
    return options;
  }
};

// The proxy and its counts.
class Proxy {
 public:
  explicit Proxy(const std::string& more = "") {
    const std::string command = "exec python3 '" S3_PROXY "' " + endpoint() + " " + more;
    int input[2];
    int output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(input[0], 0);
      dup2(output[1], 1);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    std::string line;
    for (char c = 0; read(output[0], &c, 1) == 1 && c != '\n';) line += c;
    ::close(output[0]);
    if (line.empty()) throw std::runtime_error("the proxy did not start");
    port_ = line;
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy() {
    ::close(input_);  // it exits at the end of its input
    int status = 0;
    waitpid(pid_, &status, 0);
  }

  std::string url(const char* scheme = "http") const { return std::string(scheme) + "://127.0.0.1:" + port_; }
  void rules(const std::string& json) const { control("POST", json); }
  // Returns how many requests had this text in "METHOD target action".
  int seen(const std::string& text) const {
    const std::string log = control("GET", "");
    int count = 0;
    for (std::size_t at = log.find('['); (at = log.find('[', at + 1)) != std::string::npos;) {
      const std::string entry = log.substr(at, log.find(']', at) - at);
      count += entry.find(text) != std::string::npos ? 1 : 0;
    }
    return count;
  }
  // Returns the maximum number of concurrent requests.
  int at_once() const {
    const std::string log = control("GET", "");
    return std::stoi(log.substr(log.rfind(':') + 1));
  }
  // Returns the number of bytes in the bodies of answers to requests with this text in "METHOD target".
  std::int64_t bytes_of(const std::string& text) const {
    const std::string log = control("GET", "");
    std::int64_t bytes = 0;
    for (std::size_t at = log.find('['); (at = log.find('[', at + 1)) != std::string::npos;) {
      const std::string entry = log.substr(at, log.find(']', at) - at);
      if (entry.find(text) != std::string::npos) bytes += std::stoll(entry.substr(entry.rfind(',') + 1));
    }
    return bytes;
  }
  // Returns how many requests match a regular expression over "METHOD", "target", "action".
  int seen_matching(const std::string& pattern) const {
    const std::string log = control("GET", "");
    const std::regex regex(pattern);
    return static_cast<int>(std::distance(std::sregex_iterator(log.begin(), log.end(), regex), std::sregex_iterator()));
  }

 private:
  std::string control(const char* method, const std::string& body) const {
    const std::unique_ptr<CURL, void (*)(CURL*)> easy(curl_easy_init(), curl_easy_cleanup);
    std::string answer;
    const auto add = [](char* bytes, std::size_t size, std::size_t count, void* into) -> std::size_t {
      static_cast<std::string*>(into)->append(bytes, size * count);
      return size * count;
    };
    curl_easy_setopt(easy.get(), CURLOPT_URL, (url() + "/__proxy__").c_str());
    curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, static_cast<std::size_t (*)(char*, std::size_t, std::size_t, void*)>(add));
    curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &answer);
    if (std::string(method) == "POST") curl_easy_setopt(easy.get(), CURLOPT_COPYPOSTFIELDS, body.c_str());
    EXPECT_EQ(curl_easy_perform(easy.get()), CURLE_OK);
    return answer;
  }

  pid_t pid_ = -1;
  int input_ = -1;
  std::string port_;
};

}  // namespace s3_test
