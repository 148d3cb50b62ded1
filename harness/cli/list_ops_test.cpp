// One op in detail, from its contract.
#include <gmock/gmock.h>

#include "harness/cli/test_usage_error.h"
#include "harness/op/registry.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

using selftest::expect_usage_error;
using selftest::Ran;
using selftest::run;
using testing::HasSubstr;
using testing::Not;

TEST(ListOps, ShowsAllOfOneAndACaseLineThatIsOne) {
  for (const Contract& op : all_ops()) {
    if (op.name.find("probe") != std::string::npos) continue;  // of this test program
    SCOPED_TRACE(op.name);
    const Ran ran = run("assay", "list ops " + op.name);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, testing::StartsWith(op.name + "  ["));
    EXPECT_THAT(ran.out, HasSubstr(op.summary));
    for (const DimSpec& dim : op.dims) EXPECT_THAT(ran.out, HasSubstr(dim.meaning));
    for (const AttrSpec& attr : op.attrs)
      for (const std::string& choice : attr.choices) EXPECT_THAT(ran.out, HasSubstr(choice));
    for (const TensorSpec& tensor : op.tensors) EXPECT_THAT(ran.out, HasSubstr("    " + tensor.name));
    for (const Fill& fill : fills()) {
      EXPECT_THAT(ran.out, HasSubstr(fill.name));
      EXPECT_TRUE(admits(op, fill) || fill.for_exponentials || !op.why_left_out.empty()) << fill.name;
    }
    EXPECT_THAT(ran.out, HasSubstr(op.why_left_out));
    for (const OutOfReach& each : op.out_of_reach) EXPECT_THAT(ran.out, HasSubstr(each.why));
    for (const NamedRounding& rounding : op.roundings) EXPECT_THAT(ran.out, HasSubstr("may round: " + rounding.name));
    for (const Formula& formula : op.formulas) EXPECT_THAT(ran.out, HasSubstr("also right as: " + formula.name));
    for (const TensorSpec& tensor : op.tensors) {
      const bool is_judged = tensor.role != Role::input && (!tensor.dtype || is_float(*tensor.dtype));
      const std::string sharpness = "smallest error found in " + tensor.name + ": ";
      EXPECT_EQ(ran.out.find(sharpness) != std::string::npos, is_judged) << sharpness;
    }
    for (const Variant* variant : variants())
      EXPECT_TRUE(variant->op != op.name || ran.out.find("variant " + variant->name) != std::string::npos);
    const std::string before = "    a case: ";
    const size_t at = ran.out.find(before);
    ASSERT_NE(at, std::string::npos);
    const size_t begin = at + before.size();
    const std::string line = ran.out.substr(begin, ran.out.find('\n', begin) - begin);
    const auto c = read_case(line);
    EXPECT_TRUE(c) << line << ": " << (c ? "" : c.error().line());
  }
}

TEST(ListOps, TakesAGlobAndNamesTheNearest) {
  const std::string name = all_ops().front().name;
  EXPECT_THAT(run("assay", "list ops '" + name.substr(0, name.size() - 1) + "?'").out, HasSubstr("a case: " + name));
  EXPECT_THAT(run("assay", "list ops").out, Not(HasSubstr("a case: ")));
  expect_usage_error(run("assay", "list ops " + name + "x"), "there is no op '" + name + "x'",
                     "did you mean '" + name + "'");
  expect_usage_error(run("assay", "list fills normal"), "no list of fills by name", "list ops");
}

}  // namespace
}  // namespace assay
