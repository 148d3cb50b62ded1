// The variants that a planted file registers: the bug and its twin. Its first lines state what each of them does.
#pragma once

#include "kernels/device/grid.cuh"

namespace assay::selftest {

// The fields of a Variant that planted kernels need, with what most of them are: in f32, with blocks of a few warps.
struct PlantedKernel {
  std::string op, name;
  std::vector<DType> dtypes = {DType::f32};
  std::vector<int> blocks = {32, 64, 96, 128};
  bool any_grid = false;
  bool deterministic = true;
  std::vector<Domain> domains = {};
  decltype(Variant::unsupported) unsupported = nullptr;
  decltype(Variant::adjust) adjust = nullptr;
  decltype(Variant::workspace_bytes) workspace_bytes = nullptr;
  decltype(Variant::run) run = nullptr;
};

inline RegisterVariant planted(PlantedKernel kernel) {
  return RegisterVariant({.op = std::move(kernel.op),
                          .name = std::move(kernel.name),
                          .summary = "see the first lines of its file",
                          .dtypes = std::move(kernel.dtypes),
                          .blocks = std::move(kernel.blocks),
                          .any_grid = kernel.any_grid,
                          .deterministic = kernel.deterministic,
                          .domains = std::move(kernel.domains),
                          .unsupported = std::move(kernel.unsupported),
                          .adjust = std::move(kernel.adjust),
                          .workspace_bytes = std::move(kernel.workspace_bytes),
                          .run = std::move(kernel.run)});
}

}  // namespace assay::selftest
