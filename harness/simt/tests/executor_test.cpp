// Runs every test kernel: the sound ones must be right and silent under 200 schedules, the broken ones must be
// reported as their first line says.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/simt/runtime/current_thread.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/tests/kernel_lookup.h"

namespace assay::simt::test {
namespace {

class Sound : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Sound, testing::ValuesIn(tests_in("sound")), PrintName());

TEST_P(Sound, IsRightAndSilentUnderEverySchedule) {
  ASSERT_EQ(expected_kind(GetParam()), "PASS");
  for (uint64_t schedule = 0; schedule < 200; ++schedule) {
    Context context{.options = {.schedule = schedule, .approximation = schedule}, .findings = {}};
    const ContextScope scope(context);
    const std::string wrong = GetParam().run();
    ASSERT_TRUE(context.findings.empty()) << "schedule " << schedule << ": " << context.findings[0].detail;
    ASSERT_EQ(wrong, "") << "schedule " << schedule;
  }
}

class Broken : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Broken, testing::ValuesIn(tests_in("broken")), PrintName());

TEST_P(Broken, IsReported) {
  for (const uint64_t schedule : {0, 1, 2, 3}) {
    Context context{.options = {.schedule = schedule}, .findings = {}};
    const ContextScope scope(context);
    GetParam().run();
    ASSERT_EQ(context.findings.size(), 1u);
    EXPECT_EQ(name(context.findings[0].kind), expected_kind(GetParam()));
    EXPECT_EQ(context.findings[0].detail.rfind("kernel ", 0), 0u) << context.findings[0].detail;
    if (schedule == 0) RecordProperty("finding", context.findings[0].detail);
    if (schedule == 0) printf("             %s\n", context.findings[0].detail.c_str());
  }
}

class FirstBlockOnly : public BlockSample {
 public:
  std::optional<uint64_t> next(const Launch& shape) override {
    blocks = shape.grid.x;
    return asked++ == 0 ? std::optional<uint64_t>(0) : std::nullopt;
  }
  int asked = 0;
  uint64_t blocks = 0;
};

TEST(Executor, RunsTheBlocksOfASampleAlone) {
  FirstBlockOnly sample;
  Context context{.options = {.sample = &sample}, .findings = {}};
  const ContextScope scope(context);
  EXPECT_STREQ(test_named("counts_by_atomics").run(), "not every thread was counted once");
  EXPECT_EQ(sample.asked, 2) << "for the first, and when that has ended";
  EXPECT_EQ(sample.blocks, 3u);
  EXPECT_TRUE(context.findings.empty());
}

TEST(Executor, SkipsLaunchesAfterAFinding) {
  Context context;
  const ContextScope scope(context);
  test_named("traps").run();
  const size_t before = context.findings.size();
  test_named("assertion").run();
  EXPECT_EQ(before, 1u);
  EXPECT_EQ(context.findings.size(), 1u);
}

// Host code may launch from several threads; the launches run one after another, with the context of the process.
TEST(Executor, TakesLaunchesFromSeveralOsThreads) {
  Context context;
  const ContextScope scope(context);
  std::vector<std::thread> threads;
  std::array<std::string, 4> wrong;
  for (std::string& words : wrong)
    threads.emplace_back([&words] {
      for (int i = 0; i < 20; ++i) words += test_named("counts_by_atomics").run();
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& words : wrong) EXPECT_EQ(words, "");
  EXPECT_TRUE(context.findings.empty());
}

TEST(Executor, ShowsAMissingBarrierUnderSomeSchedulesOnly) {
  int wrong = 0, right = 0;
  for (uint64_t schedule = 0; schedule < 50; ++schedule) {
    Context context{.options = {.schedule = schedule}, .findings = {}};
    const ContextScope scope(context);
    *test_named("missing_barrier").run() == 0 ? ++right : ++wrong;
  }
  EXPECT_GT(wrong, 0);
  EXPECT_GT(right, 0);
}

TEST(Executor, CompletesAsynchronousCopiesAtTheirWaitAndNoEarlier) {
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    Context context{.options = {.schedule = 2 * schedule}, .findings = {}};
    const ContextScope scope(context);
    EXPECT_STREQ(test_named("unwaited_copies").run(), "") << schedule;
    EXPECT_TRUE(context.findings.empty());
  }
}

TEST(Executor, RepeatsAScheduleExactly) {
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    std::set<std::string> results;
    for (int repeat = 0; repeat < 3; ++repeat) {
      Context context{.options = {.schedule = schedule}, .findings = {}};
      const ContextScope scope(context);
      results.insert(test_named("missing_barrier").run());
    }
    EXPECT_EQ(results.size(), 1u) << schedule;
  }
}

