// The plan: which devices run how many cases.
#include "harness/search/plan.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "harness/device/device.h"
#include "harness/op/huge.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"

namespace assay {
namespace {

std::vector<Task> tasks_of(Plan plan) {
  const int64_t size_max = plan.size();
  std::vector<Task> tasks;
  while (auto task = plan.next()) tasks.push_back(std::move(*task));
  EXPECT_EQ(plan.size(), static_cast<int64_t>(tasks.size()));
  EXPECT_LE(plan.size(), size_max);
  return tasks;
}

std::map<std::string, int> tasks_by_device(const SuiteCounts& counts, const PlanOptions& options) {
  Suite suite;
  suite.counts = counts;
  const auto plan = make_plan(suite, options);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().line());
  std::map<std::string, int> tasks;
  std::set<std::string> devices;
  for (const Task& task : tasks_of(*plan)) {
    ++tasks[task.device];
    devices.insert(task.device);
  }
  EXPECT_EQ(plan->devices(), devices);
  return tasks;
}

// The cases are of one variant, for each of its three dtypes.
std::vector<std::string> one_variant() { return {variants().front()->op + "/" + variants().front()->name}; }

TEST(Plan, RunsSomeCasesInTheCheckedBuildToo) {
  const SuiteCounts counts{.cases = 5, .checked = 2};
  EXPECT_THAT(tasks_by_device(counts, {.select = one_variant()}),
              testing::ElementsAre(testing::Pair("cpu", 15), testing::Pair(kCheckedDevice, 6)));
  EXPECT_THAT(tasks_by_device(counts, {.select = one_variant(), .cases = 1}),
              testing::ElementsAre(testing::Pair("cpu", 3), testing::Pair(kCheckedDevice, 3)));
}

TEST(Plan, RunsEverythingOnTheDeviceThatWasAskedFor) {
  const SuiteCounts counts{.cases = 5, .checked = 2};
  for (const std::string device : {"cpu", kCheckedDevice})
    EXPECT_THAT(tasks_by_device(counts, {.select = one_variant(), .device = device}),
                testing::ElementsAre(testing::Pair(device, 15)));
}

TEST(Plan, HasHugeCasesAfterTheOthersOrAlone) {
  Suite suite;
  suite.counts = {.cases = 2, .checked = 0};
  const std::string variant = "softmax_forward/block_per_row";
  const auto is_huge_case = [](const Task& task) { return is_huge(*find_op(task.c.op), task.c); };
  const auto tasks_with = [&](HugeCases huge) {
    return tasks_of(make_plan(suite, {.select = {variant}, .huge = huge}).value());
  };
  EXPECT_THAT(tasks_with(HugeCases::of_suite), testing::Not(testing::Contains(testing::ResultOf(is_huge_case, true))));
  const std::vector<Task> added = tasks_with(HugeCases::added), alone = tasks_with(HugeCases::alone);
  ASSERT_EQ(added.size(), 9u) << "two and a huge one of each dtype";
  EXPECT_TRUE(std::all_of(added.begin() + 6, added.end(), is_huge_case));
  EXPECT_TRUE(std::none_of(added.begin(), added.begin() + 6, is_huge_case));
  EXPECT_EQ(alone.size(), 3u);
  suite.huge = true;
  EXPECT_EQ(tasks_with(HugeCases::of_suite).size(), 7u) << "one of the op";
}

TEST(Plan, ByTurnsEachHasHadTheSamePartOfItsCases) {
  Suite suite;
  suite.counts = {.cases = 9, .checked = 3};
  suite.pinned.push_back(
      print(generate_case(*find_op(variants().front()->op), *variants().front(), DType::f32, 1, 0, {})));
  const auto in_order = make_plan(suite, {.select = {"*"}}),
             by_turns = make_plan(suite, {.select = {"*"}, .by_turns = true});
  ASSERT_TRUE(in_order && by_turns);
  const std::vector<Task> turns = tasks_of(*by_turns);
  std::multiset<std::string> of_in_order, of_by_turns;
  std::map<std::string, std::vector<size_t>> places;  // of a stream's cases
  for (const Task& task : tasks_of(*in_order)) of_in_order.insert(stream_of(task) + print(task.c));
  for (size_t i = 0; i < turns.size(); ++i) {
    of_by_turns.insert(stream_of(turns[i]) + print(turns[i].c));
    if (i > 0) places[stream_of(turns[i])].push_back(i - 1);
  }
  EXPECT_EQ(of_in_order, of_by_turns);
  EXPECT_EQ(print(turns.front().c), suite.pinned.front());
  const size_t random_cases = turns.size() - 1;
  for (const auto& [stream, at] : places) {
    EXPECT_LT(at.front(), places.size()) << stream;
    EXPECT_GE(at.back(), random_cases / 2) << stream;
  }
}

// A kernel that crashes on every shape with elements must not pass because the shapes that came first had none.
TEST(Plan, BeginsWithCasesThatHaveWork) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Suite suite;
    suite.counts = {.cases = 40};
    auto few = make_plan(suite, {.select = {"softmax_forward"}, .cases = 2, .seed = seed});
    auto many = make_plan(suite, {.select = {"softmax_forward"}, .seed = seed});
    ASSERT_TRUE(few && many);
    const auto few_tasks = tasks_of(*few), many_tasks = tasks_of(*many);
    const auto has_work = [](const Task& task) { return task.c.dim("rows") * task.c.dim("cols") > 0; };
    EXPECT_TRUE(std::all_of(few_tasks.begin(), few_tasks.end(), has_work)) << seed;
    EXPECT_FALSE(std::all_of(many_tasks.begin(), many_tasks.end(), has_work)) << "empty shapes come later";
  }
}

