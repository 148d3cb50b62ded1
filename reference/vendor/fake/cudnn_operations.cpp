// The operations of cuDNN's graphs on the host, one element at a time: the pointwise ones, sums and norms that
// graphs of ours have.
//
// Every tensor is read and written by its dims, strides and type, so that a wrong one shows in the results. Tensors
// inside a graph hold f32. Sums are taken in f64, since NVIDIA does not document the order of its own: what is seen
// here is what a graph computes, not how exactly.
#include <cmath>
#include <functional>
#include <utility>

#include "reference/vendor/fake/cudnn_tensor.h"
#include "reference/vendor/fake/second_run.h"

namespace fake {
namespace {

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

constexpr float kTanhScale = 0.7978845608F, kCubic = 0.044715F;  // of GELU's tanh: sqrt(2/pi)

float gelu_slope_erf(float x) {
  return 0.5F * std::erfc(-x * 0.7071067812F) + x * 0.3989422804F * std::exp(-0.5F * x * x);
}
float gelu_slope_tanh(float x) {
  const float t = std::tanh(kTanhScale * (x + kCubic * x * x * x));
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kTanhScale * (1 + 3 * kCubic * x * x);
}

// b: the second operand, or dy of an activation's backward.
float pointwise(int mode, float x, float b) {
  switch (mode) {
    case CUDNN_POINTWISE_IDENTITY:
      return x;
    case CUDNN_POINTWISE_ADD:
      return x + b;
    case CUDNN_POINTWISE_SUB:
      return x - b;
    case CUDNN_POINTWISE_MUL:
      return x * b;
    case CUDNN_POINTWISE_CMP_GE:
      return x >= b ? 1 : 0;
    case CUDNN_POINTWISE_GELU_FWD:
      return 0.5F * x * std::erfc(-x * 0.7071067812F);
    case CUDNN_POINTWISE_GELU_APPROX_TANH_FWD:
      return 0.5F * x * (1 + std::tanh(kTanhScale * (x + kCubic * x * x * x)));
    case CUDNN_POINTWISE_SWISH_FWD:
      return x * logistic(x);
    case CUDNN_POINTWISE_GELU_BWD:
      return b * gelu_slope_erf(x);
    case CUDNN_POINTWISE_GELU_APPROX_TANH_BWD:
      return b * gelu_slope_tanh(x);
    case CUDNN_POINTWISE_SWISH_BWD:
      return b * logistic(x) * (1 + x * (1 - logistic(x)));
    default:
      throw Refused{"the fake does not know the pointwise mode " + std::to_string(mode)};
  }
}

using Locate = std::function<Tensor(const Contents& operation, cudnnBackendAttributeName_t name)>;

void do_pointwise(const Contents& operation, const Locate& locate) {
  const Contents& given = operation.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  const int mode = given.value<int>(CUDNN_ATTR_POINTWISE_MODE, -1);
  const bool backward = operation.has(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC);
  const auto second = backward ? CUDNN_ATTR_OPERATION_POINTWISE_DYDESC : CUDNN_ATTR_OPERATION_POINTWISE_BDESC;
  Tensor x = locate(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  const Tensor y =
      locate(operation, backward ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC : CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  Tensor b = operation.has(second) ? locate(operation, second) : x;
  if (is_planted("operands are exchanged")) std::swap(x, b);
  const bool selects = mode == CUDNN_POINTWISE_BINARY_SELECT, indexes = mode == CUDNN_POINTWISE_GEN_INDEX;
  Tensor choice = selects ? locate(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC) : x;
  for (const Tensor* operand : {&x, &b, &choice}) repeats_into(*operand, y);
  const auto axis = given.value<int64_t>(CUDNN_ATTR_POINTWISE_AXIS, -1);
  if (indexes && (axis < 0 || axis >= std::ssize(y.dims)))
    throw Refused{"an index is along an extent that is not there"};
  const auto element = [&](const Index& i) {
    if (indexes) return static_cast<float>(i[static_cast<size_t>(axis)]);
    if (selects) return choice.get(i) != 0 ? x.get(i) : b.get(i);
    return pointwise(mode, x.get(i), b.get(i));
  };
  if (!selects && !indexes) pointwise(mode, 0, 0);  // refuses an unknown one, also without elements
  if (y.data) over(y.dims, [&](const Index& i) { y.set(i, element(i)); });
}

void do_sum(const Contents& operation, const Locate& locate) {
  const Contents& given = operation.descriptor(CUDNN_ATTR_OPERATION_REDUCTION_DESC);
  if (given.value<int>(CUDNN_ATTR_REDUCTION_OPERATOR, -1) != CUDNN_REDUCE_TENSOR_ADD)
    throw Refused{"the fake's reductions are sums"};
  const Tensor x = locate(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
  const Tensor y = locate(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
  repeats_into(y, x);
  if (!y.data) return;
  Index ones(x.dims.size());
  for (size_t i = 0; i < ones.size(); ++i) ones[i] = y.dims[i] == x.dims[i] ? 1 : x.dims[i];
  over(y.dims, [&](const Index& to) {
    double sum = 0;
    over(ones, [&](Index from) {
      for (size_t i = 0; i < from.size(); ++i) from[i] += to[i];
      sum += x.get(from);
    });
    y.set(to, static_cast<float>(sum));
  });
}

// The elements that a norm takes together with one element of `rstd`: calls f(index in x) for each.
template <class F>
void over_group(const Tensor& x, const Tensor& rstd, const Index& group, F f) {
  Index within(x.dims.size());
  for (size_t i = 0; i < within.size(); ++i) within[i] = rstd.dims[i] == x.dims[i] ? 1 : x.dims[i];
  over(within, [&](Index index) {
    for (size_t i = 0; i < index.size(); ++i) index[i] += group[i];
    f(std::as_const(index));
  });
}

bool is_layer_norm(const Contents& operation, cudnnBackendAttributeName_t name) {
  const int mode = operation.value<int>(name, -1);
  if (mode != CUDNN_LAYER_NORM && mode != CUDNN_RMS_NORM) throw Refused{"the fake's norms are LAYER_NORM and RMS_NORM"};
  return mode == CUDNN_LAYER_NORM;
}

void do_norm(const Contents& operation, const Locate& locate) {
  const bool layer = is_layer_norm(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MODE);
  const Tensor x = locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC);
  const Tensor scale = locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC);
  const Tensor eps = locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC);
  const Tensor y = locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC);
  const Tensor rstd = locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC);
  const Tensor mean = layer ? locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC) : rstd;
  const Tensor bias = layer ? locate(operation, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC) : scale;
  for (const Tensor* tensor : {&scale, &rstd, &mean, &bias, &y, &eps}) repeats_into(*tensor, x);
  if (!y.data) return;
  over(rstd.dims, [&](const Index& group) {
    double count = 0, sum = 0, squares = 0;
    over_group(x, rstd, group, [&](const Index& i) { count += 1, sum += x.get(i); });
    const float centre = layer ? static_cast<float>(sum / count) : 0;
    over_group(x, rstd, group, [&](const Index& i) { squares += (x.get(i) - centre) * (x.get(i) - centre); });
    const auto factor = static_cast<float>(1 / std::sqrt(squares / count + eps.get(group)));
    rstd.set(group, factor);
    if (layer) mean.set(group, centre);
    over_group(x, rstd, group, [&](const Index& i) {
      y.set(i, (x.get(i) - centre) * factor * scale.get(i) + (layer ? bias.get(i) : 0));
    });
  });
}

