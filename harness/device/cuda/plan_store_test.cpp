// Plans in files: what is found is what was kept, and nothing else is ever given to a library.
#include "harness/device/cuda/plan_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace assay {
namespace {

namespace fs = std::filesystem;

struct PlanStoreTest : testing::Test {
  PlanStoreTest() {
    std::string pattern = testing::TempDir() + "assay-plans-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~PlanStoreTest() override { fs::remove_all(folder); }

  std::string folder;
};

const PlanBytes kPlan = {0, '\n', 255, 'p', 'l', 'a', 'n', 0};

// A library whose plans are made in steps that are counted.
struct ImitatedPlan : StoredPlan {
  std::string key() const override { return of; }
  std::optional<Error> make() override {
    ++made;
    if (refuses) return Error{"no engine", ""};
    return std::nullopt;
  }
  std::optional<PlanBytes> bytes() const override {
    if (!has_bytes) return std::nullopt;
    return kPlan;
  }
  bool take(const PlanBytes& plan) override {
    ++taken;
    return takes && plan == kPlan;
  }

  std::string of = "attention B=1 H=8, cuDNN 9.19, H100";
  bool refuses = false, has_bytes = true, takes = true;
  int made = 0, taken = 0;
};

TEST_F(PlanStoreTest, FindsWhatWasKeptUnderTheSameKeyOnly) {
  const PlanStore store(folder + "/below");  // which it makes
  EXPECT_FALSE(store.find("a"));
  ASSERT_TRUE(store.keep("a", kPlan));
  EXPECT_EQ(store.find("a"), kPlan);
  EXPECT_FALSE(store.find("b"));
  fs::rename(store.path_of("a"), store.path_of("b"));
  EXPECT_FALSE(store.find("b")) << "a file of another key, as after a collision of hashes";
  ASSERT_TRUE(store.keep("empty", {}));
  EXPECT_EQ(store.find("empty"), PlanBytes());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder + "/below"), {}), 2) << "nothing half written is left";
}

TEST_F(PlanStoreTest, ADamagedFileIsNone) {
  const PlanStore store(folder);
  ASSERT_TRUE(store.keep("key", kPlan));
  std::ifstream file(store.path_of("key"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const auto is_found = [&](const std::string& text) {
    std::ofstream(store.path_of("key"), std::ios::binary) << text;
    return store.find("key").has_value();
  };
  ASSERT_TRUE(is_found(whole));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(is_found(changed)) << "byte " << i << " changed";
    EXPECT_FALSE(is_found(whole.substr(0, i))) << "cut off after " << i << " bytes";
  }
  EXPECT_FALSE(is_found(whole + "x"));
  EXPECT_FALSE(is_found("\n"));
}

TEST_F(PlanStoreTest, TheSecondProcessDoesNotPlan) {
  const PlanStore store(folder);
  ImitatedPlan first, second, other;
  other.of = "attention B=1 H=8, cuDNN 9.20, H100";
  for (ImitatedPlan* plan : {&first, &second, &other}) EXPECT_FALSE(take_or_make(*plan, &store));
  EXPECT_EQ(first.made, 1);
  EXPECT_EQ(second.made, 0);
  EXPECT_EQ(second.taken, 1);
  EXPECT_EQ(other.made, 1) << "another version's plan is no plan";
  EXPECT_EQ(other.taken, 0);
}

TEST_F(PlanStoreTest, WhatTheLibraryDoesNotTakeIsMadeAnew) {
  const PlanStore store(folder);
  ImitatedPlan plan;
  store.keep(plan.of, {'o', 'l', 'd'});
  EXPECT_FALSE(take_or_make(plan, &store));
  EXPECT_EQ(plan.taken, 1);
  EXPECT_EQ(plan.made, 1);
  EXPECT_EQ(store.find(plan.of), kPlan) << "and kept";
}

TEST_F(PlanStoreTest, WithoutAStoreOrAFormEveryProcessPlans) {
  const PlanStore store(folder), nowhere("/dev/null/plans");
  ImitatedPlan alone, formless, unkept;
  formless.has_bytes = false;
  EXPECT_FALSE(take_or_make(alone, nullptr));
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(take_or_make(formless, &store));
    EXPECT_FALSE(take_or_make(unkept, &nowhere));
  }
  EXPECT_EQ(alone.made, 1);
  EXPECT_EQ(formless.made, 2);
  EXPECT_EQ(unkept.made, 2);
}

TEST_F(PlanStoreTest, ARefusalIsTheLibrarysAndNotKept) {
  const PlanStore store(folder);
  ImitatedPlan plan;
  plan.refuses = true;
  const auto error = take_or_make(plan, &store);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->what, "no engine");
  EXPECT_FALSE(store.find(plan.of));
}

TEST_F(PlanStoreTest, IsThatOfTheEnvironment) {
  setenv(kPlanFolder, folder.c_str(), 1);
  EXPECT_EQ(PlanStore::of_environment()->path_of("x"), PlanStore(folder).path_of("x"));
  setenv(kPlanFolder, kNoPlans, 1);
  EXPECT_FALSE(PlanStore::of_environment());
  unsetenv(kPlanFolder);
  EXPECT_FALSE(PlanStore::of_environment());
}

}  // namespace
}  // namespace assay
