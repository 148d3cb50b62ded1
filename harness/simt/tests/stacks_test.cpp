// Which stacks the threads of a kernel get, and that what the build proves of their need is true.
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/simt/build/finish/callee_needs.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/tests/kernel_lookup.h"

namespace assay::simt::test {
namespace {

// Whether the build proves what stacks kernels need; the address sanitizer calls functions that nobody has listed.
#if defined(__x86_64__) && !defined(__clang__) && !defined(ASSAY_SIMT_BOOST) && !defined(__SANITIZE_ADDRESS__)
#define ASSAY_STACK_NEEDS_ARE_PROVEN
constexpr const char* kWhereProven = "dense";
#else
constexpr const char* kWhereProven = "own";
#endif

// While it lives, the process handles SIGUSR1.
class SignalHandler {
 public:
  explicit SignalHandler(int flags) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, &before_);
  }
  ~SignalHandler() { sigaction(SIGUSR1, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// While it lives, this OS thread has an alternative stack.
class StackForSignals {
 public:
  StackForSignals() {
    const stack_t stack{.ss_sp = memory_.data(), .ss_flags = 0, .ss_size = memory_.size()};
    sigaltstack(&stack, &before_);
  }
  ~StackForSignals() { sigaltstack(&before_, nullptr); }

 private:
  std::vector<char> memory_ = std::vector<char>(1 << 16);
  stack_t before_{};
};

class DenseStacks : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, DenseStacks, testing::ValuesIn(tests_in("dense_stacks")), PrintName());

TEST_P(DenseStacks, AreGivenWhereTheNeedIsProven) {
  ASSERT_EQ(expected_kind(GetParam()), "dense");
  EXPECT_STREQ(GetParam().run(), kWhereProven);
}

TEST_P(DenseStacks, AreNotGivenWhereSignalHandlersTakeOfThem) {
  std::string said;
  Context watched{.options = {.schedule = 0, .first_nonfinite = &said}, .findings = {}};
  {
    const ContextScope scope(watched);
    EXPECT_STREQ(GetParam().run(), "own");
  }
  {
    const SignalHandler handler(0);
    EXPECT_STREQ(GetParam().run(), "own");
  }
  const SignalHandler handler(SA_ONSTACK);  // but this thread has no such stack
  EXPECT_STREQ(GetParam().run(), "own");
  const StackForSignals stack;
  EXPECT_STREQ(GetParam().run(), kWhereProven);
}

class OwnStacks : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, OwnStacks, testing::ValuesIn(tests_in("own_stacks")), PrintName());

TEST_P(OwnStacks, AreGivenWhereNothingIsProven) {
  ASSERT_EQ(expected_kind(GetParam()), "own");
  EXPECT_STREQ(GetParam().run(), "own");
}

#ifdef ASSAY_STACK_NEEDS_ARE_PROVEN
TEST(StackNeeds, AreTwiceWhatCalleesWereSeenToTake) {
  std::map<std::string, size_t> seen;
  std::istringstream measured(test_named("callees").run());
  for (auto [name, bytes] = std::pair(std::string(), size_t{0}); measured >> name >> bytes;) seen[name] = bytes;
  for (const auto& [name, bytes] : finish::kCalleeNeeds) {
    if (name == "assay_simt_check") continue;  // it calls nothing before it has left the thread's stack
    const auto measured_need = seen.find(std::string(name));
    ASSERT_NE(measured_need, seen.end()) << name << " is listed, but not measured";
    RecordProperty(measured_need->first, static_cast<int>(measured_need->second));
    EXPECT_GT(measured_need->second, 0u) << name;
    EXPECT_LE(2 * measured_need->second, bytes) << name;
  }
  EXPECT_EQ(finish::kCalleeNeeds.size(), seen.size() + 1);
}

TEST(StackNeeds, ThatAreWrongAreFound) {
  for (int repeat = 0; repeat < 2; ++repeat) {
    Context context;
    const ContextScope scope(context);
    test_named("overruns_a_false_need").run();
    ASSERT_EQ(context.findings.size(), 1u);
    EXPECT_EQ(context.findings[0].kind, Kind::out_of_bounds);
    EXPECT_NE(context.findings[0].detail.find("wrote below its stack"), std::string::npos)
        << context.findings[0].detail;
  }
  Context context;
  const ContextScope scope(context);
  EXPECT_STREQ(test_named("small_frame").run(), kWhereProven);
  EXPECT_TRUE(context.findings.empty()) << "a launch answered for what another did";
}
#endif

}  // namespace
}  // namespace assay::simt::test