// Those of a plan of any size are the same, and only they are made.
TEST(Plan, MakesCasesAsTheyAreAskedFor) {
  auto few = make_plan({}, {.select = one_variant(), .cases = 20});
  auto many = make_plan({}, {.select = one_variant(), .cases = kCasesMax, .by_turns = true});
  ASSERT_TRUE(few && many);
  EXPECT_EQ(many->size(), 3 * kCasesMax);
  std::set<std::string> made;
  for (int i = 0; i < 60; ++i) made.insert(print(many->next()->c));
  for (const Task& task : tasks_of(*few)) EXPECT_TRUE(made.count(print(task.c))) << print(task.c);
}

TEST(Plan, ADeviceWithoutVariantsIsSaid) {
  const auto plan = make_plan({}, {.select = {"*"}, .device = "gpu"});
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().line(), "'*' selects no variant for device gpu; this program has none for it");
}

TEST(Plan, ASuiteForBenchesHasNothingToCheck) {
  Suite suite;
  suite.name = "some";
  suite.bench.push_back({});
  const auto plan = make_plan(suite, {});
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().line(), testing::HasSubstr("assay bench --suite some"));
  suite.pinned.push_back(
      print(generate_case(*find_op(variants().front()->op), *variants().front(), DType::f32, 1, 0, {})));
  EXPECT_TRUE(make_plan(suite, {.select = one_variant(), .cases = 0}).has_value());
}

TEST(Plan, ShardsAreItsCasesByTurns) {
  Suite suite;
  suite.counts = {.cases = 7, .checked = 3};
  for (const bool by_turns : {false, true}) {
    const auto plan_of = [&](Shard shard) {
      auto plan = make_plan(suite, {.select = one_variant(), .shard = shard, .by_turns = by_turns});
      EXPECT_TRUE(plan) << plan.error().line();
      return *std::move(plan);
    };
    const Plan whole_plan = plan_of({});
    const std::vector<Task> whole = tasks_of(plan_of({}));
    std::map<int64_t, std::string> merged;
    for (int64_t number = 1; number <= 4; ++number) {
      Plan plan = plan_of({number, 4});
      EXPECT_EQ(plan.digest(), whole_plan.digest());
      const int64_t size = plan.size();
      int64_t tasks = 0;
      for (; const auto task = plan.next(); ++tasks)
        EXPECT_TRUE(merged.emplace(plan.place(), print(*task)).second) << "in two shards";
      EXPECT_EQ(size, tasks);
    }
    ASSERT_EQ(merged.size(), whole.size());
    for (const auto& [place, task] : merged) EXPECT_EQ(task, print(whole[static_cast<size_t>(place)]));
  }
}

TEST(Plan, ItsDigestIsOfAllThatDecidesItsCases) {
  Suite suite;
  suite.counts = {.cases = 2, .checked = 1};
  const auto digest = [&](const PlanOptions& options) { return make_plan(suite, options)->digest(); };
  const std::string as_it_is = digest({.select = one_variant()});
  EXPECT_EQ(digest({.select = one_variant()}), as_it_is);
  EXPECT_NE(digest({.select = one_variant(), .seed = 2}), as_it_is);
  EXPECT_NE(digest({.select = one_variant(), .cases = 3}), as_it_is);
  EXPECT_NE(digest({.select = one_variant(), .by_turns = true}), as_it_is);
  EXPECT_NE(digest({.select = one_variant(), .part = PlanPart::first}), as_it_is);
  suite.counts.elements_max /= 2;
  EXPECT_NE(digest({.select = one_variant()}), as_it_is);
}

TEST(Plan, HasTheFirstOrTheCheckedPartAlone) {
  const SuiteCounts counts{.cases = 5, .checked = 2};
  EXPECT_THAT(tasks_by_device(counts, {.select = one_variant(), .part = PlanPart::first}),
              testing::ElementsAre(testing::Pair("cpu", 15)));
  EXPECT_THAT(tasks_by_device(counts, {.select = one_variant(), .part = PlanPart::checked}),
              testing::ElementsAre(testing::Pair(kCheckedDevice, 6)));
}

}  // namespace
}  // namespace assay
