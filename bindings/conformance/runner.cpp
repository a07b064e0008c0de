// The conformance runner of C++:
//   runner run SCRATCH FILE...     runs the files' scenarios and compares; SCRATCH is an empty directory
//   runner write DIR | read DIR    writes or checks the checkpoint of matrix.sh
//   runner write-trees DIR | read-trees DIR | copy-trees FROM TO    the same for values of any shape
#include "runner.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace conformance {

Words split(const std::string& text, char separator) {
  Words out(1);
  for (const char c : text) {
    if (c == separator) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::int64_t to_integer(const std::string& text) {
  std::size_t end = 0;
  const std::int64_t value = std::stoll(text, &end);
  if (end != text.size()) throw Misuse(text + ": expected an integer");
  return value;
}

double to_number(const std::string& text) {
  std::size_t end = 0;
  const double value = std::stod(text, &end);
  if (end != text.size()) throw Misuse(text + ": expected a number");
  return value;
}

std::vector<std::int64_t> to_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  if (text.empty()) return shape;
  for (const auto& length : split(text, 'x')) shape.push_back(to_integer(length));
  return shape;
}

std::string exact(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9007199254740992.0 && !(value == 0 && std::signbit(value))) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(bits));
  return text;
}

std::string thousandths(double value) { return std::to_string(static_cast<std::int64_t>(std::floor(value * 1000 + 0.5))); }

namespace {

// Decodes a word: "\s" is a space, "\\" a backslash, "-" alone the empty string.
std::string unescaped(const std::string& word) {
  if (word == "-") return {};
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '\\' || i + 1 == word.size()) {
      out += word[i];
    } else {
      out += word[++i] == 's' ? ' ' : word[i];
    }
  }
  return out;
}

bool is_option(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == equals;
}

}  // namespace

Command::Command(const std::string& line) {
  for (const auto& word : split(line, ' ')) {
    if (word.empty()) continue;
    if (is_option(word)) {
      const std::size_t equals = word.find('=');
      options_[word.substr(0, equals)] = unescaped(word.substr(equals + 1));
    } else {
      words_.push_back(unescaped(word));
    }
  }
}

const std::string& Command::text(std::size_t i) const {
  if (i >= words_.size()) throw Misuse(name() + ": missing argument " + std::to_string(i));
  return words_[i];
}
std::int64_t Command::integer(std::size_t i) const { return to_integer(text(i)); }
double Command::number(std::size_t i) const { return to_number(text(i)); }
bool Command::has(const std::string& key) const { return options_.count(key) != 0; }
std::string Command::text(const std::string& key, const std::string& otherwise) const {
  used_.insert(key);
  const auto found = options_.find(key);
  return found == options_.end() ? otherwise : found->second;
}
std::int64_t Command::integer(const std::string& key, std::int64_t otherwise) const {
  const std::string value = text(key);
  return has(key) ? to_integer(value) : otherwise;
}
double Command::number(const std::string& key, double otherwise) const {
  const std::string value = text(key);
  return has(key) ? to_number(value) : otherwise;
}
Words Command::names(const std::string& key) const {
  const std::string value = text(key);
  return value.empty() ? Words() : split(value, ',');
}
void Command::check_all_used() const {
  for (const auto& option : options_) {
    if (used_.count(option.first) == 0) throw Misuse(name() + ": unknown option " + option.first);
  }
}

namespace {

// Runs files and counts scenarios, commands and failures.
class Run {
 public:
  explicit Run(std::string scratch) : scratch_(std::move(scratch)) {}

  void file(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw Misuse("cannot read " + path);
    path_ = path;
    number_ = 0;
    Words expected;
    std::string line;
    while (std::getline(in, line)) {
      ++number_;
      if (line.empty() || line[0] == '#') continue;
      if (line == "=" || line.compare(0, 2, "= ") == 0) {
        expected.push_back(line.size() < 2 ? std::string() : line.substr(2));
        continue;
      }
      compare(expected);
      expected.clear();
      std::puts(line.c_str());
      if (line.compare(0, 3, "== ") == 0) {
        scenario_.reset();
        scenario_ = make_scenario(scratch_ + "/" + std::to_string(++scenarios_));
      } else {
        run(line);
      }
    }
    compare(expected);
    scenario_.reset();
  }

  bool report() const {
    std::printf("%d scenarios, %d commands, %d wrong\n", scenarios_, commands_, wrong_);
    return wrong_ == 0 && commands_ > 0;
  }

 private:
  void run(const std::string& line) {
    ++commands_;
    command_line_ = number_;
    if (scenario_ == nullptr) throw Misuse(where() + "a command before the first scenario");
    try {
      const Command command(line);
      printed_ = scenario_->run(command);
      command.check_all_used();
    } catch (const ckpt::Error& error) {
      printed_ = {"error " + std::string(error.status_name())};
      detail_ = error.what();
    } catch (const std::exception& error) {
      throw Misuse(where() + error.what());
    }
    for (const auto& text : printed_) std::printf("= %s\n", text.c_str());
  }

  void compare(const Words& expected) {
    if (printed_ != expected) {
      ++wrong_;
      std::fprintf(stderr, "%swrong. Expected:\n", where().c_str());
      for (const auto& text : expected) std::fprintf(stderr, "  = %s\n", text.c_str());
      std::fputs("printed:\n", stderr);
      for (const auto& text : printed_) std::fprintf(stderr, "  = %s\n", text.c_str());
      if (!detail_.empty()) std::fprintf(stderr, "  (%s)\n", detail_.c_str());
    }
    printed_.clear();
    detail_.clear();
  }

  std::string where() const { return path_ + ":" + std::to_string(command_line_) + ": "; }

  std::string scratch_;
  std::string path_;
  std::unique_ptr<Scenario> scenario_;
  Words printed_;
  std::string detail_;
  int number_ = 0;
  int command_line_ = 0;
  int scenarios_ = 0;
  int commands_ = 0;
  int wrong_ = 0;
};

}  // namespace
}  // namespace conformance

int main(int count, char** arguments) {
  using namespace conformance;
  const Words words(arguments + 1, arguments + count);
  try {
    if (words.size() == 2 && words[0] == "write") return write_matrix(words[1]);
    if (words.size() == 2 && words[0] == "read") return read_matrix(words[1]);
    if (words.size() == 2 && words[0] == "write-trees") return write_trees(words[1]);
    if (words.size() == 2 && words[0] == "read-trees") return read_trees(words[1]);
    if (words.size() == 3 && words[0] == "copy-trees") return copy_trees(words[1], words[2]);
    if (words.size() < 3 || words[0] != "run") throw Misuse("usage: runner run SCRATCH FILE... | write DIR | read DIR");
    Run run(words[1]);
    for (std::size_t i = 2; i < words.size(); ++i) run.file(words[i]);
    return run.report() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
