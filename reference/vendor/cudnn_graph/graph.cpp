// The graphs, built with cudnn-frontend. The only file that includes it.
#include "reference/vendor/cudnn_graph/graph.h"

#if __has_include(<cudnn_frontend.h>) && __has_include(<cudnn.h>)

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#include <cudnn_frontend.h>

#include <cstdlib>
#include <exception>
#include <unordered_map>
#include <vector>

#include "harness/device/cuda/plan_store.h"
#include "reference/vendor/cudnn/handle.h"
#include "reference/vendor/scratch.h"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // through which the frontend finds cuDNN's functions
}

namespace assay::vendor {
namespace {

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

// The frontend opens a CUDA runtime by itself, to clear and copy small buffers.
const Library& cudart() {
  static const Library library("the CUDA runtime", "libcudart.so." + std::to_string(CUDART_VERSION / 1000));
  return library;
}

void connect_frontend() {
  fe::cudnn_dlhandle = cudnn().handle();
  setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", cudart().path().c_str(), 0);
}

fe::DataType_t data_type(DType dtype) {
  return dtype == DType::f32    ? fe::DataType_t::FLOAT
         : dtype == DType::bf16 ? fe::DataType_t::BFLOAT16
                                : fe::DataType_t::HALF;
}

tl::unexpected<Error> refused(const std::string& what, const fe::error_t& error) {
  // The lines after the first come from every engine.
  return fail("cuDNN has no plan for " + what + ": " + error.err_msg.substr(0, error.err_msg.find('\n')));
}

// An exception of the frontend, such as at a function that it cannot load, as an error.
template <class F>
std::optional<Error> caught(const std::string& what, F f) {
  try {
    return f();
  } catch (const std::exception& thrown) {
    return Error{what + " by cuDNN: " + thrown.what(), ""};
  }
}

class FrontendGraph : public Graph, private StoredPlan {
 public:
  // shape: in words, all that the graph is made of besides. Operations take over these settings when they are added, so
  // they come first.
  FrontendGraph(std::string what, std::string shape, GraphTarget target)
      : what_(std::move(what)), shape_(std::move(shape)), target_(std::move(target)) {
    connect_frontend();
    graph_->set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT)
        .set_sm_version(target_.described.empty() ? current_capability() : target_.capability);
  }

  fe::graph::Graph& graph() { return *graph_; }

  // Makes `tensor`, or a new one, the tensor `name` of the caller.
  Tensor bind(std::string name, DType dtype, std::vector<int64_t> dim, std::vector<int64_t> stride,
              Tensor tensor = nullptr) {
    if (!tensor) {
      tensor = graph_->tensor(fe::graph::Tensor_attributes().set_name(name));
    } else {
      tensor->set_output(true);
    }
    tensor->set_dim(dim).set_stride(stride).set_data_type(data_type(dtype)).set_uid(++last_uid_);
    names_.emplace(last_uid_, std::move(name));
    return tensor;
  }

  // With a plan that another process of this run made for the same, where there is one.
  std::optional<Error> plan() {
    if (!target_.described.empty()) return caught(what_, [&] { return engine_for_described(); });
    const auto store = PlanStore::of_environment();
    if (auto error = take_or_make(*this, store ? &*store : nullptr)) return error;
    auto workspace = allocate_scratch(static_cast<size_t>(graph_->get_workspace_size()));
    if (!workspace) return workspace.error();
    workspace_ = std::move(*workspace);
    return std::nullopt;
  }

  std::optional<Error> run(const std::function<void*(std::string_view)>& pointer_of) override {
    return caught(what_, [&] { return run_or_throw(pointer_of); });
  }

 private:
  // Asks for an engine and no more: compiling its kernels takes seconds, and loading them a driver.
  std::optional<Error> engine_for_described() {
    auto device = std::make_shared<fe::DeviceProperties>();
    if (auto error = device->deserialize({target_.described.begin(), target_.described.end()}); error.is_bad())
      return refused(what_, error).value();
    graph_->set_device_properties(device);
    return choose_engine(nullptr);
  }

  std::optional<Error> choose_engine(cudnnHandle_t handle) {
    auto error = graph_->validate();
    if (error.is_good()) error = graph_->build_operation_graph(handle);
    if (error.is_good()) error = graph_->create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
    if (error.is_bad()) return refused(what_, error).value();
    return std::nullopt;
  }

  // The plan as the store has it: cuDNN's own form, with the kernels that it has compiled.
  std::string key() const override {
    int device = 0;
    cudaDeviceProp gpu{};
    cudaGetDevice(&device);
    cudaGetDeviceProperties(&gpu, device);
    const auto version = cudnn().function<decltype(&cudnnGetVersion)>("cudnnGetVersion");
    return what_ + ", " + shape_ + ", cuDNN " + std::to_string(version()) + ", frontend " +
           std::to_string(CUDNN_FRONTEND_VERSION) + ", " + gpu.name + " " + std::to_string(current_capability());
  }

