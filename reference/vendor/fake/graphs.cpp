// Graphs on the host: the nodes of a description one after the other, element by element, in f32.
//
// It stands in for graph.cpp where tests judge graph variants without a GPU. Extents, strides, operands and the order
// of nodes are those of a real run; what cuDNN computes, and attention's fused graphs, are not seen here.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "harness/tensor/dtype.h"
#include "reference/vendor/cudnn_graph/graph.h"

namespace assay::vendor {
namespace {

using Extents = std::vector<int64_t>;

// Elements in the order of their indices, the last of which runs fastest.
struct Values {
  Extents extents;
  std::vector<float> at;
};

int64_t count_of(const Extents& extents) {
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  return count;
}

// Where element `element` of `whole` is in something of these extents and strides: an extent of 1 has it at any index.
int64_t place(int64_t element, const Extents& whole, const Extents& extents, const Extents& strides) {
  int64_t at = 0;
  for (size_t axis = whole.size(); axis-- > 0; element /= whole[axis])
    if (extents[axis] != 1) at += element % whole[axis] * strides[axis];
  return at;
}

Extents packed(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

Values load(const GraphTensor& tensor, const char* data) {
  Values values{tensor.extents, std::vector<float>(static_cast<size_t>(count_of(tensor.extents)))};
  for (size_t i = 0; i < values.at.size(); ++i) {
    uint64_t bits = 0;
    const int64_t at = place(static_cast<int64_t>(i), tensor.extents, tensor.extents, tensor.strides);
    std::memcpy(&bits, data + at * static_cast<int64_t>(size_of(tensor.dtype)), size_of(tensor.dtype));
    values.at[i] = static_cast<float>(to_double(tensor.dtype, bits));
  }
  return values;
}

void store(const GraphTensor& tensor, const Values& values, char* data) {
  for (size_t i = 0; i < values.at.size(); ++i) {
    const uint64_t bits = from_double(tensor.dtype, values.at[i]);
    const int64_t at = place(static_cast<int64_t>(i), tensor.extents, tensor.extents, tensor.strides);
    std::memcpy(data + at * static_cast<int64_t>(size_of(tensor.dtype)), &bits, size_of(tensor.dtype));
  }
}

constexpr double kTanhScale = 0.7978845608028654, kCubic = 0.044715;  // sqrt(2/pi), and the factor of the cube

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double gelu_erf_slope(double x) {
  return 0.5 * (1 + std::erf(x * std::sqrt(0.5))) +
         (std::isinf(x) ? 0 : x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI));
}
double gelu_tanh_slope(double x) {
  const double t = std::tanh(kTanhScale * (x + kCubic * x * x * x)), rest = 1 - t * t;
  return 0.5 * (1 + t) + (rest == 0 ? 0 : 0.5 * x * rest * kTanhScale * (1 + 3 * kCubic * x * x));
}

using Function = double (*)(double a, double b);
const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = {
      {"ADD", [](double a, double b) { return a + b; }},
      {"MUL", [](double a, double b) { return a * b; }},
      {"SWISH_FWD", [](double x, double) { return x * logistic(x); }},
      {"SWISH_BWD", [](double dy, double x) { return dy * logistic(x) * (1 + x * (1 - logistic(x))); }},
      {"GELU_FWD", [](double x, double) { return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5))); }},
      {"GELU_BWD", [](double dy, double x) { return dy * gelu_erf_slope(x); }},
      {"GELU_APPROX_TANH_FWD",
       [](double x, double) { return 0.5 * x * (1 + std::tanh(kTanhScale * (x + kCubic * x * x * x))); }},
      {"GELU_APPROX_TANH_BWD", [](double dy, double x) { return dy * gelu_tanh_slope(x); }}};
  return all;
}

// Operands have equal ranks, and extents that are equal or 1.
Values pointwise(const std::string& operation, const std::vector<Values>& in) {
  Extents whole = in[0].extents;
  for (const Values& operand : in)
    for (size_t axis = 0; axis < whole.size(); ++axis) whole[axis] = std::max(whole[axis], operand.extents[axis]);
  Values out{whole, std::vector<float>(static_cast<size_t>(count_of(whole)))};
  for (size_t i = 0; i < out.at.size(); ++i) {
    double operands[2] = {};
    for (size_t k = 0; k < in.size(); ++k) {
      const int64_t at = place(static_cast<int64_t>(i), whole, in[k].extents, packed(in[k].extents));
      operands[k] = in[k].at[static_cast<size_t>(at)];
    }
    out.at[i] = static_cast<float>(functions().at(operation)(operands[0], operands[1]));
  }
  return out;
}

Values added_up(const Values& in, const Extents& extents) {
  std::vector<double> sums(static_cast<size_t>(count_of(extents)));
  for (size_t i = 0; i < in.at.size(); ++i)
    sums[static_cast<size_t>(place(static_cast<int64_t>(i), in.extents, extents, packed(extents)))] += in.at[i];
  return {extents, {sums.begin(), sums.end()}};
}

