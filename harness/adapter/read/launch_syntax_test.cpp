// Launches as people write them, and the calls that a host compiler is given instead.
#include "harness/adapter/read/launch_syntax.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(LaunchSyntax, BecomesCallsOnTheSameLines) {
  EXPECT_EQ(without_launch_syntax("f<T, 2><<<g, dim3(1, 2),\n 0>>>(x, y);\nint z;"),
            "assay_launch(f<T, 2>) assay_configured(g, dim3(1, 2),\n 0)(x, y);\nint z;");
  EXPECT_EQ(without_launch_syntax("#define RUN(k) \\\n  k<<<1, \\\n  2>>>(x)\n"),
            "#define RUN(k) \\\n  assay_launch(k) assay_configured(1, \\\n  2)(x)\n");
  const std::string untouched = "// k<<<1, 2>>>(x)\nauto s = \"k<<<1, 2>>>(x)\"; cout << 1 << 2; a<b<c<d>>> e;";
  EXPECT_EQ(without_launch_syntax(untouched), untouched);
  EXPECT_EQ(
      without_launch_syntax("k<std::array<int, 2>, (4 > 3)><<<a->grid, {32, 4}, n < 4 ? 0 : 1 << 10>>>(f<int, 2>(y))"),
      "assay_launch(k<std::array<int, 2>, (4 > 3)>) assay_configured(a->grid, {32, 4}, n < 4 ? 0 : 1 << 10)(f<int, "
      "2>(y))");
  EXPECT_EQ(without_launch_syntax("a::k<<<1, 2>>>(x); (p)<<<1, 2>>>();"),
            "assay_launch(a::k) assay_configured(1, 2)(x); assay_launch((p)) assay_configured(1, 2)();");
}

TEST(LaunchSyntax, IsJoinedWhereAnEditorParts) {
  EXPECT_EQ(with_joined_brackets("k << <1, 32 >> > (x);"), "k <<< 1, 32 >>>  (x);");
  EXPECT_EQ(with_joined_brackets("a<b<c<int>> > d;"), "a<b<c<int>> > d;") << "no launch stands there";
}

TEST(LaunchSyntax, KeepsNamesTogetherThatAMacroJoins) {
  EXPECT_EQ(without_launch_syntax("#define RUN(n, T) k_##n##_of<T><<<1, 2>>>(x)\n"),
            "#define RUN(n, T) assay_launch(k_##n##_of<T>) assay_configured(1, 2)(x)\n");
}

TEST(AlignasOfSharedMemory, MovesInFront) {
  EXPECT_EQ(
      with_alignas_first("__shared__ alignas(16) float a[4]; extern __shared__ alignas(sizeof(int4))\n char b[];"),
      "alignas(16) __shared__  float a[4]; alignas(sizeof(int4)) extern __shared__ \n char b[];");
  const std::string untouched = "alignas(16) __shared__ float a[4]; // __shared__ alignas(16)\nstruct alignas(8) S {};";
  EXPECT_EQ(with_alignas_first(untouched), untouched);
}

}  // namespace
}  // namespace assay