  std::optional<Error> make() override {
    return caught(what_, [&]() -> std::optional<Error> {
      const auto handle = cudnn_handle();
      if (!handle) return handle.error();
      if (auto error = choose_engine(*handle)) return error;
      auto error = graph_->check_support();
      if (error.is_good()) error = graph_->build_plans();
      if (error.is_bad()) return refused(what_, error).value();
      return std::nullopt;
    });
  }

  std::optional<PlanBytes> bytes() const override {
    PlanBytes bytes;
    const auto error = caught(what_, [&]() -> std::optional<Error> {
      if (graph_->serialize(bytes, /*serialize_structure=*/false).is_good()) return std::nullopt;
      return Error{"not every engine's plan has such a form", ""};
    });
    return error ? std::nullopt : std::optional(bytes);
  }

  bool take(const PlanBytes& plan) override {
    auto taken = std::make_unique<fe::graph::Graph>();
    const auto error = caught(what_, [&]() -> std::optional<Error> {
      const auto handle = cudnn_handle();
      if (!handle) return handle.error();
      if (taken->deserialize(*handle, plan).is_good()) return std::nullopt;
      return Error{"cuDNN does not take it", ""};
    });
    if (!error) graph_ = std::move(taken);
    return !error;
  }

  std::optional<Error> run_or_throw(const std::function<void*(std::string_view)>& pointer_of) {
    const auto handle = cudnn_handle();
    if (!handle) return handle.error();
    std::unordered_map<int64_t, void*> pointers;
    for (const auto& [uid, name] : names_) pointers.emplace(uid, pointer_of(name));
    if (auto error = graph_->execute(*handle, pointers, workspace_.get()); error.is_bad())
      return Error{what_ + " by cuDNN: " + error.err_msg, ""};
    return std::nullopt;
  }

  static int current_capability() {
    int device = 0, major = 0, minor = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return major * 10 + minor;
  }

  std::string what_, shape_;
  GraphTarget target_;
  std::unique_ptr<fe::graph::Graph> graph_ = std::make_unique<fe::graph::Graph>();
  int64_t last_uid_ = 0;
  std::unordered_map<int64_t, std::string> names_;
  Scratch workspace_;
};

std::string in_words(const AttentionGraph& a) {
  std::string words = fmt::format("{} B={} H={} HK={} Sq={} Sk={} D={} head_major={} causal={} scale={:a} ordered={}",
                                  name(a.dtype), a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.dim, a.head_major,
                                  a.causal, a.scale, a.deterministic);
  if (a.bias) words += fmt::format(" bias={},{},{}", (*a.bias)[0], (*a.bias)[1], (*a.bias)[2]);
  return words;
}

std::string in_words(const RmsNormGraph& norm) {
  return fmt::format("{} rows={} dim={} eps={:a}", name(norm.dtype), norm.rows, norm.dim, norm.eps);
}

GraphPlan planned(std::unique_ptr<FrontendGraph> graph) {
  if (auto error = graph->plan()) return tl::unexpected(*error);
  return graph;
}

// The tensors of an attention graph. cuDNN's order of dims is (B, heads, tokens, D), whatever the strides.
struct AttentionTensors {
  FrontendGraph& graph;
  const AttentionGraph& a;

  Tensor matrices(std::string name, int64_t tokens, int64_t heads, Tensor tensor) const {
    const std::vector<int64_t> stride = a.head_major
                                            ? std::vector{heads * tokens * a.dim, tokens * a.dim, a.dim, int64_t{1}}
                                            : std::vector{tokens * heads * a.dim, a.dim, heads * a.dim, int64_t{1}};
    return graph.bind(std::move(name), a.dtype, {a.batch, heads, tokens, a.dim}, stride, std::move(tensor));
  }
  Tensor query(std::string name, Tensor tensor = nullptr) const {
    return matrices(std::move(name), a.queries, a.heads, std::move(tensor));
  }
  Tensor key(std::string name, Tensor tensor = nullptr) const {
    return matrices(std::move(name), a.keys, a.kv_heads, std::move(tensor));
  }
  Tensor lse(Tensor tensor = nullptr) const {
    return graph.bind("lse", DType::f32, {a.batch, a.heads, a.queries, 1}, {a.heads * a.queries, a.queries, 1, 1},
                      std::move(tensor));
  }
  Tensor bias(std::string name, Tensor tensor = nullptr) const {
    const auto [batch, heads, queries] = *a.bias;
    return graph.bind(std::move(name), a.dtype, {batch, heads, queries, a.keys},
                      {heads * queries * a.keys, queries * a.keys, a.keys, 1}, std::move(tensor));
  }

  // Scale, causality and bias, which forward and backward name alike.
  template <class Attributes>
  Attributes& configure(Attributes& attributes) const {
    attributes.set_attn_scale(a.scale);
    if (a.bias) attributes.set_bias(bias("bias"));
    if (!a.causal) return attributes;
    attributes.set_diagonal_alignment(a.queries == a.keys ? fe::DiagonalAlignment_t::TOP_LEFT
                                                          : fe::DiagonalAlignment_t::BOTTOM_RIGHT);
    return attributes.set_diagonal_band_right_bound(0);
  }
};

// cuDNN takes four dims: `rows` images of `dim` channels, over which it takes the mean.
struct RmsNormTensors {
  FrontendGraph& graph;
  const RmsNormGraph& shape;