void do_norm_backward(const Contents& operation, const Locate& locate) {
  const bool layer = is_layer_norm(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
  const bool exchanged = is_planted("operands are exchanged");
  const Tensor x =
      locate(operation, exchanged ? CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC : CUDNN_ATTR_OPERATION_NORM_BWD_XDESC);
  const Tensor dy =
      locate(operation, exchanged ? CUDNN_ATTR_OPERATION_NORM_BWD_XDESC : CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC);
  const Tensor scale = locate(operation, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC);
  const Tensor rstd = locate(operation, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC);
  const Tensor mean = layer ? locate(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC) : rstd;
  const Tensor dx = locate(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC);
  const Tensor dscale = locate(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC);
  const Tensor dbias = layer ? locate(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC) : dscale;
  for (const Tensor* tensor : {&scale, &rstd, &mean, &dscale, &dbias, &dy, &dx}) repeats_into(*tensor, x);
  if (!dx.data) return;
  const auto xhat = [&](const Index& i) { return (x.get(i) - (layer ? mean.get(i) : 0)) * rstd.get(i); };
  over(rstd.dims, [&](const Index& group) {
    double count = 0, sum = 0, projection = 0;
    over_group(x, rstd, group, [&](const Index& i) {
      const float g = dy.get(i) * scale.get(i);
      count += 1, sum += layer ? g : 0, projection += g * xhat(i);
    });
    const auto mean_of_g = static_cast<float>(sum / count), share = static_cast<float>(projection / count);
    over_group(x, rstd, group, [&](const Index& i) {
      dx.set(i, rstd.get(i) * (dy.get(i) * scale.get(i) - mean_of_g - xhat(i) * share));
    });
  });
  over(dscale.dims, [&](const Index& column) {
    double sum = 0, projection = 0;
    over_group(x, dscale, column, [&](const Index& i) { sum += dy.get(i), projection += dy.get(i) * xhat(i); });
    dscale.set(column, static_cast<float>(projection));
    if (layer) dbias.set(column, static_cast<float>(sum));
  });
}

void do_operation(const Contents& operation, const Locate& locate) {
  switch (operation.type) {
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
      return do_pointwise(operation, locate);
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
      return do_sum(operation, locate);
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
      return do_norm(operation, locate);
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
      return do_norm_backward(operation, locate);
    default:
      throw Refused{"the fake does not know the operation " + std::to_string(operation.type)};
  }
}

}  // namespace

