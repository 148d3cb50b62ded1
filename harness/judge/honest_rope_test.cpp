// Rotary embeddings as production kernels compute them: with fused multiplications, with tables, with what eager code
// stores in 16 bits.
#include "harness/judge/test_honest_formula.h"

namespace assay::honest_rope {
namespace {

struct Method {
  enum : uint8_t { plain, fused, fused_other_way, rotate_half } sum = plain;
  bool double_table = false;  // cosines of the f32 angle in double, then rounded to f32
  bool stores_cos = false, stores_sin = false, stores_products = false;
  bool own_frequencies = false;  // computed in f32
  bool fast = false;             // sines and cosines with the intrinsics' absolute error
};

void rope(const Case& c, Tensors& tensors, const Method& method, bool broken) {
  const Tensor &x = tensors.get("x"), &inv_freq = tensors.get("inv_freq");
  Tensor& out = tensors.get("out");
  const int64_t heads = c.dim("H"), half = c.dim("D") / 2;
  const bool backward = c.text("direction") == "backward";
  const auto product = [&](float a, float b) { return method.stores_products ? stored(c.dtype, a * b) : a * b; };
  for (int64_t t = 0; t < c.dim("T"); ++t)
    for (int64_t d = 0; d < half; ++d) {
      float frequency = f32(inv_freq, d);
      if (method.own_frequencies)
        frequency =
            1 / std::pow(static_cast<float>(c.real("base")), static_cast<float>(2 * d) / static_cast<float>(2 * half));
      const float angle = static_cast<float>(t + c.dim("pos_offset") + broken) * frequency;
      float cosine = std::cos(angle), sine = std::sin(angle);
      if (method.double_table) cosine = static_cast<float>(std::cos(static_cast<double>(angle)));
      if (method.fast && angle != 0) cosine = std::fmin(1.0F, cosine + 0x1p-22F), sine -= 0x1p-22F;
      if (method.stores_cos) cosine = stored(c.dtype, cosine);
      if (method.stores_sin) sine = stored(c.dtype, sine);
      if (backward) sine = -sine;
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t first = (t * heads + h) * 2 * half + d, second = first + half;
        const float a = f32(x, first), b = f32(x, second);
        float turned_a = product(a, cosine) - product(b, sine), turned_b = product(b, cosine) + product(a, sine);
        if (method.sum == Method::fused)
          turned_a = std::fma(a, cosine, -(b * sine)), turned_b = std::fma(b, cosine, a * sine);
        if (method.sum == Method::fused_other_way)
          turned_a = std::fma(-b, sine, a * cosine), turned_b = std::fma(a, sine, b * cosine);
        if (method.sum == Method::rotate_half) turned_a = product(a, cosine) + product(-b, sine);
        out.set(first, turned_a);
        out.set(second, turned_b);
      }
    }
}

bool any(const Case& c) { return c.dim("T") > 0 && c.text("pairs") == "half"; }
bool turns(const Case& c) { return any(c) && c.text("base") != "fill"; }
bool small_angles(const Case& c) { return turns(c) && c.dim("T") <= 3 && c.text("pos_offset") == "0"; }

HonestFormula formula(std::string name, Method method, std::vector<std::string> rounds = {},
                      bool (*takes)(const Case&) = turns) {
  return {.name = std::move(name),
          .op = "rope",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { rope(c, t, method, broken); },
          .takes = takes,
          .fast_math = method.fast};
}

class HonestRope : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestRope, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestRope, WithABugFails) { expect_bug_is_seen(GetParam()); }
TEST_P(HonestRope, UndeclaredIsToldWhatToDeclare) { expect_hint(GetParam()); }

const Method kEager = {.sum = Method::rotate_half, .stores_cos = true, .stores_sin = true, .stores_products = true};

INSTANTIATE_TEST_SUITE_P(
    Production, HonestRope,
    testing::Values(
        formula("plain", {}), formula("plain_any_frequencies", {}, {}, any), formula("fused", {.sum = Method::fused}),
        formula("fused_other_way", {.sum = Method::fused_other_way}),
        formula("rotate_half", {.sum = Method::rotate_half}), formula("double_table", {.double_table = true}),
        formula("stored_cos", {.stores_cos = true}, {"cos"}), formula("stored_sin", {.stores_sin = true}, {"sin"}),
        formula("stored_table", {.sum = Method::fused, .stores_cos = true, .stores_sin = true}, {"cos", "sin"}),
        formula("stored_products", {.stores_products = true}, {"products"}),
        formula("own_frequencies", {.stores_products = true, .own_frequencies = true}, {"inv_freq", "products"}),
        formula("eager", kEager, {"cos", "sin", "products"}),
        formula("fast_intrinsics", {.fast = true}, {}, small_angles)),
    name_of);

}  // namespace
}  // namespace assay::honest_rope
