// Tests which failures are one defect.
#include "harness/result/defect.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

ResultRow failed(Kind kind, const std::string& where) {
  ResultRow row;
  row.c.op = "an_op";
  row.c.variant = "idea";
  row.decide(kind, "in kernel k block (0,0,0) thread (3,0,0), " + where);
  return row;
}

// A race is between lines; a loop without end is left at whichever line the clock finds it.
TEST(Defects, DifferByTheirLinesUnlessTimeRanOutThere) {
  for (const Kind kind : {Kind::race, Kind::out_of_bounds, Kind::timeout}) {
    const Defect one = defects_of(failed(kind, "k.cu:14")).at(0);
    EXPECT_TRUE(shows(failed(kind, "k.cu:14"), one));
    EXPECT_EQ(shows(failed(kind, "k.cu:15"), one), kind == Kind::timeout) << name(kind);
  }
  EXPECT_FALSE(shows(failed(Kind::race, ""), defects_of(failed(Kind::timeout, "")).at(0)));
}

TEST(Defects, InfinitiesOfTheDataAreAnotherThanThoseOfTheKernel) {
  const auto shown_by = [](const std::string& difference) {
    ResultRow row = failed(Kind::nonfinite, "");
    row.findings = {{Kind::nonfinite, "loss: 1 of 2 elements are wrong, the first at [0]: " + difference, "loss"}};
    return defects_of(row).at(0);
  };
  const Defect lost = shown_by("got nan, want -inf ± 0"), made = shown_by("got inf, want 200 ± 0.1");
  EXPECT_NE(lost, made);
  EXPECT_EQ(lost, shown_by("got 3, want nan ± 0"));
  EXPECT_EQ(made, shown_by("got nan, want -7 ± 0"));
}

}  // namespace
}  // namespace assay
