// What makes two failures one defect.
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

}  // namespace
}  // namespace assay
