// Runs every test kernel of the checked build in a sieve: nothing may be proven of the broken ones, and what is proven
// of the sound ones must be right.
#include <gtest/gtest.h>

#include "harness/simt/checked/checker.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/sieve/watch.h"
#include "harness/simt/tests/kernel_lookup.h"

namespace assay::simt::test {
namespace {

struct Outcome {
  bool is_proven = false;
  std::string wrong, why_not;
};

Outcome sieved(const KernelTest& test) {
  Checker checker;
  Context context{.options = {.checker = &checker, .sieve = true}, .findings = {}};
  Outcome outcome;
  {
    const ContextScope scope(context);
    const sieve::Watch watch;
    outcome.wrong = test.run();
  }
  outcome.is_proven = context.findings.empty();
  if (!outcome.is_proven) outcome.why_not = context.findings[0].detail;
  return outcome;
}

// Whether the checked build finds something by default.
bool is_found(const KernelTest& test) {
  std::ifstream file(test.path);
  std::string line;
  while (std::getline(file, line) && line.rfind("//", 0) == 0)
    if (line.rfind("// DETECTOR: ", 0) == 0) return false;
  return expected_kind(test) != "HINT";
}

TEST(Sieve, ProvesNothingOfWhatIsBroken) {
  for (const KernelTest& test : tests_in("broken")) {
    if (!is_found(test)) continue;
    EXPECT_FALSE(sieved(test).is_proven) << test.name << " must be " << expected_kind(test);
  }
}

TEST(Sieve, IsRightAboutWhatItProves) {
  int proven = 0, all = 0;
  for (const KernelTest& test : tests_in("sound")) {
    const Outcome outcome = sieved(test);
    ++all;
    proven += outcome.is_proven ? 1 : 0;
    if (outcome.is_proven)
      EXPECT_EQ(outcome.wrong, "") << test.name;
    else
      printf("    %s: %s\n", test.name, outcome.why_not.c_str());
  }
  printf("    %d of %d are proven\n", proven, all);
  EXPECT_GE(proven, 80);  // so that it does not prove nothing
}

}  // namespace
}  // namespace assay::simt::test
