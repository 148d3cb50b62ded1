// rope by a graph of products and sums on both halves of heads; a kernel of ours computes sines and cosines before it.
#include "reference/vendor/cudnn_graph/rope_nodes.h"
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

GraphDescription turn(const Case& c) {
  const int64_t tokens = c.dim("T"), heads = c.dim("H"), half = half_of(c);
  return rotation(c, {tokens, heads, half}, {heads * 2 * half, 2 * half, 1}, {tokens, 1, half}, {half, half, 1});
}

float* cosines_of(const assay::Call& call) { return call.workspace<float>(); }
float* sines_of(const assay::Call& call) {
  return reinterpret_cast<float*>(call.workspace<char>() + table_bytes(call.c()));
}

void launch_tables(const assay::Call& call) {
  const int64_t tokens = call.dim("T"), half = half_of(call.c());
  assay::launch(make_tables, {.grid = dim3(assay::ceil_div(tokens * half, 256)), .block = dim3(256)},
                call.in<float>("inv_freq"), cosines_of(call), sines_of(call), tokens, half, call.dim("pos_offset"));
}

void* pointer_of(const assay::Call& call, std::string_view name) {
  if (name == "cos") return cosines_of(call);
  if (name == "sin") return sines_of(call);
  const int64_t half_bytes = half_of(call.c()) * static_cast<int64_t>(assay::size_of(call.dtype()));
  return call.out<char>(name.starts_with("in") ? "x" : "out") + (name.ends_with("b") ? half_bytes : 0);
}

const RegisterGraph kVariant(
    {.op = "rope",
     .name = "cudnn_mul_add",
     .summary = "a graph of cuDNN's MUL, SUB and ADD behind a table of sines by a kernel of ours",
     .describe = turn,
     .pointer_of = pointer_of,
     .unsupported = [](const Case& c) { return refused_rotation(c, half_of(c)); },
     .adjust =
         [](Case& c) {
           not_in_place(c);
           c.set("D", std::to_string((c.dim("D") + 15) / 16 * 16));
         },
     .before = launch_tables,
     .domains = {{.name = "pairs", .values = {"half"}}},
     .workspace_bytes = [](const Case& c) { return 2 * table_bytes(c); }});

}  // namespace
