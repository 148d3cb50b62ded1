// attention_backward in f32 as a chain of library calls: cuBLAS's products of whole matrices around cuDNN's softmax.
//
//   S = scale Q Kᵀ    P = softmax(S)    dP = dO Vᵀ    dS = softmax backward(P, dP)
//   dV = Pᵀ dO    dQ = scale dS K    dK = scale dSᵀ Q
//
// It serves users whom cuDNN's fused attention backward refuses, since it takes bf16 and f16 only. Given lse and delta,
// no softmax is left to do, and a kernel of ours computes P and dS from them; o it is not given, since nothing in the
// chain is for dO.o. A step computes one query head of each of several groups; the heads of a group follow each other
// and add to the same dK and dV. Every pair of query and key costs the step two floats of workspace, or three with a
// softmax, and its full work, whether causality hides the pair or not.
#include <algorithm>
#include <cmath>

#include "harness/op/variant.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/products.h"
#include "reference/vendor/cudnn/softmax_rows.h"

namespace {

using namespace assay::vendor;
using assay::Case;

// Where the elements of a head lie: D without gaps for each token.
struct Strides {
  int64_t batch, token, head;
  int64_t at(int64_t b, int64_t t, int64_t h) const { return b * batch + t * token + h * head; }
};

Strides strides(const Case& c, const char* tokens, const char* heads) {
  const int64_t dim = c.dim("D"), per_head = c.dim(tokens) * dim, per_token = c.dim(heads) * dim;
  const int64_t per_batch = c.dim(tokens) * per_token;
  return c.text("layout") == "head_major" ? Strides{per_batch, dim, per_head} : Strides{per_batch, per_token, dim};
}

struct Problem {
  int64_t batch, heads, kv_heads, keys, dim;
  int64_t blind, queries;  // those that see no key, which are the first, and the others
  bool causal;
  float scale;
  Strides q, kv;

  int64_t heads_per_group() const { return heads / kv_heads; }
  int64_t pairs() const { return queries * keys; }  // of one head
};

// Groups of heads that a step computes: the most that divide all of them and that fill no more than a GiB with scores.
// More than 32 would make nothing faster.
int64_t groups_per_step(const Problem& a) {
  constexpr int64_t kFloatsMax = int64_t{1} << 28, kGroupsMax = 32;
  int64_t groups = std::clamp<int64_t>(kFloatsMax / a.pairs(), 1, kGroupsMax);
  while (a.kv_heads % groups != 0) --groups;
  return groups;
}

// Floats of one batch of matrices of pairs in the workspace: whole units of what cuBLAS likes to be aligned to.
int64_t floats_of_pairs(const Problem& a) { return (groups_per_step(a) * a.pairs() + 63) / 64 * 64; }

Problem problem_of(const Case& c) {
  const bool causal = c.text("causal") == "1";
  const int64_t blind = causal ? std::max<int64_t>(0, c.dim("Sq") - c.dim("Sk")) : 0;
  const double scale = c.text("scale") == "auto" ? 1 / std::sqrt(static_cast<double>(c.dim("D"))) : c.real("scale");
  return {.batch = c.dim("B"),
          .heads = c.dim("H"),
          .kv_heads = c.dim("HK"),
          .keys = c.dim("Sk"),
          .dim = c.dim("D"),
          .blind = blind,
          .queries = c.dim("Sq") - blind,
          .causal = causal,
          .scale = static_cast<float>(scale),
          .q = strides(c, "Sq", "H"),
          .kv = strides(c, "Sk", "HK")};
}

constexpr unsigned kBlock = 256;

assay::Launch block_per_row(int64_t rows) {
  constexpr int64_t kGridMax = 1 << 16;
  return {.grid = dim3(static_cast<unsigned>(std::min(rows, kGridMax))), .block = dim3(kBlock)};
}

// The keys that row `row` of matrices of (queries, keys) sees when causal: the last query sees all.
__device__ int64_t seen(int64_t row, int64_t queries, int64_t keys) { return row % queries + keys - queries + 1; }

__global__ void hide_later_keys(float* scores,  // matrices of (queries, keys)
                                int64_t rows, int64_t queries, int64_t keys) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (int64_t j = seen(row, queries, keys) + threadIdx.x; j < keys; j += blockDim.x)
      scores[row * keys + j] = -INFINITY;
}

// Turns S into P = exp(S - lse), and dP into dS = P (dP - delta), in place.
__global__ void weigh(float* scores, float* dp,              // matrices of (queries, keys)
                      const float* lse, const float* delta,  // (queries) of each, sums_stride apart
                      int64_t rows, int64_t queries, int64_t keys, int64_t sums_stride, bool causal) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const int64_t sums = row / queries * sums_stride + row % queries, at = row * keys;
    const int64_t end = causal ? seen(row, queries, keys) : keys;
    for (int64_t j = threadIdx.x; j < keys; j += blockDim.x) {
      const float p = j < end ? expf(scores[at + j] - lse[sums]) : 0.f;
      scores[at + j] = p;
      dp[at + j] = p * (dp[at + j] - delta[sums]);
    }
  }
}

__global__ void clear_queries(float* dq,      // of one sequence
                              int64_t count,  // the first so many queries of every head
                              int64_t heads, int64_t dim, int64_t token_stride, int64_t head_stride) {
  for (int64_t row = blockIdx.x; row < count * heads; row += gridDim.x)
    for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
      dq[row / heads * token_stride + row % heads * head_stride + d] = 0;
}

