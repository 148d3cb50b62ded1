// Workers: rows come back whatever the kernel does to its process, and limits and Ctrl-C hold.
#include "harness/search/worker_pool.h"

#include <gmock/gmock.h>

#include "harness/base/command.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"

namespace assay {
namespace {

PoolOptions options(int jobs) { return {.program = ASSAY_BUILD_DIR "/assay_selftest", .jobs = jobs}; }

std::vector<Task> some_tasks(int64_t count) {
  const Variant& variant = *variants().front();
  std::vector<Task> tasks;
  for (int64_t i = 0; i < count; ++i)
    tasks.push_back({generate_case(*find_op(variant.op), variant, DType::f32, 1, i, {500}), variant.device});
  return tasks;
}

WorkerPool::Next each(const std::vector<Task>& tasks) {
  return [&tasks, next = size_t{0}]() mutable -> std::optional<WorkerPool::Numbered> {
    if (next == tasks.size()) return std::nullopt;
    return WorkerPool::Numbered{next, tasks[next++]};
  };
}

TEST(WorkerPool, RunsEveryCaseOnce) {
  const auto tasks = some_tasks(40);
  WorkerPool pool(options(3));
  std::vector<int> seen(tasks.size());
  pool.run(each(tasks), [&](size_t index, ResultRow row) {
    ++seen[index];
    EXPECT_EQ(row.line(), print(tasks[index].c));
    EXPECT_EQ(row.verdict, Kind::pass) << row.detail;
    EXPECT_GT(row.figures["seconds"], 0);
  });
  EXPECT_THAT(seen, testing::Each(1));
}

// Before the kernel runs the time would be the harness's.
TEST(WorkerPool, AKernelOverItsLimitIsATimeoutAndThePoolGoesOn) {
  const auto tasks = some_tasks(3);
  const Task endless = {
      *parse_case("softmax_forward/loop_never_ends f32 rows=1 cols=70 fill=normal seed=1 block=32 schedule=0"), "cpu"};
  WorkerPool pool(options(1));
  const auto row = pool.run_one(endless, std::chrono::seconds(2));
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->verdict, Kind::timeout);
  EXPECT_THAT(row->detail, testing::HasSubstr("not done after"));
  EXPECT_EQ(pool.run_one(tasks[1], std::chrono::seconds(20))->verdict, Kind::pass);
}

TEST(WorkerPool, AKernelThatGoesFromBlockToBlockHangsNowhere) {
  const Task long_one = {*parse_case("softmax_forward/block_per_row f32 rows=400000 cols=1 causal=0 scale=1 heads=1 "
                                     "fill=normal seed=1 block=128 schedule=0"),
                         kCheckedDevice};
  const auto row = WorkerPool(options(1)).run_one(long_one, std::chrono::seconds(2));
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->verdict, Kind::skipped);
  EXPECT_THAT(row->detail, testing::HasSubstr("one block after the other is done: in kernel softmax_forward"));
}

TEST(WorkerPool, ADyingWorkerIsTheHarnesssCrashAndThePoolGoesOn) {
  PoolOptions broken = options(1);
  broken.program = "/bin/false";
  WorkerPool pool(broken);
  const auto row = pool.run_one(some_tasks(1)[0], std::chrono::seconds(5));
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->verdict, Kind::judge_crash);
  EXPECT_THAT(row->detail, testing::HasSubstr("exited with status 1"));
}

// Also when the program is killed: then the worker's input ends.
TEST(Worker, EndsItsCaseWhenNobodyWaitsForIt) {
  const auto start = Process::Clock::now();
  const auto ran = run_process(
      {.words = {ASSAY_BUILD_DIR "/assay_selftest", "worker"}},
      {.input = "100 cpu softmax_forward/loop_never_ends f32 rows=1 cols=70 fill=normal seed=1 block=32\n"});
  ASSERT_TRUE(ran.has_value());
  EXPECT_EQ(ran->output, "");
  EXPECT_TRUE(ran->end.ok()) << ran->end.text() << ran->errors;
  EXPECT_LT(Process::Clock::now() - start, std::chrono::seconds(50));
}

TEST(WorkerPool, StopsSoonAfterCtrlC) {
  const auto tasks = some_tasks(30);
  WorkerPool pool(options(2));
  std::atomic<bool> stop{false};
  size_t done = 0;
  pool.run(
      each(tasks), [&](size_t, const ResultRow&) { stop = ++done >= 5; }, &stop);
  EXPECT_GE(done, 5u);
  EXPECT_LT(done, 10u);
}

}  // namespace
}  // namespace assay
