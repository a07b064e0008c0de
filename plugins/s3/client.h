// A bucket: requests, what is tried again, and what errors mean.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config.h"
#include "credentials.h"
#include "session.h"

namespace ckpt::s3 {

// Where a run of requests comes from. Called on the thread that drives.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  // The next one; nullptr: none now.
  virtual Transfer* next() = 0;
  // Whether more will come later, also when next had none.
  virtual bool has_more() = 0;
  // It succeeded, or has an error. Whether to go on with the others.
  virtual bool take(Transfer& transfer) = 0;
  // Whether what is on its way is not wanted any more.
  virtual bool is_stopped() { return false; }
};

// The store's error code in an answer's body; "" when there is none.
std::string error_code(const Answer& answer);

// What an answer of that status and code means. bucket: for its message.
Error answer_error(const Answer& answer, const std::string& code, const std::string& bucket, const std::string& region);

class Client;

// A session that goes back to its client's others.
class Lease {
 public:
  Lease(Client& client, std::unique_ptr<Session> session) : client_(&client), session_(std::move(session)) {}
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();
  Session& operator*() const noexcept { return *session_; }
  Session* operator->() const noexcept { return session_.get(); }
  // In a forked child.
  void forget() noexcept { session_.reset(); }

 private:
  Client* client_;
  std::unique_ptr<Session> session_;
};

// Synchronised.
class Client {
 public:
  Client(Config config, std::unique_ptr<Credentials> credentials)
      : config_(std::move(config)), credentials_(std::move(credentials)) {}

  const Config& config() const noexcept { return config_; }
  Lease lease();

  // Runs what comes from the source, most at a time, until there is no more or it says so. What is on its way then is given up.
  void drive(Session& session, Source& source, std::size_t most);

  // One request. Throws what it ends with, if that is no success. attempts: at most, for what may pass.
  Answer ask(Request request, int attempts = 1);
  Answer ask(Session& session, Request request, int attempts = 1);
  // The same, but an error is in the transfer.
  Transfer send(Session& session, Request request, int attempts);

  // Size, ETag and mark of an object. Its errors have the store's code, which answers to HEAD can't have.
  Answer head(const std::string& key, int attempts = 1);

 private:
  friend class Lease;
  void give_back(std::unique_ptr<Session> session) noexcept;
  // When the transfer is to be tried again, if it is; its error is set when it failed.
  std::optional<Pause> judge(Transfer& transfer);

  Config config_;
  std::unique_ptr<Credentials> credentials_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace ckpt::s3
