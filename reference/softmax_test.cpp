// The softmax references, causal ones too, against an independent forward in long double and its finite differences.
//
// The forward here shares nothing with the reference: it asks of every row and column whether one sees the other, and
// takes no maximum. The loss is sum g·y, so its derivatives are the gradients that the backward computes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/op/registry.h"

namespace assay {
namespace {

using LongRow = std::vector<long double>;

LongRow softmax(const Case& c, const LongRow& x) {
  const int64_t rows = c.dim("rows"), cols = c.dim("cols");
  LongRow y(x.size());
  for (int64_t row = 0; row < c.dim("heads") * rows; ++row) {
    long double sum = 0;
    for (const bool divides : {false, true})
      for (int64_t j = 0; j < cols; ++j) {
        if (c.text("causal") == "1" && j - row % rows > cols - rows) continue;
        const auto at = static_cast<size_t>(row * cols + j);
        if (divides)
          y[at] /= sum;
        else
          sum += y[at] = std::exp(static_cast<float>(c.real("scale")) * x[at]);
      }
  }
  return y;
}

Case conforming(const std::string& line) { return *conform(*find_op(parse_case(line)->op), *parse_case(line), line); }

void expect_softmax(const std::string& params) {
  SCOPED_TRACE(params);
  const Case c = conforming("softmax_forward/any f32 " + params + " fill=normal seed=3");
  const Case backward = conforming("softmax_backward/any f32 y=softmax " + params + " fill=normal seed=4");
  const Tensors given = make_tensors(*find_op("softmax_forward"), c);
  LongRow x;
  for (int64_t i = 0; i < given.get("x").count(); ++i) x.push_back(given.get("x").at(i));
  const LongRow y = softmax(c, x);
  const RefTensor<double> got = find_op("softmax_forward")->reference.value(c, given)[0];
  Tensors saved = make_tensors(*find_op("softmax_backward"), backward);
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(got.values[i], static_cast<double>(y[i]), 1e-14) << i;
    saved.get("y").set(static_cast<int64_t>(i), static_cast<double>(y[i]));
  }
  const RefTensor<double> dx = find_op("softmax_backward")->reference.value(backward, saved)[0];
  const auto loss = [&](size_t element, long double step) {
    LongRow moved = x;
    moved[element] += step;
    const LongRow of_moved = softmax(c, moved);
    long double total = 0;
    for (size_t i = 0; i < y.size(); ++i) total += of_moved[i] * saved.get("g").at(static_cast<int64_t>(i));
    return total;
  };
  constexpr long double kStep = 1e-4L;
  for (size_t i = 0; i < y.size(); ++i)  // y is rounded to f32
    EXPECT_NEAR(dx.values[i], static_cast<double>((loss(i, kStep) - loss(i, -kStep)) / (2 * kStep)), 1e-5) << i;
}

TEST(SoftmaxReference, IsAnIndependentForwardAndItsDerivatives) {
  for (const char* dims : {"rows=1 cols=5", "rows=5 cols=1", "rows=5 cols=3", "rows=3 cols=7", "rows=4 cols=4"})
    for (const char* attrs : {"", " scale=0.125", " causal=1", " causal=1 scale=0.0884", " causal=1 heads=3"})
      expect_softmax(std::string(dims) + attrs);
}

}  // namespace
}  // namespace assay
