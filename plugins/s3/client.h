// A client of a bucket: requests, retries, and the meaning of errors.
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

// Provides a sequence of requests. Called on the thread that runs drive.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  // Returns the next transfer; nullptr: none at the moment.
  virtual Transfer* next() = 0;
  // Returns whether more transfers will follow, even if next returned none.
  virtual bool has_more() = 0;
  // Takes a transfer that succeeded or has an error. Returns whether to continue with the others.
  virtual bool take(Transfer& transfer) = 0;
  // Returns whether transfers in progress should be cancelled.
  virtual bool is_stopped() { return false; }
};

// Returns the store's error code from a response body; "" if there is none.
std::string error_code(const Answer& answer);

// Returns the error for a response with that status and code. bucket: for its message.
Error answer_error(const Answer& answer, const std::string& code, const std::string& bucket, const std::string& region);

class Client;

// A session that is returned to its client's pool on destruction.
class Lease {
 public:
  Lease(Client& client, std::unique_ptr<Session> session) : client_(&client), session_(std::move(session)) {}
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();
  Session& operator*() const noexcept { return *session_; }
  Session* operator->() const noexcept { return session_.get(); }
  // For a forked child: abandons the session without returning it.
  void abandon() noexcept { session_.reset(); }

 private:
  Client* client_;
  std::unique_ptr<Session> session_;
};

// Synchronized.
class Client {
 public:
  Client(Config config, std::unique_ptr<Credentials> credentials)
      : config_(std::move(config)), credentials_(std::move(credentials)) {}

  const Config& config() const noexcept { return config_; }
  Lease lease();

  // Runs the source's transfers, at most `most` at a time, until there are no more or the source stops. Cancels transfers in
  // progress then.
  void drive(Session& session, Source& source, std::size_t max);

  // Sends one request. Throws its error unless it succeeds. attempts: maximum, for temporary errors.
  Answer execute(Request request, int attempts = 1);
  Answer execute(Session& session, Request request, int attempts = 1);
  // The same, but returns errors in the transfer.
  Transfer send(Session& session, Request request, int attempts);

  // Returns size, ETag and mark of an object. Adds the store's error code to errors, which responses to HEAD lack.
  Answer head(const std::string& key, int attempts = 1);

 private:
  friend class Lease;
  void return_session(std::unique_ptr<Session> session) noexcept;
  // Returns the pause before the next attempt if the transfer is to be retried; otherwise sets its error if it failed.
  std::optional<Pause> classify(Transfer& transfer);

  Config config_;
  std::unique_ptr<Credentials> credentials_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace ckpt::s3
