// Expressions of a source in a contract's names: rounding up in its usual spellings, and expressions without a limit.
#include "harness/adapter/read/expression.h"

#include <gmock/gmock.h>

#include "harness/adapter/read/body_indices.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

std::string resolved_text(const std::string& expression) {
  Names names;
  for (const char* name : {"a", "b", "c", "n"}) names[name] = name;
  const auto text = resolved(tokens_of(expression), names);
  return text ? *text : "unknown: " + text.error().what;
}

TEST(Expression, RoundingUpIsCeilDiv) {
  EXPECT_EQ(resolved_text("(a + b - 1) / b"), "ceil_div(a, b)");
  EXPECT_EQ(resolved_text("(a+b-1)/b"), "ceil_div(a, b)");
  EXPECT_EQ(resolved_text("(a * (b + c) + 32 - 1) / 32"), "ceil_div(a * (b + c), 32)");
  EXPECT_EQ(resolved_text("(a + b + c - 1) / c"), "ceil_div(a + b, c)");
  EXPECT_EQ(resolved_text("(a + b - 1) / c"), "(a + b - 1) / c");
  EXPECT_EQ(resolved_text("(a + b) / b"), "(a + b) / b");
  EXPECT_EQ(resolved_text("(b - 1) / b"), "(b - 1) / b");
  EXPECT_EQ(resolved_text("a + b - 1 / b"), "a + b - 1 / b");
}

TEST(Expression, ElementsOfWhatMeansNothingAreNames) {
  const Names names{{"sizes[1]", "M"}, {"n", "N"}};
  EXPECT_EQ(resolved(tokens_of("(sizes[1] + 15) / 16"), names).value_or("?"), "(M + 15) / 16");
  const auto open = resolved(tokens_of("sizes[2] * n"), names);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().what, "sizes[2]");
  EXPECT_EQ(resolved(tokens_of("std::min<std::size_t>(n, 512)"), names).value_or("?"), "min(N, 512)");
}

TEST(Expression, ComparisonsStayWhole) {
  for (const char* text : {"a != b ? 1 : c", "a <= b && a >= c", "a == b", "(a != 0) ? n : b", "!(a < b)"})
    EXPECT_EQ(resolved_text(text), text);
}

// One launch has one text, so that no candidate is tried twice.
TEST(Expression, HasNoBracketsThatChangeNothing) {
  const auto text = [](const std::string& expression) {
    return resolved(tokens_of(expression), {{"n", "a * b"}, {"m", "2"}}).value();
  };
  for (const char* expression : {"ceil_div(n, m)", "(n + m - 1) / m", "div_up(n, m)"})
    EXPECT_EQ(text(expression), "ceil_div(a * b, 2)") << expression;
  EXPECT_EQ(text("n / m"), "(a * b) / 2");
}

TEST(Expression, HasNoLengthLimit) {
  std::string sum = "a";
  for (int i = 0; i < 100'000; ++i) sum += " + b";
  EXPECT_EQ(resolved_text("(" + sum + " + c - 1) / c"), "ceil_div(" + sum + ", c)");
}

IndexKind kind_in(const std::string& definition) {
  const CudaSource source = read(
      "struct Group { int meta_group_size() const; int meta_group_rank() const; };\n"
      "__global__ void k(int n, Group w, Group v) { int i = " +
      definition + "; if (i < n) {} }");
  const BodyIndices indices(source.kernels.at(0), {{"n", "n"}});
  for (const IndexKind kind : {IndexKind::thread, IndexKind::warp, IndexKind::block})
    if (indices.find(kind)) return kind;
  return IndexKind::none;
}

TEST(BodyIndices, KnowTheUsualSpellings) {
  for (const char* text : {"blockIdx.x * blockDim.x + threadIdx.x", "blockDim.x * blockIdx.x + threadIdx.x",
                           "threadIdx.x + blockIdx.x * blockDim.x", "threadIdx.x + blockDim.x * blockIdx.x"}) {
    EXPECT_EQ(kind_in(text), IndexKind::thread) << text;
    for (const char* warp : {" / 32", " / warpSize", " >> 5"})
      EXPECT_EQ(kind_in("(" + std::string(text) + ")" + warp), IndexKind::warp) << text << warp;
    EXPECT_EQ(kind_in("(" + std::string(text) + ") / 16"), IndexKind::none) << text;
  }
  EXPECT_EQ(kind_in("blockIdx.x * (blockDim.x / 32) + threadIdx.x / warpSize"), IndexKind::warp);
  EXPECT_EQ(kind_in("blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)"), IndexKind::warp);
  EXPECT_EQ(kind_in("blockIdx.x * w.meta_group_size() + w.meta_group_rank()"), IndexKind::warp);
  EXPECT_EQ(kind_in("blockIdx.x * w.meta_group_size() + v.meta_group_rank()"), IndexKind::none);
  EXPECT_EQ(kind_in("blockIdx.x"), IndexKind::block);
  EXPECT_EQ(kind_in("blockIdx.x + threadIdx.x"), IndexKind::none);
}

}  // namespace
}  // namespace assay
