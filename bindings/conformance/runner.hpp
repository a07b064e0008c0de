// Common declarations of the runner. README.md specifies the behaviour of all runners.
#ifndef CKPT_CONFORMANCE_RUNNER_HPP
#define CKPT_CONFORMANCE_RUNNER_HPP

#include <ckpt/ckpt.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

using Words = std::vector<std::string>;

// An error in the scenario file, not in the library.
class Misuse : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One command: its words, without the key=value words.
class Command {
 public:
  explicit Command(const std::string& line);
  const std::string& name() const { return words_.front(); }
  std::size_t size() const { return words_.size() - 1; }
  // Arguments are counted from 1.
  const std::string& text(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  double number(std::size_t i) const;
  std::string text(const std::string& key, const std::string& otherwise = {}) const;
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const;
  double number(const std::string& key, double otherwise) const;
  bool has(const std::string& key) const;
  Words names(const std::string& key) const;  // separated by commas
  // Throws Misuse when the command did not read an option.
  void check_all_used() const;

 private:
  Words words_;
  std::map<std::string, std::string> options_;
  mutable std::set<std::string> used_;
};

Words split(const std::string& text, char separator);
std::int64_t to_integer(const std::string& text);
double to_number(const std::string& text);
std::vector<std::int64_t> to_shape(const std::string& text);
// README.md, "Output formats".
std::string exact(double value);
std::string thousandths(double value);

// Returns byte i of a tensor.
std::uint8_t byte_at(ckpt::DType dtype, std::int64_t seed, std::int64_t i);
ckpt::Tensor make_tensor(const std::string& dtype, const std::vector<std::int64_t>& shape, std::int64_t seed);

// The objects of one scenario and the commands on them.
class Scenario {
 public:
  virtual ~Scenario() = default;
  // Returns the lines that the command prints. Throws ckpt::Error or Misuse.
  virtual Words run(const Command& command) = 0;
};
std::unique_ptr<Scenario> make_scenario(const std::string& directory);

// The checkpoint that every language writes and reads.
int write_matrix(const std::string& directory);
int read_matrix(const std::string& directory);
int write_trees(const std::string& directory);
int read_trees(const std::string& directory);
int copy_trees(const std::string& from, const std::string& to);

}  // namespace conformance

#endif  // CKPT_CONFORMANCE_RUNNER_HPP
