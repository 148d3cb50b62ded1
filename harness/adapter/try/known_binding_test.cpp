// Tests for which kernel a binding that is known still holds.
#include "harness/adapter/try/known_binding.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

class KnownBindings : public testing::Test {
 protected:
  KnownBindings() {
    setenv("XDG_CACHE_HOME", scratch_.path.c_str(), 1);
    kernel_.path = "k.cu";
    passed_.adapter.op = "softmax_forward";
    passed_.adapter.source = "k.cu";
    passed_.adapter.name = "k";
    passed_.adapter.dtypes = {DType::f32};
    passed_.adapter.launches = {{.entry = "k", .args = {"x", "y", "rows", "cols"}, .grid = {"rows"}, .block = {"32"}}};
    passed_.signatures = {{"k", "(const float*, float*, int, int)"}};
  }
  ~KnownBindings() override { unsetenv("XDG_CACHE_HOME"); }

  selftest::Scratch scratch_;
  UserKernel kernel_;
  Prepared passed_;
};

TEST_F(KnownBindings, HoldAsLongAsTheParametersAreThose) {
  remember_binding("softmax_forward/k", kernel_, passed_);
  Prepared changed = passed_;
  changed.adapter.launches[0].args = {"y", "x", "rows", "cols"};
  EXPECT_FALSE(take_known_binding(kernel_, changed, false)) << "it has not passed a run yet";
  keep_binding("softmax_forward/k");
  EXPECT_TRUE(take_known_binding(kernel_, changed, false));
  EXPECT_EQ(changed.adapter.launches[0].args, passed_.adapter.launches[0].args);
  EXPECT_THAT(changed.remarks,
              testing::ElementsAre(testing::HasSubstr("Judged by that which was, in every case of a run on")));
  Prepared other = passed_;
  other.signatures["k"] = "(const float*, float*, int, int, int)";
  EXPECT_FALSE(take_known_binding(kernel_, other, false));
  kernel_.fixed = {{"cols", "32"}};
  EXPECT_FALSE(take_known_binding(kernel_, passed_, false)) << "what the command line fixes is a part of it";
}

// A bug behind the first row is none where there is one row.
TEST_F(KnownBindings, AreNotLeftForOneThatHoldsMore) {
  remember_binding("softmax_forward/k", kernel_, passed_);
  keep_binding("softmax_forward/k");
  Prepared other = passed_;
  other.adapter.launches[0].block = {"64"};
  EXPECT_FALSE(take_known_binding(kernel_, other, true)) << "the kernel may have changed";
  Prepared cleared = other;
  cleared.adapter.zero = {"y"};
  EXPECT_TRUE(take_known_binding(kernel_, cleared, true)) << "it adds to what the output held";
  other.adapter.fixed = {{"rows", "1"}};
  EXPECT_TRUE(take_known_binding(kernel_, other, true));
  EXPECT_THAT(other.adapter.fixed, testing::IsEmpty());
  EXPECT_THAT(other.remarks, testing::ElementsAre(testing::HasSubstr("Only a binding for fewer cases is right now.")));
}

TEST_F(KnownBindings, AreNotLeftForACallOfAnotherFunction) {
  remember_binding("softmax_forward/k", kernel_, passed_);
  keep_binding("softmax_forward/k");
  Prepared other = passed_;
  other.adapter.launches = {{.entry = "run", .args = {"1", "x", "y", "rows", "cols"}, .is_launcher = true}};
  EXPECT_TRUE(take_known_binding(kernel_, other, true)) << "it may launch another kernel";
  EXPECT_EQ(other.adapter.launches[0].entry, "k");
  EXPECT_THAT(other.remarks, testing::ElementsAre(testing::HasSubstr("Only a call of another function is right now.")));
}

// A kernel whose transB = false is broken is not judged with true in its place.
TEST_F(KnownBindings, AreNotLeftForOneWithAnotherNumber) {
  passed_.adapter.launches[0].args.push_back("false");
  remember_binding("softmax_forward/k", kernel_, passed_);
  keep_binding("softmax_forward/k");
  Prepared other = passed_;
  other.adapter.launches[0].args[4] = "true";
  Prepared moved = other;
  EXPECT_TRUE(take_known_binding(kernel_, other, true));
  EXPECT_EQ(other.adapter.launches[0].args[4], "false");
  EXPECT_THAT(other.remarks, testing::ElementsAre(testing::HasSubstr("Only a binding with other numbers is right")));
  std::swap(moved.adapter.launches[0].args[2], moved.adapter.launches[0].args[3]);
  EXPECT_TRUE(take_known_binding(kernel_, moved, true)) << "a bug may be right so, by chance";
  EXPECT_THAT(moved.remarks, testing::ElementsAre(testing::HasSubstr("Only another binding is right")));
}

TEST_F(KnownBindings, AreLaunchedAsTheFileLaunchesThemNow) {
  remember_binding("softmax_forward/k", kernel_, passed_);
  keep_binding("softmax_forward/k");
  Inferred own;
  own.adapter = passed_.adapter;
  own.authors_line = 7;
  own.adapter.launches[0].grid = {"rows / 2"};
  const auto grid = [&] {
    Prepared changed = passed_;
    EXPECT_TRUE(take_known_binding(kernel_, changed, false, {own}));
    return changed.adapter.launches[0].grid;
  };
  EXPECT_THAT(grid(), testing::ElementsAre("rows / 2"));
  own.authors_line = 0;
  EXPECT_THAT(grid(), testing::ElementsAre("rows")) << "it is a guess";
  own.authors_line = 7;
  own.adapter.launches[0].args[3] = "rows";
  EXPECT_THAT(grid(), testing::ElementsAre("rows")) << "of other arguments";
}

}  // namespace
}  // namespace assay
