// The places of a lane's elements in the matrices of mma.sync, for nvcc and the executor: D += A B, with A (16, K), B
// (K, 8), D (16, 8), and K = 16 or 8. No lane holds a row: each holds a few elements of every matrix, its fragment.
//
// With group = lane / 4 and thread = lane % 4 these are, following the PTX ISA ("Matrix Fragments for mma.m16n8k16" and
// "… for mma.m16n8k8"),
//
//   D, f32                                 (row, col)        A, f16 and bf16                      (row, k)
//     d[0]   (group,     2 thread)                             a[0]   (group,     2 thread + {0, 1})
//     d[1]   (group,     2 thread + 1)                         a[1]   (group + 8, 2 thread + {0, 1})
//     d[2]   (group + 8, 2 thread)                             a[2]   (group,     2 thread + {0, 1} + 8)
//     d[3]   (group + 8, 2 thread + 1)                         a[3]   (group + 8, 2 thread + {0, 1} + 8)
//
//   A, tf32, K = 8                         (row, k)          B, f16 and bf16                      (k, col)
//     a[0]   (group,     thread)                               b[0]   (2 thread + {0, 1},     group)
//     a[1]   (group + 8, thread)                               b[1]   (2 thread + {0, 1} + 8, group)
//     a[2]   (group,     thread + 4)
//     a[3]   (group + 8, thread + 4)                         B, tf32, K = 8                       (k, col)
//                                                              b[0]   (thread,     group)
//                                                              b[1]   (thread + 4, group)
//
// A register of f16 or bf16 holds the two elements of {0, 1}, the first in its low half; with K = 8 there are a[0],
// a[1] and b[0] only. The functions below give the same coordinates, by element: 0 and 1 are the halves of register 0.
#pragma once

namespace assay::simt {

struct MatrixPlace {
  int row, col;
};

// The place of element i of a lane's fragment in its matrix. lane: [0, 32). A: i in [0, K / 2), B: [0, K / 4), D: [0,
// 4).
__host__ __device__ constexpr MatrixPlace place_in_a(int lane, int i) {
  return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
}
__host__ __device__ constexpr MatrixPlace place_in_b(int lane, int i) {
  return {lane % 4 * 2 + i % 2 + i / 2 * 8, lane / 4};
}
__host__ __device__ constexpr MatrixPlace place_in_d(int lane, int i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}
__host__ __device__ constexpr MatrixPlace place_in_a_tf32(int lane, int i) {
  return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4};
}
__host__ __device__ constexpr MatrixPlace place_in_b_tf32(int lane, int i) { return {lane % 4 + i * 4, lane / 4}; }

}  // namespace assay::simt
