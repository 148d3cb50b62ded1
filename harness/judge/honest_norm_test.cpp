// RMS norm and its gradient as production kernels compute them: Llama's, Apex's and Liger's orders of the same algebra.
#include "harness/judge/test_honest_formula.h"

namespace assay::honest_norm {
namespace {

struct Method {
  Order order = Order::serial;
  enum : uint8_t { x_first, gamma_first, over_rms, rms_last } product = x_first;
  bool stores_normalised = false;
};

void forward(const Case& c, Tensors& tensors, const Method& method, bool broken) {
  const Tensor &x = tensors.get("x"), &gamma = tensors.get("gamma");
  Tensor &y = tensors.get("y"), &rstd = tensors.get("rstd");
  const int64_t stride = c.dim("aE"), dim = stride - c.dim("pad");
  const auto eps = static_cast<float>(c.real("eps"));
  for (int64_t t = 0; t < c.dim("T"); ++t) {
    const int64_t row = t * stride;
    const auto square = [&](int64_t d) { return f32(x, row + d) * f32(x, row + d); };
    const float mean = sum_of(broken ? dim - 1 : dim, method.order, square) / static_cast<float>(dim);
    const float inv = 1 / std::sqrt(mean + eps);
    rstd.set(t, inv);
    for (int64_t d = 0; d < stride; ++d) {
      if (d >= dim) {
        y.set(row + d, 0);
        continue;
      }
      float normalised =
          method.product == Method::over_rms ? f32(x, row + d) / std::sqrt(mean + eps) : f32(x, row + d) * inv;
      if (method.stores_normalised) normalised = stored(c.dtype, normalised);
      float product = normalised * f32(gamma, d);
      if (method.product == Method::gamma_first) product = f32(x, row + d) * (inv * f32(gamma, d));
      if (method.product == Method::rms_last) product = f32(x, row + d) * f32(gamma, d) / std::sqrt(mean + eps);
      y.set(row + d, product);
    }
  }
}

struct BackwardMethod {
  Order order = Order::serial;
  enum : uint8_t { plain, apex, liger } algebra = plain;
  bool stores_normalised = false, stores_gw = false, stores_dw_terms = false;
  bool dw_in_parts = false;  // partial sums of 4 groups, as of blocks
};

// dx of one group, given its 1/rms.
void backward_row(const Case& c, Tensors& tensors, const BackwardMethod& method, int64_t row, float inv) {
  const Tensor &x = tensors.get("x"), &g = tensors.get("g"), &w = tensors.get("w");
  const int64_t dim = c.dim("dim");
  const auto n = static_cast<float>(dim);
  const auto gw = [&](int64_t d) {
    const float product = f32(g, row + d) * f32(w, d);
    return method.stores_gw ? stored(c.dtype, product) : product;
  };
  const float by_x = sum_of(dim, method.order, [&](int64_t d) { return gw(d) * f32(x, row + d); });
  const float by_normalised = sum_of(dim, method.order, [&](int64_t d) { return gw(d) * (f32(x, row + d) * inv); });
  for (int64_t d = 0; d < dim; ++d) {
    float dx = gw(d) * inv - f32(x, row + d) * (inv * inv * inv * by_x / n);
    if (method.algebra == BackwardMethod::apex) dx = inv / n * (n * gw(d) - f32(x, row + d) * inv * by_normalised);
    if (method.algebra == BackwardMethod::liger)
      dx = inv * gw(d) + inv * (-(1 / n) * inv * inv * by_x * f32(x, row + d));
    tensors.get("dx").set(row + d, dx);
  }
}

void backward(const Case& c, Tensors& tensors, const BackwardMethod& method, bool broken) {
  const Tensor &x = tensors.get("x"), &g = tensors.get("g");
  const int64_t dim = c.dim("dim"), groups = c.dim("G");
  const auto eps = static_cast<float>(c.real("eps"));
  std::vector<float> inv;
  for (int64_t r = 0; r < groups; ++r) {
    const auto square = [&](int64_t d) { return f32(x, r * dim + d) * f32(x, r * dim + d); };
    inv.push_back(1 / std::sqrt(sum_of(dim, method.order, square) / static_cast<float>(dim) + (broken ? 0 : eps)));
    backward_row(c, tensors, method, r * dim, inv.back() * (broken ? 1.01F : 1));
  }
  Tensor& dw = tensors.get("dw");
  for (int64_t d = 0; d < dim; ++d) {
    const auto term = [&](int64_t r) {
      float normalised = f32(x, r * dim + d) * inv[static_cast<size_t>(r)];
      if (method.stores_normalised) normalised = stored(c.dtype, normalised);
      const float product = normalised * f32(g, r * dim + d);
      return method.stores_dw_terms ? stored(c.dtype, product) : product;
    };
    dw.set(d, f32(dw, d) + sum_of(groups, method.dw_in_parts ? Order::tiles : Order::serial, term));
  }
}

bool has_rows(const Case& c) { return c.dim("T") > 0 && c.dim("aE") - c.dim("pad") > 1; }
bool has_groups(const Case& c) { return c.dim("G") > 0 && c.dim("dim") > 1; }
bool stores_groups(const Case& c) { return has_groups(c) && !may_overflow(c); }

HonestFormula forward_formula(std::string name, Method method, std::vector<std::string> rounds = {}) {
  return {.name = std::move(name),
          .op = "rms_norm_forward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { forward(c, t, method, broken); },
          .takes = has_rows};
}
HonestFormula backward_formula(std::string name, BackwardMethod method, std::vector<std::string> rounds = {}) {
  return {.name = std::move(name),
          .op = "rms_norm_backward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { backward(c, t, method, broken); },
          .takes = method.stores_gw || method.stores_dw_terms ? stores_groups : has_groups};
}

class HonestNorm : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestNorm, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestNorm, WithABugFails) { expect_bug_is_seen(GetParam()); }
TEST_P(HonestNorm, UndeclaredIsToldWhatToDeclare) { expect_hint(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Production, HonestNorm,
    testing::Values(forward_formula("plain", {}), forward_formula("warp_sums", {.order = Order::lanes}),
                    forward_formula("tiles", {.order = Order::tiles}),
                    forward_formula("gamma_first", {.product = Method::gamma_first}),
                    forward_formula("over_rms", {.product = Method::over_rms}),
                    forward_formula("rms_last", {.product = Method::rms_last}),
                    forward_formula("llama", {.stores_normalised = true}, {"normalised"}),
                    backward_formula("gradient", {}),
                    backward_formula("gradient_warp_sums", {.order = Order::lanes, .dw_in_parts = true}),
                    backward_formula("apex", {.order = Order::lanes, .algebra = BackwardMethod::apex}),
                    backward_formula("liger", {.algebra = BackwardMethod::liger, .dw_in_parts = true}),
                    backward_formula("stored_normalised", {.stores_normalised = true}, {"normalised"}),
                    backward_formula("stored_gw", {.stores_gw = true}, {"gw"}),
                    backward_formula("stored_dw_terms", {.stores_dw_terms = true}, {"dw_terms"}),
                    backward_formula("eager_llama",
                                     {.stores_normalised = true, .stores_gw = true, .stores_dw_terms = true},
                                     {"normalised", "gw", "dw_terms"})),
    name_of);

}  // namespace
}  // namespace assay::honest_norm
