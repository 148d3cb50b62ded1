// Tests what the comparisons of a body say about its sizes.
#include "harness/adapter/read/body_indices.h"

#include <gmock/gmock.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::set<std::string> rests(const std::string& body) {
  const CudaSource source = read("__global__ void k(int n, int m) { int i = threadIdx.x * 4; " + body + " }");
  return names_with_rests(source.kernels.at(0).facts);
}

TEST(BodyIndices, ARestOfAVectorIsTreatedApart) {
  EXPECT_THAT(rests("if (i + 3 < n) {} else if (i < n) {}"), ElementsAre("n"));
  EXPECT_THAT(rests("if (i + 4 <= n) {} for (int j = i; j < n; ++j) {}"), ElementsAre("n"));
  EXPECT_THAT(rests("int n4 = n / 4; for (int j = n4 * 4 + i; j < n; ++j) {}"), ElementsAre("n"));
  EXPECT_THAT(rests("for (int j = (n / 4) * 4; j < n; ++j) {}"), ElementsAre("n"));
}

TEST(BodyIndices, WhatIsOnlyCutOffIsNoRest) {
  EXPECT_THAT(rests("if (i + 3 < n) {}"), IsEmpty()) << "nothing takes the last ones";
  EXPECT_THAT(rests("int n4 = n / 4; if (i < n4) {}"), IsEmpty());
  EXPECT_THAT(rests("if (i + 3 < n) {} if (i < m) {}"), IsEmpty());
}

}  // namespace
}  // namespace assay
