// The common part of the products C = A B (+ bias), C += A B (+ bias): the places of elements, and what becomes of a
// sum.
//
// A is (M, K), or (K, M) where a_by_k; B is (N, K), or (K, N) where b_by_k; C is (M, N). All are row-major, and may be
// parts of larger matrices, as one head's lanes are of rows of all heads.
#pragma once

#include <cstdint>

#include "harness/op/variant.h"

namespace assay::device {

struct GemmArgs {
  int64_t rows, cols, depth;  // M, N, K
  bool a_by_k = false, b_by_k = false;
  const float* bias = nullptr;  // (N), or null
  bool accumulates = false;
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;  // elements between the starts of stored rows; 0: a row's length

  __host__ __device__ int64_t a_row_stride() const { return a_stride > 0 ? a_stride : a_by_k ? rows : depth; }
  __host__ __device__ int64_t b_row_stride() const { return b_stride > 0 ? b_stride : b_by_k ? cols : depth; }
  __host__ __device__ int64_t a_at(int64_t row, int64_t k) const {
    return a_by_k ? k * a_row_stride() + row : row * a_row_stride() + k;
  }
  __host__ __device__ int64_t b_at(int64_t k, int64_t col) const {
    return b_by_k ? k * b_row_stride() + col : col * b_row_stride() + k;
  }
  __host__ __device__ int64_t c_at(int64_t row, int64_t col) const {
    return row * (c_stride > 0 ? c_stride : cols) + col;
  }

  // Writes a finished sum, if C has such an element.
  template <class C>
  __device__ void store(C* c, int64_t row, int64_t col, float sum) const {
    if (row >= rows || col >= cols) return;
    if (bias != nullptr) sum += bias[col];
    if (accumulates) sum += static_cast<float>(c[c_at(row, col)]);
    c[c_at(row, col)] = static_cast<C>(sum);
  }
};

inline GemmArgs gemm_args(const Case& c) {
  return {.rows = c.dim("M"),
          .cols = c.dim("N"),
          .depth = c.dim("K"),
          .a_by_k = c.text("layout") == "tn",
          .b_by_k = c.text("layout") != "nt",
          .accumulates = c.text("accumulate") == "1"};
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
  for (const auto& [name, length] :
       {std::pair("A", args.a_by_k ? args.rows : args.depth), std::pair("B", args.b_by_k ? args.cols : args.depth)})
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
