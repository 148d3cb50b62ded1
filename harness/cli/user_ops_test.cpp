// An op that is loaded from a header behaves as one that was built in, in the process that loads it.
#include "harness/adapter/user_ops.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/base/embedded.h"
#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

// The largest spread of the tracked reference's results.
double largest_spread(const Contract& contract, const Case& c) {
  double largest = 0;
  for (const RefTensor<Tracked>& tensor : contract.reference.tracked(c, make_tensors(contract, c)))
    for (const Tracked& element : tensor.values) largest = std::max(largest, element.spread());
  return largest;
}

// The precision is a variable of this program, and the op's module is another: both must mean the same one.
TEST(UserOps, TrackThePrecisionOfTheProgram) {
  const selftest::Scratch scratch;
  setenv("XDG_CACHE_HOME", (scratch.path + "/cache").c_str(), 1);
  std::ofstream(scratch.path + "/new_op_name.h") << embedded_file("new_op.reduction.h");
  const auto loaded = load_user_ops({scratch.path});
  ASSERT_TRUE(loaded) << loaded.error().line();
  const Contract* contract = find_op("new_op_name");
  ASSERT_NE(contract, nullptr);
  EXPECT_EQ(folder_of_op("new_op_name"), scratch.path);
  EXPECT_EQ(folder_of_op(all_ops().front().name), "");

  const auto c = read_case("new_op_name/any f32 rows=3 cols=5 seed=1");
  ASSERT_TRUE(c) << c.error().line();
  const double spread = largest_spread(*contract, *c);
  const TrackedPrecision coarse({.unit = 0x1p-8});
  EXPECT_NEAR(largest_spread(*contract, *c) / spread, 0x1p16, 1);
}

}  // namespace
}  // namespace assay