  Tensor matrix(std::string name, Tensor tensor = nullptr) const {
    return graph.bind(std::move(name), shape.dtype, {shape.rows, shape.dim, 1, 1}, {shape.dim, 1, shape.dim, shape.dim},
                      std::move(tensor));
  }
  Tensor weights(std::string name, DType dtype, Tensor tensor = nullptr) const {
    return graph.bind(std::move(name), dtype, {1, shape.dim, 1, 1}, {shape.dim, 1, shape.dim, shape.dim},
                      std::move(tensor));
  }
  Tensor rstd(Tensor tensor = nullptr) const {
    return graph.bind("rstd", DType::f32, {shape.rows, 1, 1, 1}, {1, 1, 1, 1}, std::move(tensor));
  }
};

}  // namespace

std::optional<std::string> no_graphs() {
  if (auto why = why_missing(cudnn())) return why;
  return why_missing(cudart());
}

GraphPlan plan_attention_forward(const AttentionGraph& shape, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>("attention", in_words(shape), target);
  const AttentionTensors tensors{*graph, shape};
  auto attributes = fe::graph::SDPA_attributes().set_name("attention").set_generate_stats(true);
  tensors.configure(attributes);
  const Tensor q = tensors.query("q"), k = tensors.key("k"), v = tensors.key("v");
  const auto [o, lse] = graph->graph().sdpa(q, k, v, attributes);
  tensors.query("o", o);
  tensors.lse(lse);
  return planned(std::move(graph));
}

GraphPlan plan_attention_backward(const AttentionGraph& shape, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>("attention's backward", in_words(shape), target);
  const AttentionTensors tensors{*graph, shape};
  auto attributes = fe::graph::SDPA_backward_attributes().set_name("attention_backward");
  attributes.set_deterministic_algorithm(shape.deterministic);
  tensors.configure(attributes);
  if (shape.bias) {
    auto dbias = graph->graph().tensor(fe::graph::Tensor_attributes().set_name("dbias"));
    attributes.set_dbias(tensors.bias("dbias", dbias));
  }
  const Tensor q = tensors.query("q"), k = tensors.key("k"), v = tensors.key("v");
  const Tensor o = tensors.query("o"), go = tensors.query("do"), lse = tensors.lse();
  const auto [dq, dk, dv] = graph->graph().sdpa_backward(q, k, v, o, go, lse, attributes);
  tensors.query("dq", dq);
  tensors.key("dk", dk);
  tensors.key("dv", dv);
  return planned(std::move(graph));
}

GraphPlan plan_rms_norm_forward(const RmsNormGraph& shape, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>("RMSNorm", in_words(shape), target);
  const RmsNormTensors tensors{*graph, shape};
  auto eps = graph->graph().tensor(fe::graph::Tensor_attributes(shape.eps));
  const Tensor x = tensors.matrix("x"), gamma = tensors.weights("gamma", shape.dtype);
  const auto [y, rstd] = graph->graph().rmsnorm(
      x, gamma, fe::graph::Rmsnorm_attributes().set_forward_phase(fe::NormFwdPhase_t::TRAINING).set_epsilon(eps));
  tensors.matrix("y", y);
  tensors.rstd(rstd);
  return planned(std::move(graph));
}

GraphPlan plan_rms_norm_backward(const RmsNormGraph& shape, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>("RMSNorm's backward", in_words(shape), target);
  const RmsNormTensors tensors{*graph, shape};
  const Tensor g = tensors.matrix("g"), x = tensors.matrix("x"), gamma = tensors.weights("gamma", DType::f32);
  const auto [dx, dw, no_bias] = graph->graph().rmsnorm_backward(
      g, x, gamma, tensors.rstd(), fe::graph::Rmsnorm_backward_attributes().has_dbias(false));
  tensors.matrix("dx", dx);
  tensors.weights("dw", DType::f32, dw);
  return planned(std::move(graph));
}

}  // namespace assay::vendor

#else

namespace assay::vendor {
namespace {

tl::unexpected<Error> built_without() {
  return fail("this build has no graphs of cuDNN: it was made without the headers of cuDNN or of cudnn-frontend",
              "run scripts/cudnn_frontend.sh and build again");
}

}  // namespace

std::optional<std::string> no_graphs() { return built_without().value().line(); }
GraphPlan plan_attention_forward(const AttentionGraph&, const GraphTarget&) { return built_without(); }
GraphPlan plan_attention_backward(const AttentionGraph&, const GraphTarget&) { return built_without(); }
GraphPlan plan_rms_norm_forward(const RmsNormGraph&, const GraphTarget&) { return built_without(); }
GraphPlan plan_rms_norm_backward(const RmsNormGraph&, const GraphTarget&) { return built_without(); }

}  // namespace assay::vendor

#endif
