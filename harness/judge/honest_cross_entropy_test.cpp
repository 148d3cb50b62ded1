// Cross entropy as production kernels compute it: online, in tiles, by way of the logarithm of the sum or of stored
// log-probabilities.
#include "harness/judge/test_honest_formula.h"

namespace assay::honest_cross_entropy {
namespace {

struct Method {
  Order order = Order::serial;
  bool base_2 = false, tiles_online = false;
  bool gradient_by_lse = false;  // exp(x - lse)
  bool loss_by_lse = false;      // lse - x
  bool divides = false;          // by sum and by count
  bool stores_p = false, stores_log_p = false;
  bool loss_of_rows_first = false;  // each row's is divided by count after all are added up
};

struct RowSums {
  float largest = -INFINITY, sum = 0;
};

RowSums sums_of(const Tensor& logits, int64_t row, int64_t classes, const Method& method) {
  const auto x = [&](int64_t v) { return f32(logits, row + v); };
  RowSums all;
  if (method.tiles_online) {  // each tile's maximum and sum, merged
    for (int64_t first = 0; first < classes; first += 8) {
      const int64_t end = std::min(classes, first + 8);
      float largest = all.largest, sum = 0;
      for (int64_t v = first; v < end; ++v) largest = larger(largest, x(v));
      for (int64_t v = first; v < end; ++v) sum += std::exp(x(v) - largest);
      all = {largest, (first == 0 ? 0 : all.sum * std::exp(all.largest - largest)) + sum};
    }
    return all;
  }
  for (int64_t v = 0; v < classes; ++v) all.largest = larger(all.largest, x(v));
  all.sum = sum_of(classes, method.order, [&](int64_t v) {
    return method.base_2 ? std::exp2(x(v) * kLog2OfE - all.largest * kLog2OfE) : std::exp(x(v) - all.largest);
  });
  return all;
}

void cross_entropy(const Case& c, Tensors& tensors, const Method& method, bool broken) {
  const Tensor &logits = tensors.get("logits"), &targets = tensors.get("targets");
  Tensor &grad = tensors.get("grad"), &loss = tensors.get("loss");
  const int64_t classes = c.dim("V"), pad_id = std::stoll(c.text("pad_id"));
  const auto count = static_cast<float>(tensors.get("count").bits(0));
  const float inverse_count = 1 / count;
  float total = 0, at_once = f32(loss, 0);
  for (int64_t n = 0; n < c.dim("N"); ++n) {
    const int64_t target = targets.bits(n), row = n * classes;
    const bool counts = target != pad_id && target < classes;
    if (!counts)
      for (int64_t v = 0; v < classes; ++v) grad.set(row + v, 0);
    if (!counts) continue;
    const RowSums sums = sums_of(logits, row, broken ? classes - 1 : classes, method);
    const float log_sum = std::log(sums.sum), lse = sums.largest + log_sum;
    const auto log_p = [&](int64_t v) { return stored(c.dtype, f32(logits, row + v) - sums.largest - log_sum); };
    for (int64_t v = 0; v < classes; ++v) {
      const float x = f32(logits, row + v);
      const float e = method.base_2 ? std::exp2(x * kLog2OfE - sums.largest * kLog2OfE) : std::exp(x - sums.largest);
      float p = method.divides ? e / sums.sum : e * (1 / sums.sum);
      if (method.gradient_by_lse) p = std::exp(x - lse);
      if (method.stores_log_p) p = std::exp(log_p(v));
      if (method.stores_p) p = stored(c.dtype, p);
      const float d = v == target ? p - 1 : p;
      grad.set(row + v, method.divides ? d / count : d * inverse_count);
    }
    const float x = f32(logits, row + target);
    float own = log_sum - (x - sums.largest);
    if (method.loss_by_lse) own = lse - x;
    if (method.stores_log_p) own = -log_p(target);
    total += own;
    at_once += method.divides ? own / count : own * inverse_count;
  }
  loss.set(0, method.loss_of_rows_first && count > 0 ? f32(loss, 0) + total * inverse_count : at_once);
}

bool counts_rows(const Case& c) {
  return c.dim("V") > 2 && c.dim("N") > 0 && c.text("pad") != "all" && c.text("loss") == "total";
}

// Logits as models have them. Far from 0, base 2 and lse leave nothing of a difference.
bool counts_rows_near_zero(const Case& c) {
  if (!counts_rows(c)) return false;
  const Tensors given = make_tensors(*find_op(c.op), c);
  const Tensor& x = given.get("logits");
  for (int64_t i = 0; i < x.count(); ++i)
    if (std::isfinite(x.at(i)) && std::fabs(x.at(i)) > 1e4) return false;
  return true;
}

HonestFormula formula(std::string name, Method method, std::vector<std::string> rounds = {}) {
  const bool far = !method.base_2 && !method.gradient_by_lse && !method.loss_by_lse && !method.stores_log_p;
  return {.name = std::move(name),
          .op = "cross_entropy_forward_backward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { cross_entropy(c, t, method, broken); },
          .takes = far ? counts_rows : counts_rows_near_zero};
}

class HonestCrossEntropy : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestCrossEntropy, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestCrossEntropy, WithABugFails) { expect_bug_is_seen(GetParam()); }
TEST_P(HonestCrossEntropy, UndeclaredIsToldWhatToDeclare) { expect_hint(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Production, HonestCrossEntropy,
    testing::Values(formula("plain", {}), formula("divisions", {.divides = true}),
                    formula("warp_sums", {.order = Order::lanes}), formula("tiles", {.order = Order::tiles}),
                    formula("online_tiles", {.tiles_online = true}), formula("base_2", {.base_2 = true}),
                    formula("loss_by_lse", {.loss_by_lse = true}),
                    formula("online_loss_by_lse", {.tiles_online = true, .loss_by_lse = true, .divides = true}),
                    formula("gradient_by_lse", {.gradient_by_lse = true}),
                    formula("all_by_lse", {.order = Order::lanes, .gradient_by_lse = true, .loss_by_lse = true}),
                    formula("losses_of_rows_first", {.order = Order::lanes, .loss_of_rows_first = true}),
                    formula("stored_p", {.stores_p = true}, {"p"}),
                    formula("eager_log_softmax", {.stores_log_p = true}, {"log_p"}),
                    formula("stored_p_and_log_p", {.stores_p = true, .stores_log_p = true}, {"p", "log_p"})),
    name_of);

}  // namespace
}  // namespace assay::honest_cross_entropy
