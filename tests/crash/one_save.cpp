// Runs one save into a new root, and writes the requested storage operations into a file: strace.sh compares them with the system
// calls.   one_save ROOT OPERATIONS
#include <cstdio>
#include <fstream>

#include "base/error.h"
#include "recorder.h"
#include "scenario.h"
#include "storage/file_system.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  using namespace ckpt;
  try {
    const auto recorder = std::make_shared<tests::Recorder>();
    const auto disk = storage::open_file_system(argv[1], storage::Root::make);
    state::Checkpoint checkpoint(std::make_shared<tests::RecordingStorage>(disk, recorder), {false, 1});
    tests::NumberedState saved({2, false});
    for (int step = 1; step <= 2; ++step) {  // the second one removes the first
      saved.fill(step);
      state::SaveOptions options;
      options.step = step;
      checkpoint.save(saved.state, options);
    }
    std::ofstream file(argv[2]);
    for (const tests::Operation& operation : recorder->log) file << tests::to_text(operation) << '\n';
    return file ? 0 : 1;
  } catch (const base::Error& error) {
    std::fprintf(stderr, "one_save: %s\n", error.message().c_str());
    return 1;
  }
}
