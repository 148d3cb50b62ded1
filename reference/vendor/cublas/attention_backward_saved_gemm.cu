// attention_backward_saved as four batches of products by cuBLAS, a product for each group of heads, and a kernel of
// ours that makes dS of dP and the saved probabilities.
//
//   dP = dO Vᵀ    dS = w (dP - sum w dP)    dq = scale dS K    dk = scale dSᵀ Q    dv = wᵀ dO
//
// The kernel packs w and dS for the products: with rows of T elements, those of all heads of a group are one matrix,
// and a product sums over them. Every pair of query and key has its full work, whether causality hides it or not;
// hidden ones have 0 in w and dS, which would spread a NaN.
#include "harness/op/variant.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/attention_rows.cuh"
#include "reference/vendor/cublas/grouped_heads.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

GroupedHeads heads_of(const Case& c) { return {c, c.dim("T"), c.dim("T"), c.dim("T")}; }

// Where the parts of the workspace begin: dP is first, and dS in its place in f32.
struct Parts {
  int64_t ds = 0, w, end;

  explicit Parts(const Case& c) {
    const int64_t pairs = heads_of(c).pairs(),
                  packed = align_workspace(pairs * static_cast<int64_t>(assay::size_of(c.dtype)));
    const int64_t dp = align_workspace(pairs * int64_t{sizeof(float)});
    if (c.dtype != assay::DType::f32) ds = dp;
    w = ds + packed;
    end = w + packed;
  }
};

int64_t workspace_bytes(const Case& c) { return Parts(c).end; }

std::optional<std::string> unsupported(const Case& c) {
  if (assay::find_fill(c.fill)->has_nan) return "multiplies hidden pairs by 0, which leaves a NaN a NaN";
  return no_products();
}

template <class T>
void run_in(const assay::Call& call) {
  const GroupedHeads a = heads_of(call.c());
  const Parts parts(call.c());
  char* const workspace = call.workspace<char>();
  auto* const dp = call.workspace<float>();
  T *ds = reinterpret_cast<T*>(workspace + parts.ds), *w = reinterpret_cast<T*>(workspace + parts.w);
  a.multiply_rows(1, call.in<void>("do"), call.in<void>("v"), dp);
  assay::launch(softmax_pairs_backward<T>, block_per_row(a.all_rows()), call.in<T>("w"), dp, call.out<T>("ds"), ds, w,
                a.all_rows(), a.keys, call.dim("aw"));
  a.sum_keys(a.scale(), ds, call.in<void>("k"), call.out<void>("dq"));
  a.sum_queries(a.scale(), ds, call.in<void>("q"), call.out<void>("dk"));
  a.sum_queries(1, w, call.in<void>("do"), call.out<void>("dv"));
  launch_clear_padding(call.out<T>("dq"), a.all_rows(), a.dim, a.lanes);
  for (const char* name : {"dk", "dv"}) launch_clear_padding(call.out<T>(name), a.groups * a.keys, a.dim, a.lanes);
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { run_in<T>(call); });
}

const assay::RegisterVariant kVariant(
    {.op = "attention_backward_saved",
     .name = "cublas_gemm",
     .summary = "products of whole matrices by cuBLAS, group after group, dS by a kernel",
     .aligned = 16,
     .vendor = "cuBLAS",
     .rounds = {"ds"},
     .unsupported = unsupported,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
