// Attention of heads with padding, and its gradients from saved probabilities, with a scale that the kernel takes from
// the width of a head itself: by a root and a division, or by an rsqrtf as bad as CUDA documents.
#include "harness/judge/test_honest_formula.h"
#include "reference/attention.h"

namespace assay::honest_head_major {
namespace {

struct Shape {
  int64_t queries, heads, kv_heads, dim;
  reference::HeadLayout q, kv;
  int64_t kv_head(int64_t head) const { return head / (heads / kv_heads); }
};

Shape shape_of(const Case& c) {
  const int64_t tokens = c.dim("T"), heads = c.dim("H"), kv_heads = c.dim("HK"), stride = c.dim("ad");
  return {
      tokens, heads, kv_heads, stride - c.dim("pad"), {true, tokens, heads, stride}, {true, tokens, kv_heads, stride}};
}

using Scale = float (*)(int64_t dim);

float by_division(int64_t dim) { return 1 / std::sqrt(static_cast<float>(dim)); }
float rounded(int64_t dim) { return static_cast<float>(1 / std::sqrt(static_cast<double>(dim))); }
float two_above(int64_t dim) { return std::nextafter(std::nextafter(rounded(dim), INFINITY), INFINITY); }
float two_below(int64_t dim) { return std::nextafter(std::nextafter(rounded(dim), 0.0F), 0.0F); }

float product(const Tensor& left, int64_t left_at, const Tensor& right, int64_t right_at, int64_t count) {
  return sum_of(count, Order::lanes, [&](int64_t d) { return f32(left, left_at + d) * f32(right, right_at + d); });
}

void forward(const Case& c, Tensors& tensors, Scale scale_of, bool broken) {
  const Shape a = shape_of(c);
  const Tensor& v = tensors.get("v");
  Tensor &out = tensors.get("out"), &probs = tensors.get("probs");
  const float scale = scale_of(broken ? a.dim + 1 : a.dim);
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.queries; ++i) {
      const int64_t at = a.q.at(0, i, h), g = a.kv_head(h), row = (h * c.dim("aw") + i) * c.dim("aw");
      std::vector<float> p(static_cast<size_t>(i + 1));
      float largest = -INFINITY, sum = 0;
      for (int64_t j = 0; j <= i; ++j) {
        float& score = p[static_cast<size_t>(j)];
        score = product(tensors.get("q"), at, tensors.get("k"), a.kv.at(0, j, g), a.dim) * scale;
        largest = larger(largest, score);
      }
      for (float& each : p) sum += each = std::exp(each - largest);
      for (int64_t d = 0; d < c.dim("ad"); ++d) out.set(at + d, 0);
      for (int64_t d = 0; d < a.dim; ++d) {
        float total = 0;
        for (int64_t j = 0; j <= i; ++j) total += p[static_cast<size_t>(j)] * f32(v, a.kv.at(0, j, g) + d);
        out.set(at + d, total / sum);
      }
      for (int64_t j = 0; c.text("probs") == "saved" && j < a.queries; ++j)
        probs.set(row + j, j <= i ? p[static_cast<size_t>(j)] / sum : 0);
    }
}

void backward(const Case& c, Tensors& tensors, Scale scale_of, bool broken) {
  const Shape a = shape_of(c);
  const Tensor &q = tensors.get("q"), &k = tensors.get("k"), &v = tensors.get("v"), &go = tensors.get("do");
  const float scale = scale_of(broken ? a.dim + 1 : a.dim);
  std::vector<float> dq(static_cast<size_t>(q.count())), dk(static_cast<size_t>(k.count())), dv = dk;
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.queries; ++i) {
      const int64_t at = a.q.at(0, i, h), row = (h * c.dim("aw") + i) * c.dim("aw");
      std::vector<float> dp;
      float mean = 0;
      for (int64_t j = 0; j <= i; ++j) {
        dp.push_back(product(go, at, v, a.kv.at(0, j, a.kv_head(h)), a.dim));
        mean += f32(tensors.get("w"), row + j) * dp.back();
      }
      for (int64_t j = 0; j < a.queries; ++j) {
        const float w = j <= i ? f32(tensors.get("w"), row + j) : 0;
        const float ds = j <= i ? w * (dp[static_cast<size_t>(j)] - mean) : 0;
        tensors.get("ds").set(row + j, ds);
        const int64_t key = a.kv.at(0, j, a.kv_head(h));
        for (int64_t d = 0; j <= i && d < a.dim; ++d) {
          dq[static_cast<size_t>(at + d)] += ds * f32(k, key + d);
          dk[static_cast<size_t>(key + d)] += ds * f32(q, at + d);
          dv[static_cast<size_t>(key + d)] += w * f32(go, at + d);
        }
      }
    }
  for (size_t n = 0; n < dq.size(); ++n) tensors.get("dq").set(static_cast<int64_t>(n), dq[n] * scale);
  for (size_t n = 0; n < dk.size(); ++n) {
    tensors.get("dk").set(static_cast<int64_t>(n), dk[n] * scale);
    tensors.get("dv").set(static_cast<int64_t>(n), dv[n]);
  }
}

HonestFormula formula(std::string name, std::string op, Scale scale) {
  const bool is_forward = op == "attention_causal_head_major";
  return {
      .name = std::move(name),
      .op = std::move(op),
      .kernel = [=](const Case& c, Tensors& t, bool broken) { (is_forward ? forward : backward)(c, t, scale, broken); },
      .takes = [](const Case& c) { return c.dim("T") > 1; }};
}
HonestFormula forward_formula(std::string name, Scale scale) {
  return formula(std::move(name), "attention_causal_head_major", scale);
}
HonestFormula backward_formula(std::string name, Scale scale) {
  return formula(std::move(name), "attention_backward_saved", scale);
}

class HonestHeadMajor : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestHeadMajor, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestHeadMajor, WithABugFails) { expect_bug_is_seen(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Production, HonestHeadMajor,
                         testing::Values(forward_formula("rounded_once", rounded),
                                         forward_formula("by_division", by_division),
                                         forward_formula("two_ulps_above", two_above),
                                         forward_formula("two_ulps_below", two_below),
                                         backward_formula("gradients_rounded_once", rounded),
                                         backward_formula("gradients_by_division", by_division),
                                         backward_formula("gradients_two_ulps_above", two_above),
                                         backward_formula("gradients_two_ulps_below", two_below)),
                         name_of);

// Scores far below the maximum of their row: what the scale errs by is multiplied by that distance.
TEST(HonestHeadMajorFarScores, PassWithAScaleOfTheKernelsOwn) {
  const Contract& contract = *find_op("attention_causal_head_major");
  const Variant variant;
  const Case c =
      *parse_case("attention_causal_head_major/any f32 T=2 H=1 HK=1 ad=1 pad=0 aw=2 probs=saved fill=integers seed=1");
  Tensors given = make_tensors(contract, c);
  for (int64_t i = 0; i < 2; ++i) {
    given.get("q").set(i, 4);
    given.get("k").set(i, i == 0 ? -15 : 0);  // the second query's scores are -60 and 0
  }
  for (const Scale scale : {rounded, by_division, two_above, two_below}) {
    Trial trial(contract, variant, c, given);
    forward(c, trial.got, scale, false);
    const Findings findings = judge::values(trial);
    EXPECT_TRUE(findings.empty()) << findings[0].detail;
  }
}

}  // namespace
}  // namespace assay::honest_head_major
