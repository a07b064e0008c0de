// The settings that a resumed training run must share with the previous one, including one of a version without models; and how a
// text is split into batches.
#include "identity.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ckpt::cli {
namespace {

using nlohmann::json;

TrainOptions options_of(const std::string& model) {
  TrainOptions options;
  options.model.name = model;
  options.model.batch = 4;
  return options;
}

json identity(const TrainOptions& options) { return identity_of(options, TextData("", reading_of(options.model))); }

std::string refusal(const json& saved, const json& now) {
  try {
    require_same_run(saved, now);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// As written by versions before the models.
json former() {
  json saved = identity(options_of("mlp"));
  for (const char* key : {"model", "rate_kind", "warm_up"}) saved.erase(key);
  return saved;
}

TEST(Identity, OfAVersionWithoutModelsIsAnMlp) {
  EXPECT_EQ(refusal(former(), identity(options_of("mlp"))), "");
  json older = former();
  older.erase("micro_batches");
  EXPECT_EQ(refusal(older, identity(options_of("mlp"))), "");
  EXPECT_EQ(refusal(former(), identity(options_of("transformer"))).find("the checkpoint has model \"mlp\", this run has"), 0U);
  EXPECT_THROW(transformer_of(former()), std::runtime_error);
}

TEST(Identity, NamesTheModelFirst) {
  TrainOptions other = options_of("mlp");
  other.model.batch = 8;
  other.seed = 2;
  EXPECT_NE(refusal(identity(options_of("transformer")), identity(other)).find("has model \"transformer\""), std::string::npos);
  TrainOptions wider = options_of("transformer");
  wider.model.width = 256;
  EXPECT_NE(refusal(identity(options_of("transformer")), identity(wider)).find("has width 128, this run has 256"),
            std::string::npos);
}

TEST(Identity, IncludesTheStepsOfADecayingRate) {
  TrainOptions options = options_of("transformer");
  const json constant = identity(options);
  options.steps *= 2;
  EXPECT_EQ(refusal(constant, identity(options)), "");
  options.rate_kind = "linear";
  const json linear = identity(options);
  EXPECT_NE(refusal(constant, linear).find("rate_kind"), std::string::npos);
  EXPECT_NE(refusal(linear, constant).find("rate_kind"), std::string::npos);
  options.steps += 1;
  EXPECT_NE(refusal(linear, identity(options)).find("rate_steps"), std::string::npos);
}

TEST(Identity, IncludesTheSizesOfATransformer) {
  TrainOptions options = options_of("transformer");
  options.model.blocks = 3;
  options.model.width = 48;
  options.model.heads = 6;
  options.model.context = 40;
  const ModelOptions model = transformer_of(identity(options));
  EXPECT_EQ(model_json(model), model_json(options.model));
  EXPECT_EQ(model_text(model_json(model)), "transformer, 3 blocks, width 48, 6 heads, context 40");
  EXPECT_EQ(model.batch, 1);
}

// ---- Batches ----

TEST(Batches, EveryByteIsFollowedByTheNext) {
  const Reading reading{3, 32, true};
  const TextData data("", reading);
  std::vector<std::uint8_t> tokens(96);
  std::vector<std::uint8_t> targets(96);
  for (std::int64_t position : {std::int64_t{0}, data.next_position(0)}) {
    data.batch(position, tokens.data(), targets.data());
    for (std::size_t i = 0; i < 96; ++i) {
      if (i % 32 != 31) {
        EXPECT_EQ(targets[i], tokens[i + 1]);
      }
    }
  }
  EXPECT_EQ(data.next_position(0), 32);
}

TEST(Batches, HeldOutTextFollowsTheTrainingText) {
  const Reading reading{2, 64, true};
  const TextData data("", reading);
  EXPECT_EQ(data.held_out_bytes(), data.bytes() / 16);
  EXPECT_EQ(data.held_out_batches(), (data.bytes() / 16 - 1) / 128);
  // The same bytes as those of a reader of the whole text at that position.
  const TextData all("", Reading{1, 64, false});
  std::vector<std::uint8_t> tokens(128);
  std::vector<std::uint8_t> targets(128);
  std::vector<std::uint8_t> wanted(64);
  std::uint8_t behind = 0;
  for (const std::int64_t batch : {std::int64_t{0}, data.held_out_batches() - 1}) {
    data.held_out_batch(batch, tokens.data(), targets.data());
    for (std::int64_t sample = 0; sample < 2; ++sample) {
      all.batch(data.bytes() - data.held_out_bytes() + (batch * 2 + sample) * 64, wanted.data(), &behind);
      EXPECT_EQ(std::vector<std::uint8_t>(tokens.begin() + sample * 64, tokens.begin() + (sample + 1) * 64), wanted);
      EXPECT_EQ(targets[static_cast<std::size_t>(sample * 64 + 63)], behind);
    }
  }
}

TEST(Batches, TheMlpHasOneTargetOneByteLater) {
  const Reading reading{2, 16, false};
  const TextData data("", reading);
  EXPECT_EQ(data.held_out_bytes(), 0);
  EXPECT_EQ(data.held_out_batches(), 0);
  const std::int64_t places = (data.bytes() - 16) / 2;
  EXPECT_EQ(data.next_position(0), 1);
  EXPECT_EQ(data.next_position(places - 1), 0);
  std::vector<std::uint8_t> tokens(32);
  std::vector<std::uint8_t> targets(2);
  data.batch(5, tokens.data(), targets.data());
  std::vector<std::uint8_t> next(32);
  std::vector<std::uint8_t> ignored(2);
  data.batch(6, next.data(), ignored.data());
  for (std::size_t sample = 0; sample < 2; ++sample) EXPECT_EQ(targets[sample], next[sample * 16 + 15]);
}

TEST(Batches, TheEntropyIsThatOfTheBytes) {
  const TextData data("", Reading{1, 16, true});
  EXPECT_GT(data.unigram_entropy(), 2);
  EXPECT_LT(data.unigram_entropy(), 3.5);  // far below log(256) = 5.5, as for text
}

}  // namespace
}  // namespace ckpt::cli
