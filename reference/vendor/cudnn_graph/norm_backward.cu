// layer_norm_backward and rms_norm_backward_rstd by cuDNN's normalisation, which is given what the forward kept.
//
// A workspace holds the weights in f32 and, where gradients of weights are added to, those of this call.
#include "reference/vendor/cudnn_graph/graph_variant.h"
#include "reference/vendor/cudnn_graph/norm_weights.cuh"
#include "reference/vendor/cudnn_graph/norms.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;
using assay::DType;

GraphDescription rms(const Case& c) {
  const int64_t rows = c.dim("T"), dim = c.dim("aE");
  return {.what = "RMSNorm's backward",
          .tensors = {norm_rows("dy", c.dtype, rows, dim), norm_rows("x", c.dtype, rows, dim),
                      norm_weights("gamma", DType::f32, dim), norm_of_rows("rstd", rows),
                      norm_rows("dx", c.dtype, rows, dim), norm_weights("dgamma", DType::f32, dim)},
          .nodes = {{"RMS_NORM_BACKWARD", {"dy", "x", "gamma", "rstd"}, {"dx", "dgamma"}}}};
}

GraphDescription layer(const Case& c) {
  const int64_t rows = c.dim("T"), dim = c.dim("E");
  return {.what = "layer norm's backward",
          .tensors = {norm_rows("dy", c.dtype, rows, dim), norm_rows("x", c.dtype, rows, dim),
                      norm_weights("gamma", DType::f32, dim), norm_of_rows("mean", rows), norm_of_rows("rstd", rows),
                      norm_rows("dx", c.dtype, rows, dim), norm_weights("dgamma", DType::f32, dim),
                      norm_weights("dbeta", DType::f32, dim)},
          .nodes = {{"LAYER_NORM_BACKWARD", {"dy", "x", "gamma", "mean", "rstd"}, {"dx", "dgamma", "dbeta"}}}};
}

bool adds(const Case& c) {
  const std::string* dw = c.find("dw");
  return dw && *dw == "accumulate";
}

// Slots of the workspace, of as many floats as there are weights each: the weights, and the gradients in order.
int64_t dim_of(const Case& c) { return c.dim(c.find("aE") ? "aE" : "E"); }
int64_t slot_bytes(const Case& c) { return align_workspace(dim_of(c) * static_cast<int64_t>(sizeof(float))); }
float* slot(const assay::Call& call, int64_t i) {
  return reinterpret_cast<float*>(call.workspace<char>() + i * slot_bytes(call.c()));
}

void* pointer_of(const assay::Call& call, std::string_view name) {
  if (name == "gamma") return slot(call, 0);
  if (adds(call.c()) && (name == "dgamma" || name == "dbeta")) return slot(call, name == "dgamma" ? 1 : 2);
  return nullptr;
}

void widen_weights(const assay::Call& call) {
  const int64_t dim = dim_of(call.c());
  assay::by_dtype(
      call, [&]<class T>() { assay::launch(widen<T>, over_weights(dim), call.in<T>("gamma"), slot(call, 0), dim); });
}

void add_gradients(const assay::Call& call) {
  const int64_t dim = dim_of(call.c());
  if (!adds(call.c())) return;
  assay::launch(add_to, over_weights(dim), call.out<float>("dgamma"), slot(call, 1), dim);
  assay::launch(add_to, over_weights(dim), call.out<float>("dbeta"), slot(call, 2), dim);
}

constexpr const char* kNoRows = "cuDNN has no graph without rows, and the gradients of weights are 0 then";

std::optional<std::string> unsupported_layer(const Case& c) {
  if (c.text("dx") != "overwrite") return "cuDNN's norms write dx over what was there";
  if (c.dim("T") == 0 && !adds(c)) return kNoRows;
  return std::nullopt;
}

std::optional<std::string> unsupported_rms(const Case& c) {
  if (c.dim("pad") != 0) return "cuDNN's RMSNorm takes rows without padding";
  if (c.dim("T") == 0) return kNoRows;
  return refused_alias(c);
}

// More than cuDNN's frontend states: 9.14 refuses rows of 1024 elements that begin at a multiple of 32 bytes.
constexpr int kAligned = 128;

const RegisterGraph kLayer({.op = "layer_norm_backward",
                            .name = "cudnn_layer_norm",
                            .summary = "cuDNN's backward layer norm",
                            .describe = layer,
                            .pointer_of = pointer_of,
                            .unsupported = unsupported_layer,
                            .adjust = [](Case& c) { c.set("dx", "overwrite"); },
                            .before = widen_weights,
                            .after = add_gradients,
                            .aligned = kAligned,
                            .ftz = true,
                            .workspace_bytes = [](const Case& c) { return (adds(c) ? 3 : 1) * slot_bytes(c); }});
const RegisterGraph kRms({.op = "rms_norm_backward_rstd",
                          .name = "cudnn_rms_norm",
                          .summary = "cuDNN's backward RMSNorm",
                          .describe = rms,
                          .pointer_of = pointer_of,
                          .unsupported = unsupported_rms,
                          .adjust =
                              [](Case& c) {
                                c.set("pad", "0");
                                not_in_place(c);
                              },
                          .before = widen_weights,
                          .aligned = kAligned,
                          .ftz = true,
                          .workspace_bytes = slot_bytes});

}  // namespace
