// Softmax and its gradient as production kernels compute them: every order of sums, base 2, online, by way of the
// logarithm of the sum, with what is stored in 16 bits.
#include "harness/judge/test_honest_formula.h"

namespace assay::honest_softmax {
namespace {

constexpr float kLog2OfE = 1.44269504F;

enum class Exponent : uint8_t { natural, base_2, fused_base_2, lse };

struct Method {
  Order order = Order::serial;
  Exponent exponent = Exponent::natural;
  bool online = false, divides = false, stores_exp = false;
};

// Every operation in f16, as __half has them, the sum of the exponentials too.
void softmax_in_f16(const Case& c, Tensors& tensors, Order order, bool broken) {
  const Tensor& x = tensors.get("x");
  const int64_t cols = c.dim("cols"), used = broken ? (cols + 1) / 2 : cols;
  const auto rounded = [](float value) { return stored(DType::f16, value); };
  for (int64_t row = 0; row < x.count(); row += cols) {
    float largest = -INFINITY;
    for (int64_t j = 0; j < cols; ++j) largest = larger(largest, f32(x, row + j));
    const auto weight = [&](int64_t j) { return rounded(std::exp(rounded(f32(x, row + j) - largest))); };
    const int64_t strands = order == Order::lanes ? 32 : 1;
    std::vector<float> sums(static_cast<size_t>(strands));
    for (int64_t j = 0; j < used; ++j) {
      float& sum = sums[static_cast<size_t>(j % strands)];
      sum = rounded(sum + weight(j));
    }
    for (size_t step = sums.size() / 2; step > 0; step /= 2)
      for (size_t l = 0; l < step; ++l) sums[l] = rounded(sums[l] + sums[l + step]);
    for (int64_t j = 0; j < cols; ++j) tensors.get("y").set(row + j, rounded(weight(j) / sums[0]));
  }
}

float exponential(Exponent exponent, float x, float largest) {
  if (exponent == Exponent::base_2) return std::exp2(x * kLog2OfE - largest * kLog2OfE);
  if (exponent == Exponent::fused_base_2) return std::exp2(std::fma(x, kLog2OfE, -largest * kLog2OfE));
  return std::exp(x - largest);
}

// Running maximum and sum, as kernels have them that read a row once.
std::pair<float, float> online_sums(const Tensor& x, int64_t row, int64_t cols) {
  float largest = f32(x, row), sum = 1;
  for (int64_t j = 1; j < cols; ++j) {
    const float next = larger(largest, f32(x, row + j));
    const float scale = largest == next ? 1 : std::exp(largest - next);  // no inf - inf
    const float own = f32(x, row + j) == next && std::isinf(next) ? NAN : std::exp(f32(x, row + j) - next);
    sum = sum * scale + own;
    largest = next;
  }
  return {largest, std::isinf(largest) ? NAN : sum};
}

void softmax(const Case& c, Tensors& tensors, const Method& method, bool broken) {
  const Tensor& x = tensors.get("x");
  Tensor& y = tensors.get("y");
  const int64_t cols = c.dim("cols"), used = broken ? (cols + 1) / 2 : cols;  // half of the row is not added up
  for (int64_t row = 0; row < x.count(); row += cols) {
    float largest = -INFINITY;
    for (int64_t j = 0; j < cols; ++j) largest = larger(largest, f32(x, row + j));
    float sum =
        sum_of(used, method.order, [&](int64_t j) { return exponential(method.exponent, f32(x, row + j), largest); });
    if (method.online) std::tie(largest, sum) = online_sums(x, row, used);
    const float lse = largest + std::log(sum);
    for (int64_t j = 0; j < cols; ++j) {
      float e = exponential(method.exponent, f32(x, row + j), largest);
      if (method.stores_exp) e = stored(c.dtype, e);
      const float p = method.divides ? e / sum : e * (1 / sum);
      y.set(row + j, method.exponent == Exponent::lse ? std::exp(f32(x, row + j) - lse) : p);
    }
  }
}

struct BackwardMethod {
  Order order = Order::serial;
  enum : uint8_t { factored, products, fused } dx = factored;
  bool stores_products = false, stores_dot = false;
};

void backward(const Case& c, Tensors& tensors, const BackwardMethod& method, bool broken) {
  const Tensor &y = tensors.get("y"), &g = tensors.get("g");
  const int64_t cols = c.dim("cols");
  const auto product = [&](int64_t i) {
    const float gy = f32(g, i) * f32(y, i);
    return method.stores_products ? stored(c.dtype, gy) : gy;
  };
  for (int64_t row = 0; row < y.count(); row += cols) {
    float dot = sum_of(broken ? cols - 1 : cols, method.order, [&](int64_t j) { return product(row + j); });
    if (method.stores_dot) dot = stored(c.dtype, dot);
    for (int64_t i = row; i < row + cols; ++i) {
      float dx = f32(y, i) * (f32(g, i) - dot);
      if (method.dx == BackwardMethod::products) dx = product(i) - f32(y, i) * dot;
      if (method.dx == BackwardMethod::fused) dx = std::fma(-f32(y, i), dot, product(i));
      tensors.get("dx").set(i, dx);
    }
  }
}

// Logits as models have them. Far from 0, base 2 and lse leave nothing of a difference.
bool near_zero(const Case& c) {
  const Tensors given = make_tensors(*find_op(c.op), c);
  const Tensor& x = given.get("x");
  for (int64_t i = 0; i < x.count(); ++i)
    if (std::isfinite(x.at(i)) && std::fabs(x.at(i)) > 1e4) return false;
  return true;
}
bool has_columns(const Case& c) { return c.dim("cols") > 2 && c.dim("rows") > 0; }
bool stores_columns(const Case& c) { return has_columns(c) && !may_overflow(c); }
bool has_columns_near_zero(const Case& c) { return has_columns(c) && near_zero(c); }

HonestFormula forward_formula(std::string name, Method method, std::vector<std::string> rounds = {}) {
  const bool far = method.exponent == Exponent::natural;
  return {.name = std::move(name),
          .op = "softmax_forward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { softmax(c, t, method, broken); },
          .takes = far ? has_columns : has_columns_near_zero};
}
HonestFormula backward_formula(std::string name, BackwardMethod method, std::vector<std::string> rounds = {}) {
  return {.name = std::move(name),
          .op = "softmax_backward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { backward(c, t, method, broken); },
          .takes = method.stores_products || method.stores_dot ? stores_columns : has_columns};
}

bool is_f16(const Case& c) { return has_columns(c) && c.dtype == DType::f16; }
HonestFormula f16_formula(std::string name, Order order) {
  return {.name = std::move(name),
          .op = "softmax_forward",
          .kernel = [=](const Case& c, Tensors& t, bool broken) { softmax_in_f16(c, t, order, broken); },
          .takes = is_f16,
          .accumulate = Accumulate::f16};
}

class HonestSoftmax : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestSoftmax, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestSoftmax, WithABugFails) { expect_bug_is_seen(GetParam()); }
TEST_P(HonestSoftmax, UndeclaredIsToldWhatToDeclare) { expect_hint(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Production, HonestSoftmax,
    testing::Values(forward_formula("reciprocal", {}), forward_formula("division", {.divides = true}),
                    forward_formula("warp_sums", {.order = Order::lanes}),
                    forward_formula("tiles", {.order = Order::tiles}),
                    forward_formula("online", {.online = true, .divides = true}),
                    forward_formula("base_2", {.exponent = Exponent::base_2}),
                    forward_formula("fused_base_2", {.exponent = Exponent::fused_base_2}),
                    forward_formula("lse", {.order = Order::lanes, .exponent = Exponent::lse}),
                    forward_formula("stored_exp", {.stores_exp = true}, {"exp"}),
                    f16_formula("f16_serial", Order::serial), f16_formula("f16_lanes", Order::lanes),
                    backward_formula("factored", {}), backward_formula("warp_dot", {.order = Order::lanes}),
                    backward_formula("products", {.dx = BackwardMethod::products}),
                    backward_formula("fused", {.dx = BackwardMethod::fused}),
                    backward_formula("stored_products", {.stores_products = true}, {"gy"}),
                    backward_formula("stored_dot", {.stores_dot = true}, {"dot"}),
                    backward_formula("eager",
                                     {.dx = BackwardMethod::products, .stores_products = true, .stores_dot = true},
                                     {"gy", "dot"})),
    name_of);

}  // namespace
}  // namespace assay::honest_softmax
