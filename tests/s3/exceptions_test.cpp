// A C++ callback that throws, called by libckpt-s3. The store is a thread that answers every request with one list of uploads.
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include <ckpt/ckpt.h>
#include <ckpt/s3.h>

namespace {

class Store {
 public:
  Store() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~Store() {
    shutdown(listener_, SHUT_RDWR);  // makes accept return
    thread_.join();
    close(listener_);
  }
  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

 private:
  void serve() const {
    for (int connection = -1; (connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(connection))
      answer(connection);
  }

  static void answer(int connection) {
    const std::string body =
        "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated><Upload><Key>run/file</Key><UploadId>1</UploadId>"
        "<Initiated>2010-11-10T20:48:33.000Z</Initiated></Upload></ListMultipartUploadsResult>";
    const std::string text =
        "HTTP/1.1 200 OK\r\nDate: Wed, 10 Nov 2010 20:48:43 GMT\r\nContent-Type: application/xml\r\n"
        "Connection: close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    std::string request;
    char bytes[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = recv(connection, bytes, sizeof bytes, 0);
      if (count <= 0) return;
      request.append(bytes, static_cast<std::size_t>(count));
    }
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

  int listener_;
  sockaddr_in address_ = {};
  std::thread thread_;
};

ckpt_status list_uploads(const Store& store, ckpt_s3_upload_fn upload, std::int64_t* count) {
  const std::string endpoint = store.endpoint();
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  options.endpoint = endpoint.c_str();
  options.access_key = "access";
  options.secret_key = "secret";
  return ckpt_s3_abort_uploads("s3://bucket/run", &options, 0, 1, upload, nullptr, count);
}

TEST(S3Throwing, AnUploadFunctionFailsTheCall) {
  for (const char* const name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) unsetenv(name);
  const Store store;
  std::int64_t count = -1;
  ASSERT_EQ(list_uploads(store, nullptr, &count), CKPT_OK) << ckpt_s3_last_error();
  EXPECT_EQ(count, 1);
  count = -1;
  const auto with_text = [](const char*, std::int64_t, void*) { throw std::runtime_error("thrown text"); };
  EXPECT_EQ(list_uploads(store, with_text, &count), CKPT_E_CALLBACK) << ckpt_s3_last_error();
  EXPECT_NE(std::string(ckpt_s3_last_error()).find("upload: it threw an exception: thrown text"), std::string::npos)
      << ckpt_s3_last_error();
  const auto of_unknown_type = [](const char*, std::int64_t, void*) { throw 1; };
  EXPECT_EQ(list_uploads(store, of_unknown_type, &count), CKPT_E_CALLBACK) << ckpt_s3_last_error();
  EXPECT_NE(std::string(ckpt_s3_last_error()).find("upload: it threw an exception: an exception of unknown type"),
            std::string::npos)
      << ckpt_s3_last_error();
  EXPECT_EQ(count, -1);
}

}  // namespace