// Query head `member` of `count` groups from `group` on, in sequence b.
class Step {
 public:
  Step(const assay::Call& call, const Problem& a, int64_t b, int64_t group, int64_t count, int64_t member)
      : call_(call), a_(a), b_(b), group_(group), count_(count), member_(member) {}

  void run() const {
    float *first = call_.workspace<float>(), *second = first + floats_of_pairs(a_);
    multiply_rows(a_.scale, by_query("q"), by_key("k"), first);
    if (call_.text("saved") == "none") {
      if (a_.causal) assay::launch(hide_later_keys, block_per_row(rows()), first, rows(), a_.queries, a_.keys);
      softmax_rows({rows(), a_.keys}, first, second);
      multiply_rows(1, by_query("do"), by_key("v"), first);
      float* third = second + floats_of_pairs(a_);
      softmax_rows_backward({rows(), a_.keys}, second, first, third);
      write_gradients(second, third);
    } else {
      multiply_rows(1, by_query("do"), by_key("v"), second);
      assay::launch(weigh, block_per_row(rows()), first, second, by_row("lse"), by_row("delta"), rows(), a_.queries,
                    a_.keys, a_.heads_per_group() * (a_.blind + a_.queries), a_.causal);
      write_gradients(first, second);
    }
  }

 private:
  int64_t rows() const { return count_ * a_.queries; }
  int64_t head() const { return group_ * a_.heads_per_group() + member_; }
  int64_t q_at() const { return a_.q.at(b_, a_.blind, head()); }
  int64_t kv_at() const { return a_.kv.at(b_, 0, group_); }

  Operands by_query(const char* name) const {
    return {call_.in<float>(name) + q_at(), a_.q.token, a_.heads_per_group() * a_.q.head};
  }
  Operands by_key(const char* name) const { return {call_.in<float>(name) + kv_at(), a_.kv.token, a_.kv.head}; }
  Operands by_pair(const float* pairs) const { return {pairs, a_.keys, a_.pairs()}; }
  const float* by_row(const char* name) const {
    return call_.in<float>(name) + (b_ * a_.heads + head()) * (a_.blind + a_.queries) + a_.blind;
  }

  // pairs = alpha x yᵀ, of heads' rows x, by query, and y, by key.
  void multiply_rows(float alpha, const Operands& x, const Operands& y, float* pairs) const {
    multiply({.count = count_,
              .rows = a_.queries,
              .cols = a_.keys,
              .inner = a_.dim,
              .alpha = alpha,
              .a = x,
              .b = transposed(y),
              .c = {pairs, a_.keys, a_.pairs()}});
  }

  void write_gradients(const float* p, const float* ds) const {
    multiply({.count = count_,
              .rows = a_.queries,
              .cols = a_.dim,
              .inner = a_.keys,
              .alpha = a_.scale,
              .a = by_pair(ds),
              .b = by_key("k"),
              .c = {call_.out<float>("dq") + q_at(), a_.q.token, a_.heads_per_group() * a_.q.head}});
    add_by_key(a_.scale, by_pair(ds), by_query("q"), "dk");
    add_by_key(1, by_pair(p), by_query("do"), "dv");
  }

  // Adds alpha pairsᵀ x; the first member of a group sets it.
  void add_by_key(float alpha, const Operands& pairs, const Operands& x, const char* name) const {
    multiply({.count = count_,
              .rows = a_.keys,
              .cols = a_.dim,
              .inner = a_.queries,
              .alpha = alpha,
              .a = transposed(pairs),
              .b = x,
              .beta = member_ == 0 ? 0.f : 1.f,
              .c = {call_.out<float>(name) + kv_at(), a_.kv.token, a_.kv.head}});
  }

  const assay::Call& call_;
  const Problem& a_;
  int64_t b_, group_, count_, member_;
};

void run(assay::Call& call) {
  const Problem a = problem_of(call.c());
  const int64_t count = groups_per_step(a);
  for (int64_t b = 0; b < a.batch; ++b) {
    if (a.blind > 0)
      assay::launch(clear_queries, block_per_row(a.blind * a.heads), call.out<float>("dq") + b * a.q.batch, a.blind,
                    a.heads, a.dim, a.q.token, a.q.head);
    for (int64_t group = 0; group < a.kv_heads; group += count)
      for (int64_t member = 0; member < a.heads_per_group(); ++member) Step(call, a, b, group, count, member).run();
  }
}

std::optional<std::string> unsupported(const Case& c) {
  const Problem a = problem_of(c);
  if (a.causal && assay::find_fill(c.fill)->has_nan) return "multiplies hidden pairs by 0, which leaves a NaN a NaN";
  if (c.text("saved") == "lse_o") return "is given delta beside lse, or computes the softmax itself";
  if (auto why = no_products()) return why;
  return c.text("saved") == "none" ? no_softmax(groups_per_step(a) * a.queries, a.keys) : std::nullopt;
}

int64_t workspace_bytes(const Case& c) {
  const int64_t batches = c.text("saved") == "none" ? 3 : 2;
  return batches * floats_of_pairs(problem_of(c)) * int64_t{sizeof(float)};
}

void adjust(Case& c) {
  if (assay::find_fill(c.fill)->has_nan) c.set("causal", "0");
  if (c.text("saved") == "lse_o") c.set("saved", "lse_delta");
}

const assay::RegisterVariant kVariant(
    {.op = "attention_backward",
     .name = "cublas_gemm_cudnn_softmax",
     .summary = "products of whole matrices by cuBLAS, head after head, around cuDNN's softmax",
     .dtypes = {assay::DType::f32},
     .aligned = 16,
     .vendor = "cuBLAS and cuDNN",
     .unsupported = unsupported,
     .adjust = adjust,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
