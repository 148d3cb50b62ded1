// A writer that is killed, at whatever moment, leaves each run in the history as a whole or not at all.
//
// ASSAY_KILLS=200 asks for that many kills instead of the few that every run of the tests makes.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "harness/base/process.h"
#include "harness/base/rng.h"
#include "harness/compare/test_runs.h"
#include "harness/history/history.h"
#include "harness/selftest/run_program.h"

namespace assay::history {
namespace {

constexpr int kRows = 400;

// Large enough that writing it takes longer than opening the file.
comparison::Measured large_run(uint64_t number) {
  comparison::Measured run = comparison::test_run(number);
  run.info.started = fmt::format("2026-01-01T12:00:{:02}Z", number % 60);
  for (int row = 0; row < kRows; ++row)
    comparison::set_exact(comparison::add_subject(run, "rows=" + std::to_string(row)), "sectors_per_request",
                          static_cast<double>(number));
  return run;
}

int add_to(const std::string& path, uint64_t number) {
  const auto history = History::open(path, false);
  return history && history->add(large_run(number)) ? 0 : 1;
}

TEST(KilledWriter, LeavesWholeRunsOnly) {
  const char* const asked = std::getenv("ASSAY_KILLS");
  const uint64_t kills = asked ? std::strtoull(asked, nullptr, 10) : 15;
  const selftest::Scratch scratch;
  const std::string path = scratch.path + "/history.db";
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(History::open(path, true));
  ASSERT_EQ(add_to(path, 0), 0);
  const auto whole = std::chrono::steady_clock::now() - begin;
  size_t finished = 1, killed_while_writing = 0;
  Rng rng(1);
  for (uint64_t kill = 1; kill <= kills; ++kill) {
    ProcessSpec spec;
    spec.body = [&] { return add_to(path, kill); };
    auto writer = Process::start(spec);
    ASSERT_TRUE(writer);
    const auto until = std::chrono::steady_clock::now() +
                       whole * static_cast<double>((kill % 2 == 0 ? rng.below(1000) : 20'000)) / 1000;
    // Every other one as soon as it writes, however fast the machine is; the rest at any moment.
    while (std::chrono::steady_clock::now() < until && (kill % 2 == 0 || !std::filesystem::exists(path + "-journal")))
      std::this_thread::yield();
    writer->kill();
    killed_while_writing += std::filesystem::exists(path + "-journal");
    const auto history = History::open(path, false);
    ASSERT_TRUE(history) << history.error().line();
    const auto runs = history->runs();
    ASSERT_TRUE(runs) << runs.error().line();
    ASSERT_GE(runs->size(), finished) << "a run that was there is gone";
    finished = runs->size();
    for (const RunEntry& run : *runs) ASSERT_EQ(run.values, kRows + 1) << "kill " << kill;
  }
  EXPECT_GT(killed_while_writing, 0u) << "no kill came in the middle of writing";
  EXPECT_EQ(add_to(path, kills + 1), 0);
}

}  // namespace
}  // namespace assay::history
