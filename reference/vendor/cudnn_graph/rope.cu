// rope by a graph of products and sums on both halves of heads; a kernel of ours computes sines and cosines before it.
#include "reference/vendor/cudnn_graph/graph_variant.h"
#include "reference/vendor/cudnn_graph/planned.h"
#include "reference/vendor/cudnn_graph/rope_nodes.h"
#include "reference/vendor/plan_cache.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;
using assay::DType;

int64_t half_of(const Case& c) { return c.dim("D") / 2; }
int64_t table_bytes(const Case& c) {
  return align_workspace(c.dim("T") * half_of(c) * static_cast<int64_t>(sizeof(float)));
}

// cosines, sines: (tokens, half)
__global__ void make_tables(const float* inv_freq, float* cosines, float* sines, int64_t tokens, int64_t half,
                            int64_t offset) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= tokens * half) return;
  float s = 0, c = 0;
  sincosf(static_cast<float>(i / half + offset) * inv_freq[i % half], &s, &c);
  cosines[i] = c;
  sines[i] = s;
}

// The halves "a" and "b" of x and out: (T, H, D/2) of rows of D elements; tables: (T, 1, D/2).
GraphDescription turn(const Case& c) {
  const int64_t tokens = c.dim("T"), heads = c.dim("H"), half = half_of(c);
  const bool backward = c.text("direction") == "backward";
  const auto of_heads = [&](const char* name) {
    return GraphTensor{name, c.dtype, {tokens, heads, half}, {heads * 2 * half, 2 * half, 1}};
  };
  const auto table = [&](const char* name) {
    return GraphTensor{name, DType::f32, {tokens, 1, half}, {half, half, 1}};
  };
  return {
      .what = "rope",
      .tensors = {of_heads("in.a"), of_heads("in.b"), table("cos"), table("sin"), of_heads("out.a"), of_heads("out.b")},
      .nodes = rotation(backward)};
}

void run(assay::Call& call) {
  const Case& c = call.c();
  const int64_t tokens = c.dim("T"), half = half_of(c);
  if (tokens == 0) return;
  static auto& plans = *new PlanCache<std::unique_ptr<Graph>>;
  const auto* plan = plans.get(c, [&] { return plan_graph(turn(c), {}); });
  if (!plan) return;
  auto* const cosines = call.workspace<float>();
  auto* const sines = reinterpret_cast<float*>(call.workspace<char>() + table_bytes(c));
  assay::launch(make_tables, {.grid = dim3(assay::ceil_div(tokens * half, 256)), .block = dim3(256)},
                call.in<float>("inv_freq"), cosines, sines, tokens, half, c.dim("pos_offset"));
  const int64_t half_bytes = half * static_cast<int64_t>(assay::size_of(c.dtype));
  const auto error = (*plan)->run([&](std::string_view name) -> void* {
    if (name == "cos") return cosines;
    if (name == "sin") return sines;
    return call.out<char>(name.starts_with("in") ? "x" : "out") + (name.ends_with("b") ? half_bytes : 0);
  });
  if (error) assay::note_refused_launch(error->line());
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.text("pairs") != "half")
    return "cuDNN wants tensors that begin at multiples of 16 bytes, and every other element does not";
  if (half_of(c) * static_cast<int64_t>(assay::size_of(c.dtype)) % 16 != 0)
    return "cuDNN wants tensors that begin at multiples of 16 bytes, and the upper halves of heads do not";
  return refused_alias(c) ? refused_alias(c) : no_graphs();
}

const assay::RegisterVariant kVariant(
    {.op = "rope",
     .name = "cudnn_mul_add",
     .summary = "a graph of cuDNN's MUL, SUB and ADD behind a table of sines by a kernel of ours",
     .aligned = 16,
     .vendor = "cuDNN",
     .domains = {{.name = "pairs", .values = {"half"}}},
     .unsupported = unsupported,
     .adjust =
         [](Case& c) {
           not_in_place(c);
           c.set("D", std::to_string((c.dim("D") + 15) / 16 * 16));
         },
     .workspace_bytes = [](const Case& c) { return 2 * table_bytes(c); },
     .run = run});

const RegisterPlanned kPlans("rope/cudnn_mul_add", [](const Case& c, const GraphTarget& target) {
  if (c.dim("T") == 0) return std::optional<assay::Error>();
  return refusal_of(plan_graph(turn(c), target));
});

}  // namespace
