// The attention references against finite differences of an independent forward, in long double.
//
// The forward here shares nothing with the reference: it looks at every pair of query and key, takes no maximum, and
// knows one layout. The loss is sum dO·O, so its derivatives are the gradients that the backward computes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "harness/op/registry.h"
#include "reference/attention.h"

namespace assay {
namespace {

using Values = std::map<std::string, std::vector<long double>>;

int64_t extent(const Case& c, const char* attr) {
  const std::string& text = c.text(attr);
  return text == "1" ? 1 : c.dim(text);
}

// Element of a (batches, heads, queries, Sk) tensor that broadcasts over what its extents are 1 (or HK) for.
int64_t broadcast_at(const Case& c, const std::string& tensor, int64_t b, int64_t h, int64_t i, int64_t j) {
  const int64_t batches = extent(c, (tensor + "_batch").c_str()), heads = extent(c, (tensor + "_heads").c_str()),
                queries = extent(c, (tensor + "_queries").c_str());
  const int64_t head = heads == 1 ? 0 : heads == c.dim("H") ? h : h / (c.dim("H") / heads);
  return (((batches == 1 ? 0 : b) * heads + head) * queries + (queries == 1 ? 0 : i)) * c.dim("Sk") + j;
}

long double loss(const Case& c, const Values& x) {
  const int64_t B = c.dim("B"), Sq = c.dim("Sq"), Sk = c.dim("Sk"), H = c.dim("H"), HK = c.dim("HK"), D = c.dim("D");
  const bool biased = x.count("bias") > 0, causal = c.text("causal") == "1";
  const long double scale = c.text("scale") == "auto" ? static_cast<float>(1 / std::sqrt(static_cast<double>(D)))
                                                      : static_cast<float>(c.real("scale"));
  const auto q_at = [&](int64_t b, int64_t i, int64_t h, int64_t d) {
    return static_cast<size_t>(((b * Sq + i) * H + h) * D + d);
  };
  const auto k_at = [&](int64_t b, int64_t j, int64_t h, int64_t d) {
    return static_cast<size_t>(((b * Sk + j) * HK + h * HK / H) * D + d);
  };
  long double total = 0;
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h)
      for (int64_t i = 0; i < Sq; ++i) {
        long double sum = 0, weighted = 0;
        for (int64_t j = 0; j < Sk; ++j) {
          if (causal && j - i > Sk - Sq) continue;
          long double score = 0, gradient = 0;
          for (int64_t d = 0; d < D; ++d) score += x.at("q")[q_at(b, i, h, d)] * x.at("k")[k_at(b, j, h, d)];
          for (int64_t d = 0; d < D; ++d) gradient += x.at("do")[q_at(b, i, h, d)] * x.at("v")[k_at(b, j, h, d)];
          score *= scale;
          if (biased) {
            if (c.text("mask") != "none" && x.at("mask")[static_cast<size_t>(broadcast_at(c, "mask", b, h, i, j))] == 0)
              continue;
            score += x.at("bias")[static_cast<size_t>(broadcast_at(c, "bias", b, h, i, j))];
          }
          sum += std::exp(score);
          weighted += std::exp(score) * gradient;
        }
        if (sum > 0) total += weighted / sum;
      }
  return total;
}

std::vector<long double> values_of(const Tensor& tensor) {
  std::vector<long double> values;
  for (int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i));
  return values;
}

// The central difference by one element, of fourth order.
long double derivative(const Case& c, Values x, const std::string& name, size_t i) {
  constexpr long double kStep = 1e-3L;
  const long double here = x.at(name)[i];
  const auto at = [&](int steps) {
    x.at(name)[i] = here + steps * kStep;
    return loss(c, x);
  };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
}

void expect_gradients(const std::string& line) {
  SCOPED_TRACE(line);
  const Contract& contract = *find_op(parse_case(line)->op);
  const Result<Case> c = conform(contract, *parse_case(line), line);
  ASSERT_TRUE(c) << c.error().what;
  const Tensors given = make_tensors(contract, *c);
  Values x;
  for (const Tensor& tensor : given)
    if (tensor.role() == Role::input) x[tensor.name()] = values_of(tensor);
  if (c->op == "attention_backward") x.erase("bias");
  // The forward's saved results are rounded to f32, which moves the gradients by a few times that rounding.
  const long double allowed = c->text("saved") == "none" ? 1e-9L : 1e-5L;
  for (const RefTensor<double>& gradient : contract.reference.value(*c, given)) {
    const Tensor& before = given.get(gradient.name);
    for (int64_t i = 0; i < std::ssize(gradient.values); ++i) {
      const int64_t stride = gradient.shape.back(), cols = gradient.name == "dbias" ? c->dim("Sk") : stride;
      if (i % stride >= cols) continue;  // between two rows of dbias
      const auto at = static_cast<size_t>(i / stride * cols + i % stride);
      const long double want =
          derivative(*c, x, gradient.name.substr(1), at) + (before.role() == Role::accumulate ? before.at(i) : 0);
      ASSERT_NEAR(static_cast<double>(gradient[i]), static_cast<double>(want),
                  static_cast<double>(allowed * (1 + std::fabs(want))))
          << gradient.name << index_text(gradient.shape, i);
    }
  }
}

