// EXPECT: OUT_OF_BOUNDS. Indices are products in 32 bits, which wrap at 2^32 elements; no machine here holds so many.
// SMALLEST: B=1 Sq=1 Sk=1 H=1 HK=1 D=1
// BUGS: 2 because q and k are as large as the index of either
// TWIN: Indices are products in 64 bits.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

using Index = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// Element d of a head, (B, tokens, heads, D) or heads before tokens.
__host__ __device__ Index element(bool head_major, Index tokens, Index heads, Index dim, Index b, Index t, Index h,
                                  Index d) {
  return head_major ? ((b * heads + h) * tokens + t) * dim + d : ((b * tokens + t) * heads + h) * dim + d;
}

__global__ void attention(Attention t, bool head_major) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    float score = 0;
    for (int64_t d = 0; d < t.a.dim; ++d)
      score += t.q[element(head_major, t.a.queries, t.a.heads, t.a.dim, query.b, query.i, query.h, d)] *
               t.k[element(head_major, t.a.keys, t.a.kv_heads, t.a.dim, query.b, j, query.kv_head, d)];
    query.add(j, score * t.a.scale);
  }
  query.finish();
}

std::optional<int64_t> element_at(const assay::Case& c, std::string_view tensor, const std::vector<int64_t>& index) {
  const bool head_major = c.text("layout") == "head_major", of_keys = tensor == "k";
  if (tensor != "q" && !of_keys) return std::nullopt;
  const auto number = [](int64_t value) { return static_cast<Index>(value); };
  return element(head_major, number(c.dim(of_keys ? "Sk" : "Sq")), number(c.dim(of_keys ? "HK" : "H")),
                 number(c.dim("D")), number(index[0]), number(index[head_major ? 2 : 1]),
                 number(index[head_major ? 1 : 2]), number(index[3]));
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention, call.text("layout") == "head_major"); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "index_in_32_bits" : "index_in_64_bits",
                                       .summary = ASSAY_PLANTED ? "computes indices in 32 bits"
                                                                : "computes indices in 64 bits",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .element_at = element_at,
                                       .run = run});
