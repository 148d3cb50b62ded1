// Tests that a structure's fields come apart and together again.
#include "harness/adapter/read/records.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;

// k(Args args, int n, Args more) with Args of x and cols
std::vector<Parameter> parameters() {
  const auto field = [](const std::string& name, const std::string& record) {
    return Parameter{.type = "int", .name = name, .record = record, .record_type = record.empty() ? "" : "Args"};
  };
  return {field("x", "args"), field("cols", "args"), field("n", ""), field("x", "more"), field("cols", "more")};
}

TEST(Records, FieldsAreNamedWithoutTheirStructure) {
  EXPECT_EQ(with_fields("args.x[i] + args . cols * n", parameters()), "x[i] + cols * n");
  EXPECT_EQ(with_fields("args.size + other.x + a.args.x", parameters()), "args.size + other.x + a.args.x");
  EXPECT_EQ(with_fields("args.x", {}), "args.x");
}

TEST(Records, ALaunchPassesTheirFields) {
  EXPECT_THAT(fields_of({"p", "4", "q"}, parameters()), ElementsAre("p.x", "p.cols", "4", "q.x", "q.cols"));
  EXPECT_THAT(fields_of({"p", "4", "q", "r"}, parameters()), ElementsAre("p", "4", "q", "r")) << "another kernel's";
}

TEST(Records, ArgumentsComeTogetherAndApart) {
  const std::vector<std::string> flat = {"in", "max(a, b)", "rows", "workspace", "3"};
  const auto together = in_records(flat, parameters());
  EXPECT_THAT(together, ElementsAre("Args(in, max(a, b))", "rows", "Args(workspace, 3)"));
  EXPECT_EQ(without_records(together, parameters()), flat);
  EXPECT_THAT(without_records({"make(in)", "rows", "Args(workspace, 3)"}, parameters()),
              ElementsAre("make(in)", "rows", "Args(workspace, 3)"));
}

}  // namespace
}  // namespace assay
