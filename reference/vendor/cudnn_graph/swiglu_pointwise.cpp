// swiglu_forward and swiglu_backward: cuDNN's SWISH of the gates and products with the upper halves, on strided views.
#include "harness/tensor/dtype.h"
#include "reference/vendor/cudnn_graph/graph_variant.h"

namespace assay::vendor {
namespace {

// The gates "in.a" and the upper halves "in.b" of rows of both, and those of din.
GraphTensor half(const Case& c, const std::string& name) {
  return matrix(name, c.dtype, c.dim("T"), c.dim("dim"), 2 * c.dim("dim"));
}
void* half_of(const Call& call, std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const int64_t elements = name.ends_with("b") ? call.dim("dim") : 0;
  return call.out<char>(name.substr(0, dot)) + elements * static_cast<int64_t>(size_of(call.dtype()));
}
std::optional<std::string> unaligned(const Case& c) {
  if (c.dim("dim") * static_cast<int64_t>(size_of(c.dtype)) % 16 == 0) return std::nullopt;
  return "cuDNN wants tensors that begin at multiples of 16 bytes, and the upper halves do not";
}
void align(Case& c) { c.set("dim", std::to_string((c.dim("dim") + 7) / 8 * 8)); }

GraphTensor product(const Case& c, const std::string& name) {
  return matrix(name, c.dtype, c.dim("T"), c.dim("dim"), c.dim("dim"));
}

GraphDescription forward(const Case& c) {
  return {.what = "SwiGLU",
          .tensors = {half(c, "in.a"), half(c, "in.b"), product(c, "y")},
          .nodes = {{"SWISH_FWD", {"in.a"}, {"silu"}}, {"MUL", {"silu", "in.b"}, {"y"}}}};
}

GraphDescription backward(const Case& c) {
  return {.what = "SwiGLU's backward",
          .tensors = {half(c, "in.a"), half(c, "in.b"), product(c, "dy"), half(c, "din.a"), half(c, "din.b")},
          .nodes = {{"SWISH_FWD", {"in.a"}, {"silu"}},
                    {"MUL", {"dy", "silu"}, {"din.b"}},
                    {"MUL", {"dy", "in.b"}, {"dsilu"}},
                    {"SWISH_BWD", {"dsilu", "in.a"}, {"din.a"}}}};
}

const RegisterGraph kForward({.op = "swiglu_forward",
                              .name = "cudnn_swish",
                              .summary = "a graph of cuDNN's SWISH_FWD and MUL",
                              .describe = forward,
                              .pointer_of = half_of,
                              .unsupported = unaligned,
                              .adjust = align,
                              .fast_math = true});
const RegisterGraph kBackward({.op = "swiglu_backward",
                               .name = "cudnn_swish",
                               .summary = "a graph of cuDNN's SWISH_FWD, SWISH_BWD and MUL",
                               .describe = backward,
                               .pointer_of = half_of,
                               .unsupported = unaligned,
                               .adjust = align,
                               .fast_math = true});

}  // namespace
}  // namespace assay::vendor
