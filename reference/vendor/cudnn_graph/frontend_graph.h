// A graph of the frontend with its plan. It includes cudnn-frontend, whose headers take half a minute to compile: for
// graph.cpp only.
#pragma once

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
#include "reference/vendor/cudnn_graph/graph.h"
#include "reference/vendor/scratch.h"

namespace assay::vendor {

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

// The frontend opens a CUDA runtime by itself, to clear and copy small buffers.
inline const Library& cudart() {
  static const Library library("the CUDA runtime", "libcudart.so." + std::to_string(CUDART_VERSION / 1000));
  return library;
}

inline void connect_frontend() {
  fe::cudnn_dlhandle = cudnn().handle();
  setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", cudart().path().c_str(), 0);
}

inline fe::DataType_t data_type(DType dtype) {
  return dtype == DType::f32    ? fe::DataType_t::FLOAT
         : dtype == DType::bf16 ? fe::DataType_t::BFLOAT16
                                : fe::DataType_t::HALF;
}

inline tl::unexpected<Error> refused(const std::string& what, const fe::error_t& error) {
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

}  // namespace assay::vendor