TEST(AttentionReference, GradientsAreTheDerivativesOfAnIndependentForward) {
  for (const char* dims : {"B=1 Sq=1 Sk=1 H=1 HK=1 D=1", "B=2 Sq=5 Sk=5 H=2 HK=2 D=3", "B=1 Sq=3 Sk=7 H=4 HK=2 D=5",
                           "B=1 Sq=7 Sk=4 H=3 HK=1 D=2"})
    for (const char* attrs : {"causal=0 scale=auto", "causal=1 scale=auto", "causal=1 scale=-0.3"})
      for (const char* saved : {"none", "lse_delta", "lse_o"})
        for (const char* later : {"", " dkv=accumulate", " delta_layout=token_major"})
          expect_gradients(std::string("attention_backward/reference f32 ") + dims + " " + attrs +
                           " layout=token_major saved=" + saved + " grads=f32" + later +
                           " fill=normal seed=3 schedule=0");
}

// A kernel that divides the weights first rounds every product of tiny values in steps of the least number, to one
// side.
TEST(AttentionReference, ProductsOfDividedWeightsMayBeSubnormal) {
  for (const float value : {2.9e-41f, -1.2e-40f, 3e-39f, 1e-37f, 0.7f}) {
    constexpr int kKeys = 365;
    reference::SoftmaxMean<Tracked> mean;
    float got = 0;
    for (int j = 0; j < kKeys; ++j) {
      mean.add(1.0, 1.0, value);
      got += 1.0f / kKeys * value;
    }
    const Tracked want = mean.value(double{kKeys});
    EXPECT_LE(std::fabs(got - want.v), kBudgetFactor * want.spread() + ulp(DType::f32, want.v) / 2) << value;
    EXPECT_LT(kBudgetFactor * want.spread(), std::max(1e-4 * std::fabs(want.v), kKeys * ulp(DType::f32, 0))) << value;
  }
}

TEST(AttentionReference, GradientsOfABiasAddUpWhatItIsBroadcastOver) {
  int runs = 0;
  for (const char* dims : {"B=2 Sq=3 Sk=4 H=4 HK=2 D=3", "B=1 Sq=5 Sk=3 H=2 HK=1 D=2"})
    for (const char* causal : {"0", "1"})
      for (const char* bias :
           {"bias_batch=1 bias_heads=1 bias_queries=1", "bias_batch=B bias_heads=HK bias_queries=1",
            "bias_batch=1 bias_heads=HK bias_queries=Sq", "bias_batch=B bias_heads=H bias_queries=Sq"})
        for (const char* mask : {"mask=none mask_batch=1 mask_heads=1 mask_queries=1",
                                 "mask=some mask_batch=B mask_heads=1 mask_queries=1",
                                 "mask=rows mask_batch=1 mask_heads=HK mask_queries=Sq"}) {
          ++runs;
          const std::string saved = runs % 2 == 0 ? "lse_o" : "lse_delta", pad = runs % 3 == 0 ? "3" : "0";
          expect_gradients(std::string("attention_bias_backward/reference f32 ") + dims + " dbias_pad=" + pad +
                           " causal=" + causal + " scale=auto layout=token_major saved=" + saved + " grads=f32 " +
                           bias + " " + mask + " fill=normal seed=5 schedule=0");
        }
}

// One of them is the maximum, and the other's score was added up by itself.
TEST(AttentionForward, EqualScoresDifferByTheirRoundings) {
  const Tracked score(2, 0x1p-46, 0);
  const reference::SoftmaxRow<Tracked> row = reference::softmax_row<Tracked>({score, score});
  EXPECT_EQ(row.weights[0].spread(), 0);
  EXPECT_GE(row.weights[1].spread(), 0x1p-23);
  EXPECT_EQ(row.sum.v, 2);
}

// torch.masked_fill(scores, mask, -1e9) instead of minus infinity: only queries that see no key notice.
TEST(AttentionForward, AMaskThatIsANumberGivesAQueryWithoutKeysTheMean) {
  const Contract& contract = *find_op("attention_forward");
  const std::string line =
      "attention_forward/any f32 B=1 Sq=3 Sk=2 H=1 HK=1 D=2 causal=1 scale=auto layout=token_major fill=normal seed=1";
  const Case c = *conform(contract, *parse_case(line), line);
  const Tensors given = make_tensors(contract, c);
  const auto infinite = contract.reference.value(c, given);
  const TrackedPrecision masked({.mask_value = -1e9});
  const auto finite = contract.reference.value(c, given);
  const Tensor& v = given.get("v");
  for (int64_t d = 0; d < 2; ++d) {
    EXPECT_EQ(infinite[0][d], 0);
    EXPECT_DOUBLE_EQ(finite[0][d], (v.at(d) + v.at(2 + d)) / 2);
  }
  EXPECT_DOUBLE_EQ(finite[1][0], -1e9 + std::log(2.0));
  for (int64_t i = 2; i < 6; ++i) EXPECT_EQ(finite[0][i], infinite[0][i]) << i;
  EXPECT_EQ(finite[1][2], infinite[1][2]);
}

}  // namespace
}  // namespace assay