#if defined(__x86_64__) && !defined(__clang__)
// Without it everything is right, and slower: a `ret` after a switch is never predicted.
TEST(Kernels, ReturnByAJump) {
  Dl_info module{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(test_named("small_frame").run), &module), 0);
  FILE* const code = popen(("objdump -d --no-show-raw-insn -C " + std::string(module.dli_fname)).c_str(), "r");
  ASSERT_NE(code, nullptr);
  int functions = 0, jumps = 0;
  bool switches = false;  // threads are switched in the function that is being read
  for (char line[4096]; std::fgets(line, sizeof line, code) != nullptr;) {
    const std::string text = line;
    if (text.ends_with(">:\n")) {
      switches =
          text.find("::thread_entry<") != std::string::npos || text.find("<keep_some_words(") != std::string::npos;
      functions += switches;
    } else if (switches) {
      jumps += text.find("jmp") != std::string::npos && text.find("__x86_return_thunk") != std::string::npos;
      EXPECT_EQ(text.find("\tret"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(pclose(code), 0);
  EXPECT_GE(functions, 20);
  EXPECT_GE(jumps, 1);  // a thread's entry that keeps its record jumps to the kernel instead
}
#endif

#if defined(__x86_64__)
std::string first_nonfinite_of(const char* name) {
  std::string said;
  Context context{.options = {.schedule = 0, .first_nonfinite = &said}, .findings = {}};
  const ContextScope scope(context);
  test_named(name).run();
  return said;
}

TEST(FirstNonfinite, IsNamedByLineBlockAndThread) {
  EXPECT_EQ(first_nonfinite_of("makes_nan"),
            "NaN first made by thread (7,0,0) of block (1,0,0) at makes_nan.cu:8 (kernel square_root)");
  EXPECT_EQ(first_nonfinite_of("makes_infinity"),
            "infinity first made by thread (3,0,0) of block (0,0,0) at makes_infinity.cu:8 (kernel exponential)");
  EXPECT_EQ(first_nonfinite_of("narrows_to_infinity"),
            "infinity first made by thread (9,0,0) of block (0,0,0) at narrows_to_infinity.cu:8 (kernel narrow)");
}

TEST(FirstNonfinite, IsNotOneThatCameAsInput) { EXPECT_EQ(first_nonfinite_of("passes_nan_on"), ""); }
#endif

// The text that a worker's handler would print for a kernel that dies of a signal.
std::string words_of_dying(const char* name) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    static int out;
    out = ends[1];
    static char alternative[1 << 19];
    const stack_t stack{.ss_sp = alternative, .ss_flags = 0, .ss_size = sizeof alternative};
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = [](int, siginfo_t* info, void* context) {
      char text[512];
      size_t length = describe_current_thread(text, sizeof text, info, context);
      const std::string line = ", " + current_kernel_line(context);
      length += line.copy(text + length, sizeof text - length);
      _exit(write(out, text, length) == static_cast<ssize_t>(length) ? 0 : 1);
    };
    sigaction(SIGSEGV, &action, nullptr);
    test_named(name).run();
    _exit(2);
  }
  close(ends[1]);
  std::string words;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) words.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return words;
}

TEST(CurrentThread, NamesTheThreadThatWritesThroughNull) {
  EXPECT_EQ(words_of_dying("writes_null"),
            "kernel write_null block (1,0,0) thread (5,0,0): access through a null pointer, writes_null.cu:8");
}

TEST(CurrentThread, NamesTheThreadThatOverflowsItsStack) {
  EXPECT_EQ(words_of_dying("overflows_stack"),
            "kernel recurse block (0,0,0) thread (3,0,0): stack overflow, over 256 KB of local memory, deep.h:9");
}

TEST(CurrentThread, TellsAnIndexPastALocalArrayFromAStackOverflow) {
  EXPECT_EQ(words_of_dying("fills_past_local_array"),
            "kernel fill_past block (0,0,0): a write far past the end of a local array, fills_past_local_array.cu:8");
}

#if defined(__x86_64__)
TEST(CurrentThread, NamesTheLineThatCallsTheLibrary) {
  EXPECT_EQ(words_of_dying("copies_to_null"),
            "kernel copy_to_null block (0,0,0) thread (2,0,0): access through a null pointer, copies_to_null.cu:8");
}

TEST(CurrentThread, TellsAMisalignedVectorFromANullPointer) {
  for (const char* name : {"stores_misaligned", "stores_misaligned_by_index"}) {
    const std::string words = words_of_dying(name);
    EXPECT_NE(words.find(": a vector access of 16 bytes must begin at a multiple of 16, " + std::string(name) + ".cu:"),
              std::string::npos)
        << words;
  }
  const std::string words = words_of_dying("reads_no_address");
  EXPECT_NE(words.find(": access through a pointer to no possible address"), std::string::npos) << words;
}
#endif

TEST(CurrentThread, SaysNothingWhenNoKernelRuns) {
  char text[16] = "x";
  EXPECT_EQ(describe_current_thread(text, sizeof text), 0u);
  EXPECT_STREQ(text, "");
}

}  // namespace
}  // namespace assay::simt::test