// Everything that do_operation refuses it refuses before it touches an element: tensors without data are not looked at.
void check(const Contents& operation) {
  if (assay::vendor::fake::only_calls_count()) return;
  do_operation(operation, [](const Contents& of, cudnnBackendAttributeName_t name) { return tensor_of(of, name); });
}

void execute(const Contents& graph, const std::map<int64_t, void*>& addresses) {
  if (assay::vendor::fake::only_calls_count()) return;
  std::map<int64_t, std::vector<float>> inside;
  const Locate locate = [&](const Contents& operation, cudnnBackendAttributeName_t name) {
    Tensor tensor = tensor_of(operation, name);
    if (tensor.inside) {
      size_t extent = 1;
      for (size_t i = 0; i < tensor.dims.size(); ++i)
        extent += static_cast<size_t>((tensor.dims[i] - 1) * tensor.strides[i]);
      auto& values = inside[tensor.id];
      values.resize(extent);
      tensor.data = values.data();
      return tensor;
    }
    const auto found = addresses.find(tensor.id);
    if (found == addresses.end()) throw Refused{"a tensor of the graph has no address"};
    tensor.data = found->second;
    if (reinterpret_cast<uintptr_t>(tensor.data) % static_cast<uintptr_t>(tensor.alignment) != 0)
      throw Refused{"a tensor's address is not a multiple of " + std::to_string(tensor.alignment) + " bytes"};
    return tensor;
  };
  const auto& operations = graph.descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  for (size_t i = 0; i < operations.size(); ++i)
    if (!is_planted("the last operation is missing") || i + 1 < operations.size()) do_operation(*operations[i], locate);
}

}  // namespace fake
