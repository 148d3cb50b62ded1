// The common part of the products C = alpha A B (+ bias) and C = beta C + alpha A B (+ bias): the places of elements,
// and what becomes of a sum.
//
// A is (M, K) or (K, M), B is (N, K) or (K, N), and C is (M, N). All are row-major, and may be parts of larger
// matrices, as one head's lanes are of rows of all heads.
#pragma once

#include <cstdint>

#include "harness/op/variant.h"

namespace assay::device {

// Where the elements of A or B are: number i of its row or column, and k along the sum.
struct Operand {
  bool is_by_k;            // a stored row is of one k
  int64_t stride;          // elements between the starts of stored rows
  int64_t i_step, k_step;  // elements from i to i + 1, and from k to k + 1

  __host__ __device__ int64_t at(int64_t i, int64_t k) const { return i * i_step + k * k_step; }
};
__host__ __device__ inline Operand by_i(int64_t stride) { return {false, stride, stride, 1}; }
__host__ __device__ inline Operand by_k(int64_t stride) { return {true, stride, 1, stride}; }

struct GemmArgs {
  int64_t rows, cols, depth;  // M, N, K
  Operand a = by_i(depth), b = by_i(depth);
  const float* bias = nullptr;  // (N), or null
  bool accumulates = false;
  int64_t c_stride = cols;  // elements between the starts of rows
  float alpha = 1, beta = 1;

  __host__ __device__ int64_t c_at(int64_t row, int64_t col) const { return row * c_stride + col; }

  // Writes a finished sum, if C has such an element.
  template <class C>
  __device__ void store(C* c, int64_t row, int64_t col, float sum) const {
    if (row >= rows || col >= cols) return;
    sum *= alpha;
    if (bias != nullptr) sum += bias[col];
    if (accumulates) sum += beta * static_cast<float>(c[c_at(row, col)]);
    c[c_at(row, col)] = static_cast<C>(sum);
  }
};

inline GemmArgs gemm_args(const Case& c) {
  const int64_t rows = c.dim("M"), cols = c.dim("N"), depth = c.dim("K");
  return {.rows = rows,
          .cols = cols,
          .depth = depth,
          .a = c.text("layout") == "tn" ? by_k(rows) : by_i(depth),
          .b = c.text("layout") == "nt" ? by_i(depth) : by_k(cols),
          .accumulates = c.text("accumulate") == "1",
          .alpha = static_cast<float>(c.real("alpha")),
          .beta = static_cast<float>(c.real("beta"))};
}

// The factors that a variant takes which uses GemmArgs::store().
inline std::vector<Domain> any_factors() {
  return {{.name = "alpha", .values = {"1", "0.5", "-1.3"}}, {.name = "beta", .values = {"1", "0.5", "-1.3"}}};
}

inline GemmArgs gemm_args(const Call& call) {
  GemmArgs args = gemm_args(call.c());
  if (call.text("bias") == "1") args.bias = call.in<float>("bias");
  return args;
}

// One dimension of the grid counts the tiles of C, which may be more than 65535 either way.
inline int64_t gemm_blocks(int64_t rows, int64_t cols, int64_t tile_rows, int64_t tile_cols) {
  return ((rows + tile_rows - 1) / tile_rows) * ((cols + tile_cols - 1) / tile_cols);
}

inline std::optional<std::string> too_many_tiles(const Case& c, int64_t tile) {
  const int64_t blocks = gemm_blocks(c.dim("M"), c.dim("N"), tile, tile);
  if (blocks <= INT32_MAX) return std::nullopt;
  return "M=" + c.text("M") + ", N=" + c.text("N") + " are " + std::to_string(blocks) +
         " tiles, and a grid has at most 2^31 - 1 blocks";
}

// Copies of 16 bytes want rows of A and B, as they are stored, that are multiples of `chunk` elements: why they are
// not.
inline std::optional<std::string> rows_not_in_chunks(const Case& c, int64_t chunk) {
  const GemmArgs args = gemm_args(c);
  for (const auto& [name, length] : {std::pair("A", args.a.stride), std::pair("B", args.b.stride)})
    if (length % chunk != 0)
      return std::string("rows of ") + name + " have " + std::to_string(length) + " elements in layout " +
             c.text("layout") + ", which is no multiple of " + std::to_string(chunk) + ": its copies are of 16 bytes";
  return std::nullopt;
}

// Makes them so.
inline void round_rows_to_chunks(Case& c, int64_t chunk) {
  const auto round = [&](const char* dim) { c.set(dim, std::to_string((c.dim(dim) + chunk - 1) / chunk * chunk)); };
  round(c.text("layout") == "tn" ? "M" : "K");
  round(c.text("layout") == "nt" ? "K" : "N");
}

// Calls f.operator()<T, C>() with the element types of the matrices that are multiplied and of C.
template <class F>
void by_gemm_dtypes(const Call& call, F f) {
  by_dtype(call, [&]<class T>() {
    if (call.text("out") == "f32")
      f.template operator()<T, float>();
    else
      f.template operator()<T, T>();
  });
}

}  // namespace assay::device
