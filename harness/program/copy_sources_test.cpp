// When a source that has changed is a mistake.
#include "harness/program/copy_sources.h"

#include <gtest/gtest.h>

namespace assay::program {
namespace {

class Sources : public ::testing::Test {
 protected:
  void copy() {
    sources_.add(std::make_shared<PieceOfWork>(PieceOfWork{clocks_.give(stream_).moment}), memory_, sizeof memory_);
  }
  size_t changed() { return sources_.changed(clocks_.host()).size(); }

  StreamClocks clocks_;
  const StreamClocks::Stream stream_ = clocks_.add_stream(false);
  char memory_[16] = {};
  CopySources sources_;
};

TEST_F(Sources, AreComparedWhenTheHostFirstKnowsTheCopyToBeDone) {
  copy();
  memory_[7] = 1;
  EXPECT_EQ(changed(), 0u) << "the host has not waited yet";
  clocks_.host_waits_for(stream_);
  EXPECT_EQ(changed(), 1u);
  EXPECT_EQ(changed(), 0u) << "once";
}

TEST_F(Sources, MayChangeBehindTheWait) {
  copy();
  clocks_.host_waits_for(stream_);
  EXPECT_EQ(changed(), 0u);
  memory_[7] = 1;
  EXPECT_EQ(changed(), 0u);
}

TEST_F(Sources, ThatTheDeviceWritesAreLetGo) {
  copy();
  memory_[7] = 1;
  const auto begin = reinterpret_cast<uintptr_t>(memory_);
  sources_.let_go(begin + 16, begin + 20);
  sources_.let_go(begin - 4, begin);
  copy();
  sources_.let_go(begin + 15, begin + 20);
  clocks_.host_waits_for_all();
  EXPECT_EQ(changed(), 0u);
}

}  // namespace
}  // namespace assay::program
