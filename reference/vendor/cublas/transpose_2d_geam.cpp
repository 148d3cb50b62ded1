// transpose_2d by cublasSgeam: out = 1·inᵀ + 0·inᵀ, in f32.
//
// It multiplies, so a NaN comes out without its payload: cases that compare those bits are left to others.
#include "harness/op/variant.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/handle.h"

namespace {

using namespace assay::vendor;

std::optional<std::string> unsupported(const assay::Case& c) {
  if (assay::find_fill(c.fill)->has_nan) return "cublasSgeam multiplies by 1, which changes the bits of a NaN";
  return why_missing(cublas());
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  const auto handle = cublas_on_stream();
  if (!handle) return;
  // Column-major, in is a matrix of (cols, rows) and out one of (rows, cols).
  const auto geam = cublas().function<decltype(&cublasSgeam_64)>("cublasSgeam_64");
  const auto* in = call.in<float>("in");
  const float one = 1, zero = 0;
  note_if_refused("cublasSgeam", geam(*handle, CUBLAS_OP_T, CUBLAS_OP_T, rows, cols, &one, in, cols, &zero, in, cols,
                                      call.out<float>("out"), rows));
}

const assay::RegisterVariant kVariant({.op = "transpose_2d",
                                       .name = "cublas_geam",
                                       .summary = "cublasSgeam with a transposed operand",
                                       .dtypes = {assay::DType::f32},
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
