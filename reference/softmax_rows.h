// The common part of the references of softmax_forward and softmax_backward: which columns of a row count, and their
// factor.
//
// The tensors are `heads` matrices of (rows, cols), one after the other. When causal, row i of a matrix is a query that
// sees the keys 0 … i + cols - rows, so that the last row sees all of them; the other columns have no part in it. With
// more rows than columns the first rows see none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/case/case.h"

namespace assay::reference {

// The numbers of a case. Mutants for the sensitivity audit are made by changing one of them.
struct SoftmaxRows {
  int64_t matrices, queries, cols;
  double scale;  // of the scores, rounded to f32 as a kernel gets it
  bool causal;
  int64_t diagonal;  // a causal row i sees the columns 0 … i + diagonal

  int64_t rows() const { return matrices * queries; }
  // The columns that count in a row of all matrices are 0 … seen(row) - 1.
  int64_t seen(int64_t row) const { return causal ? std::clamp<int64_t>(row % queries + diagonal + 1, 0, cols) : cols; }
};

inline SoftmaxRows softmax_rows(const Case& c) {
  return {.matrices = c.dim("heads"),
          .queries = c.dim("rows"),
          .cols = c.dim("cols"),
          .scale = static_cast<float>(c.real("scale")),
          .causal = c.text("causal") == "1",
          .diagonal = c.dim("cols") - c.dim("rows")};
}

}  // namespace assay::reference
