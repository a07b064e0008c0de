// Readers of the storage that the trainer writes to: they list, verify, load and export the newest checkpoint, which retention may
// remove at the same time.
#include <algorithm>

#include "model.h"
#include "soak.h"

namespace soak {
namespace {

// Runs body(name) for the newest checkpoint. Ignores an error if retention has removed that checkpoint.
template <class Body>
void with_newest(const ckpt::CheckpointManager& checkpoints, Body&& body) {
  const std::optional<ckpt::CheckpointInfo> newest = checkpoints.latest();
  if (!newest) return;
  try {
    body(newest->name);
  } catch (const ckpt::Error&) {
    const std::vector<ckpt::CheckpointInfo> all = checkpoints.list();
    if (std::any_of(all.begin(), all.end(), [&](const ckpt::CheckpointInfo& info) { return info.name == newest->name; })) throw;
  }
}

class Reader {
 public:
  Reader(Soak& soak, const std::string& directory, const Ledger& ledger)
      : soak_(soak),
        ledger_(ledger),
        checkpoints_(ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(directory))),
        background_(checkpoints_) {}

  void run() {
    for (std::int64_t round = 0; !soak_.stopping(); ++round) {
      const auto began = Clock::now();
      switch (round % 4) {
        case 0: verify(); break;
        case 1: load({}); break;
        case 2: load_in_place(); break;
        default: load_in_background(); break;
      }
      soak_.pause(Clock::now() - began + std::chrono::milliseconds(1));
    }
    background_.close();
  }

 private:
  void verify() {
    with_newest(checkpoints_, [&](const std::string& name) {
      checkpoints_.verify(name);
      soak_.count(Count::verifications);
    });
  }
  void load(const ckpt::LoadOptions& options) {
    const std::int64_t acknowledged = ledger_.newest_acknowledged();
    if (const auto loaded = checkpoints_.load_if_any(model_.state(), options)) {
      compare(*loaded, acknowledged);
    } else {
      soak_.require(acknowledged < 0, "no checkpoint was found when step " + std::to_string(acknowledged) + " was acknowledged");
    }
  }
  void load_in_place() {
    with_newest(checkpoints_, [&](const std::string& name) {
      ckpt::LoadOptions options;
      options.name = name;
      options.in_place = true;
      const std::int64_t acknowledged = -1;  // a newer one may be acknowledged since name was listed
      compare(checkpoints_.load(model_.state(), options), acknowledged);
    });
  }
  // Not before the first acknowledged save: the library logs a failed load as an error.
  void load_in_background() {
    const std::int64_t acknowledged = ledger_.newest_acknowledged();
    if (acknowledged < 0) return;
    const std::int64_t id = background_.load(model_.state());
    const ckpt::CheckpointTaskResult result = background_.wait(id);
    if (!ckpt::succeeded(result)) throw std::runtime_error("a load in the background failed: " + result.error);
    compare(background_.load_result(id), acknowledged);
  }

  void compare(const ckpt::LoadResult& loaded, std::int64_t acknowledged) {
    const std::uint64_t digest = model_.digest();
    const std::optional<std::uint64_t> saved = ledger_.find(loaded.step);
    soak_.require(saved == digest && model_.described_digest() == std::to_string(digest),
                  loaded.name + " does not hold the bits that were saved, for a reader");
    soak_.require(loaded.skipped == 0, "a reader skipped a newer checkpoint than " + loaded.name);
    soak_.require(loaded.step >= acknowledged, "step " + std::to_string(loaded.step) + " was loaded when step " +
                                                   std::to_string(acknowledged) + " was acknowledged");
    soak_.count(Count::reader_loads);
  }

  Soak& soak_;
  const Ledger& ledger_;
  ckpt::CheckpointManager checkpoints_;
  Model model_{6};
  ckpt::AsyncManager background_;
};

void export_once(Soak& soak, ckpt::CheckpointManager& checkpoints, const Ledger& ledger, Model& model, const std::string& path) {
  const auto loaded = checkpoints.load_if_any(model.state());
  if (!loaded) return;
  const std::string step = std::to_string(loaded->step);
  soak.require(ledger.find(loaded->step) == model.digest(),
               loaded->name + " does not hold the bits that were saved, for the export");
  ckpt::write_safetensors(path, model.state(), "model", R"({"step":")" + step + R"("})");
  ckpt::Reader file(path);
  soak.require(file.metadata().size() == 1 && file.metadata().front().second == step, "the exported file has other metadata");
  const std::vector<ckpt::Parameter> parameters = model.chain().parameters();
  soak.require(file.tensor_count() == static_cast<std::int64_t>(parameters.size()), "the exported file has other tensors");
  for (const ckpt::Parameter& each : parameters) {
    soak.require(file.read(file.find(each.name)).bit_equal(each.value), "the exported file has other bits in " + each.name);
  }
  soak.count(Count::exports);
}

}  // namespace

void read_newest(Soak& soak, const std::string& directory, const Ledger& ledger) { Reader(soak, directory, ledger).run(); }

void export_newest(Soak& soak, const std::string& directory, const Ledger& ledger, const std::string& path) {
  auto checkpoints = ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(directory));
  Model model(7);
  while (!soak.stopping()) {
    export_once(soak, checkpoints, ledger, model, path);
    soak.pause(std::chrono::milliseconds(200));
  }
}

}  // namespace soak