// Norms of rows of `dim` numbers. `centred`: minus the mean, as a layer norm has it.
std::vector<Values> norm(const std::vector<Values>& in, bool centred) {
  const Values &x = in[0], &gamma = in[1];
  const size_t dim = gamma.at.size(), rows = x.at.size() / dim;
  const Extents of_rows = {x.extents[0], 1, 1, 1};
  Values y = x, means{of_rows, std::vector<float>(rows)}, rstds = means;
  for (size_t r = 0; r < rows; ++r) {
    double mean = 0, squares = 0;
    for (size_t d = 0; d < dim && centred; ++d) mean += x.at[r * dim + d] / static_cast<double>(dim);
    for (size_t d = 0; d < dim; ++d) squares += std::pow(x.at[r * dim + d] - mean, 2) / static_cast<double>(dim);
    const double rstd = 1 / std::sqrt(squares + in.back().at[0]);
    for (size_t d = 0; d < dim; ++d)
      y.at[r * dim + d] =
          static_cast<float>((x.at[r * dim + d] - mean) * rstd * gamma.at[d] + (centred ? in[2].at[d] : 0));
    means.at[r] = static_cast<float>(mean), rstds.at[r] = static_cast<float>(rstd);
  }
  return centred ? std::vector{y, means, rstds} : std::vector{y, rstds};
}

std::vector<Values> norm_backward(const std::vector<Values>& in, bool centred) {
  const Values &dy = in[0], &x = in[1], &gamma = in[2], &rstds = in.back();
  const size_t dim = gamma.at.size(), rows = x.at.size() / dim;
  Values dx = x;
  std::vector<double> dgamma(dim), dbeta(dim);
  for (size_t r = 0; r < rows; ++r) {
    const double mean = centred ? in[3].at[r] : 0, rstd = rstds.at[r];
    double of_g = 0, of_product = 0;
    for (size_t d = 0; d < dim; ++d) {
      const size_t i = r * dim + d;
      const double scaled = dy.at[i] * gamma.at[d], normalised = (x.at[i] - mean) * rstd;
      if (centred) of_g += scaled / static_cast<double>(dim);
      of_product += scaled * normalised / static_cast<double>(dim);
      dgamma[d] += dy.at[i] * normalised, dbeta[d] += dy.at[i];
    }
    for (size_t d = 0; d < dim; ++d) {
      const size_t i = r * dim + d;
      dx.at[i] = static_cast<float>(rstd * (dy.at[i] * gamma.at[d] - of_g - (x.at[i] - mean) * rstd * of_product));
    }
  }
  return {dx, {gamma.extents, {dgamma.begin(), dgamma.end()}}, {gamma.extents, {dbeta.begin(), dbeta.end()}}};
}

class HostGraph : public Graph {
 public:
  explicit HostGraph(GraphDescription graph) : graph_(std::move(graph)) {
    if (const char* bug = std::getenv("ASSAY_PLANTED_IN_GRAPHS")) plant(bug);
  }

  std::optional<Error> run(const std::function<void*(std::string_view)>& pointer_of) override {
    std::map<std::string, Values> known;
    for (const auto& [name, number] : graph_.numbers)
      known[name] = {Extents(graph_.tensors[0].extents.size(), 1), {number}};
    const auto data = [&](const std::string& name) { return static_cast<char*>(pointer_of(name)); };
    for (const GraphNode& node : graph_.nodes) {
      std::vector<Values> in;
      for (const std::string& name : node.operands) {
        if (!known.contains(name)) known[name] = load(*graph_.find(name), data(name));
        in.push_back(known[name]);
      }
      const std::vector<Values> out = results(node, in);
      for (size_t i = 0; i < node.results.size(); ++i) {
        known[node.results[i]] = out.at(i);
        if (const GraphTensor* tensor = graph_.find(node.results[i])) {
          store(*tensor, out[i], data(tensor->name));
          known[tensor->name] = load(*tensor, data(tensor->name));  // nodes that follow read what is stored
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<Values> results(const GraphNode& node, const std::vector<Values>& in) const {
    const std::string& operation = node.operation;
    const bool centred = operation.starts_with("LAYER_");
    if (operation.ends_with("_NORM")) return norm(in, centred);
    if (operation.ends_with("_NORM_BACKWARD")) return norm_backward(in, centred);
    if (operation == "REDUCE_ADD") return {added_up(in[0], graph_.find(node.results[0])->extents)};
    return {pointwise(operation, in)};
  }

  // Mistakes that descriptions may have, for tests that must see them found.
  void plant(const std::string& bug) {
    if (bug == "operands exchanged")
      for (GraphNode& node : graph_.nodes) std::swap(node.operands.front(), node.operands.at(1 % node.operands.size()));
    if (bug == "a stride of 1 forgotten")
      for (GraphTensor& tensor : graph_.tensors) tensor.strides.back() = 0;
    if (bug == "rows of another tensor") graph_.tensors.front().strides = graph_.tensors.back().strides;
    if (bug == "a number twice as large")
      for (auto& number : graph_.numbers) number.second *= 2;
    if (bug == "the last node missing") graph_.nodes.pop_back();
  }

  GraphDescription graph_;
};

}  // namespace

std::optional<std::string> no_graphs() { return std::nullopt; }
GraphPlan plan_graph(const GraphDescription& graph, const GraphTarget&) { return std::make_unique<HostGraph>(graph); }

}  // namespace assay::vendor
