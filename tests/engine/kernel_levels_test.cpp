// Every instruction level gives the same bits: each kernel alone, and a complete step of a transformer.
#include <gtest/gtest.h>

#include <bit>
#include <iostream>
#include <set>

#include "engine/kernel_levels.h"
#include "engine/optimizer.h"
#include "kernel_calls.h"
#include "models.h"

namespace ckpt::engine::test {
namespace {

// Restores the previous level.
class KernelLevels : public testing::Test {
 protected:
  ~KernelLevels() override { set_kernel_level(before_); }

 private:
  KernelLevel before_ = kernel_level();
};

const char* name_of(KernelLevel level) {
  switch (level) {
    case KernelLevel::baseline: return "baseline";
    case KernelLevel::avx2: return "avx2";
    case KernelLevel::avx512: return "avx512";
  }
  return "no level";
}

// Returns the levels above the baseline that this processor supports.
std::vector<KernelLevel> wider_levels() {
  std::vector<KernelLevel> levels;
  for (const KernelLevel level : {KernelLevel::avx2, KernelLevel::avx512}) {
    if (level <= widest_kernel_level()) {
      levels.push_back(level);
    } else {
      std::cout << "SKIP: " << name_of(level) << ": not supported by this processor\n";
    }
  }
  return levels;
}

template <class T>
std::vector<KernelCall> calls_on(KernelLevel level, std::int64_t count, Numbers numbers) {
  set_kernel_level(level);
  std::vector<KernelCall> calls = kernel_calls<T>(count, numbers);
  for (const KernelCall& call : calls)
    EXPECT_TRUE(call.within) << call.kernel << " writes beyond its " << count << " elements on " << name_of(level);
  return calls;
}

template <class T>
void check_kernels() {
  for (const std::int64_t count : kernel_counts) {
    for (const Numbers numbers : {Numbers::mild, Numbers::wild}) {
      const std::vector<KernelCall> expected = calls_on<T>(KernelLevel::baseline, count, numbers);
      for (const KernelLevel level : wider_levels()) {
        const std::vector<KernelCall> calls = calls_on<T>(level, count, numbers);
        ASSERT_EQ(calls.size(), expected.size());
        for (std::size_t i = 0; i < calls.size(); ++i) {
          EXPECT_TRUE(calls[i].written == expected[i].written)
              << calls[i].kernel << " of " << count << (numbers == Numbers::mild ? " mild" : " wild") << " numbers, call " << i
              << ", on " << name_of(level);
        }
      }
    }
  }
}

TEST_F(KernelLevels, KernelsOfFloatsHaveTheSameBits) { check_kernels<float>(); }

TEST_F(KernelLevels, KernelsOfDoublesHaveTheSameBits) { check_kernels<double>(); }

// Without this, the comparison above would prove little: the output of kernels depends on their input.
TEST_F(KernelLevels, DifferentNumbersGiveDifferentBits) {
  const std::vector<KernelCall> mild = kernel_calls<float>(128, Numbers::mild);
  const std::vector<KernelCall> wild = kernel_calls<float>(128, Numbers::wild);
  ASSERT_EQ(mild.size(), wild.size());
  std::set<std::string> alike;
  std::set<std::string> different;
  for (std::size_t i = 0; i < mild.size(); ++i) {
    ASSERT_EQ(mild[i].kernel, wild[i].kernel);
    (mild[i].written == wild[i].written ? alike : different).insert(mild[i].kernel);
  }
  for (const std::string& kernel : different) alike.erase(kernel);
  EXPECT_EQ(alike, (std::set<std::string>{"all_finite", "pack_mask", "random_words"}));
  EXPECT_GE(different.size(), 25U);
}

TEST_F(KernelLevels, AGuardDetectsWritesOutsideItsElements) {
  for (const std::int64_t beside : {-1, 3, 4, 11}) {
    Guarded<float> rows(2, 3, 8, 1);
    rows.data()[2] = 1;
    rows.data()[8] = 1;
    KernelCall call;
    rows.append_to(call);
    EXPECT_TRUE(call.within);
    EXPECT_EQ(call.written.size(), 2 * 3 * sizeof(float));
    rows.data()[beside] = 0;
    rows.append_to(call);
    EXPECT_FALSE(call.within) << beside;
  }
}

TEST_F(KernelLevels, RefusesAnUnsupportedLevel) {
  for (const KernelLevel level : {KernelLevel::baseline, KernelLevel::avx2, KernelLevel::avx512}) {
    if (level > widest_kernel_level()) continue;
    set_kernel_level(level);
    EXPECT_EQ(kernel_level(), level);
  }
  const auto widest = static_cast<std::int32_t>(widest_kernel_level());
  const KernelLevel before = kernel_level();
  for (const std::int32_t number :
       {-1, widest + 1, 3, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    const base::Error error = thrown_by([&] { set_kernel_level(static_cast<KernelLevel>(number)); });
    EXPECT_EQ(error.status(), base::Status::unsupported) << number;
    EXPECT_TRUE(contains(error, "level is " + std::to_string(number) + ";")) << error.message();
    EXPECT_EQ(kernel_level(), before) << number;
  }
}

struct Trained {
  double loss = 0;
  std::vector<std::byte> gradients;
  std::vector<std::byte> values;  // after an update
};

Trained trained_on(KernelLevel level, Dtype dtype) {
  set_kernel_level(level);
  const Model model = transformer(dtype, 3, 19, 24, 4, 2, 0.1);
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)), 2);
  Trained trained;
  trained.loss = executor->run(step_of(model));
  trained.gradients = gradients_of(*model.chain);
  make_adamw(model.chain, {})->step();
  trained.values = values_of(*model.chain);
  return trained;
}

TEST_F(KernelLevels, AStepOfATransformerHasTheSameBits) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Trained expected = trained_on(KernelLevel::baseline, dtype);
    EXPECT_TRUE(std::isfinite(expected.loss));
    EXPECT_FALSE(expected.gradients == expected.values);
    for (const KernelLevel level : wider_levels()) {
      const Trained trained = trained_on(level, dtype);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(trained.loss), std::bit_cast<std::uint64_t>(expected.loss)) << name_of(level);
      EXPECT_TRUE(trained.gradients == expected.gradients) << name_of(level);
      EXPECT_TRUE(trained.values == expected.values) << name_of(level);
    }
  }
}

}  // namespace
}  // namespace ckpt::engine::test
