// rope_qk by two graphs of products and sums on both halves of heads, one for q and one for k; the tables are given.
#include "harness/tensor/dtype.h"
#include "reference/vendor/cudnn_graph/planned.h"
#include "reference/vendor/cudnn_graph/rope_nodes.h"
#include "reference/vendor/plan_cache.h"

namespace assay::vendor {
namespace {

int64_t half_of(const Case& c) { return c.dim("ad") / 2; }

// Heads begin `slots` rows of `ad` elements apart.
GraphDescription turn(const Case& c, int64_t heads, int64_t slots) {
  const int64_t tokens = c.dim("T"), row = c.dim("ad"), half = half_of(c);
  return rotation(c, {heads, tokens, half}, {slots * row, row, 1}, {1, tokens, half}, {tokens * half, half, 1});
}

struct Plans {
  std::unique_ptr<Graph> q, k;
};

Result<Plans> plan_both(const Case& c, const GraphTarget& target) {
  Plans plans;
  plans.q = ASSAY_TRY(plan_graph(turn(c, c.dim("H"), c.dim("T")), target));
  plans.k = ASSAY_TRY(plan_graph(turn(c, c.dim("HK"), c.dim("k_stride")), target));
  return plans;
}

void run(Call& call) {
  const Case& c = call.c();
  if (c.dim("T") == 0) return;
  static auto& caches = *new PlanCache<Plans>;
  const Plans* plans = caches.get(c, [&] { return plan_both(c, {}); });
  if (!plans) return;
  const int64_t half_bytes = half_of(c) * static_cast<int64_t>(size_of(c.dtype));
  for (const auto& [graph, name] : {std::pair{plans->q.get(), std::string("q")}, {plans->k.get(), std::string("k")}}) {
    const auto error = graph->run([&](std::string_view part) -> void* {
      if (part == "cos" || part == "sin") return call.out<float>(part) + c.dim("pos_offset") * half_of(c);
      return call.out<char>(part.starts_with("in") ? name : name + "_out") + (part.ends_with("b") ? half_bytes : 0);
    });
    if (error) return note_refused_launch(error->line());
  }
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("pad") != 0) return "the graph leaves padding between heads as it is";
  const auto why = refused_rotation(c, half_of(c));
  return why ? why : no_graphs();
}

const RegisterVariant kVariant({.op = "rope_qk",
                                .name = "cudnn_mul_add",
                                .summary = "graphs of cuDNN's MUL, SUB and ADD, one for q and one for k",
                                .aligned = 16,
                                .vendor = "cuDNN",
                                .domains = {{.name = "pairs", .values = {"half"}}},
                                .unsupported = unsupported,
                                .adjust =
                                    [](Case& c) {
                                      not_in_place(c);
                                      c.set("pad", "0");
                                      c.set("ad", std::to_string((c.dim("ad") + 15) / 16 * 16));
                                    },
                                .run = run});

const RegisterPlanned kPlans("rope_qk/cudnn_mul_add",
                             [](const Case& c, const GraphTarget& target) -> std::optional<Error> {
                               if (c.dim("T") == 0) return std::nullopt;
                               return refusal_of(plan_both(c, target));
                             });

}  // namespace
}  // namespace assay::vendor
