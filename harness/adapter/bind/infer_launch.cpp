// Reading launches from host code, and from the indices that a kernel computes.
#include "harness/adapter/bind/infer_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/host_launch.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/body_indices.h"
#include "harness/adapter/read/expression.h"

namespace assay {

Names names_in_kernel(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches) {
  Names names = constants_of(source);
  for (size_t i = 0; i < matches.size(); ++i)
    if (matches[i].binding && !kernel.parameters[i].is_pointer && !kernel.parameters[i].name.empty())
      names[kernel.parameters[i].name] = matches[i].binding->expression;
  return names;
}

std::string rows_of(const Contract& contract) {
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.role != Role::input && tensor.shape.size() == 2 && !contract.dims.empty() &&
        tensor.shape[0] == contract.dims[0].name)
      return contract.dims[0].name;
  return "";
}

namespace {

// blockDim.x in an adapter's terms: the host's number where that is known, else what is swept.
std::string threads_of(const InferredLaunch& inferred) {
  const std::string& threads = inferred.launch.block.front();
  return threads == "?" ? "block" : threads;
}

// A thread or a block for each row and column, which a kernel of two axes compares with how many there are.
Result<std::vector<std::string>> grid_of_two_axes(const BodyIndices& indices, InferredLaunch& inferred) {
  const BodyFacts& facts = indices.facts();
  if (facts.uses("blockIdx", "z") || facts.uses("threadIdx", "z")) return fail("the kernel counts along three axes");
  if (inferred.launch.block == AdapterLaunch{}.block && facts.uses("threadIdx", "y") && facts.shared.empty())
    inferred.launch.block = {"16", "16"};
  std::vector<std::string> grid;
  for (const size_t axis : {0, 1}) {
    const std::vector<std::string>& block = inferred.launch.block;
    const auto thread = indices.find(IndexKind::thread, "xy"[axis]), row = indices.find(IndexKind::block, "xy"[axis]);
    if (!thread && !row) return fail(fmt::format("no index along {} is known here", "xy"[axis]));
    const Result<std::string>& bound = thread ? thread->bound : row->bound;
    if (!bound || (thread && axis >= block.size()))
      return fail(fmt::format("'{}' is compared with nothing that is known", thread ? thread->name : row->name));
    grid.push_back(thread ? fmt::format("ceil_div({}, {})", *bound, block[axis]) : *bound);
  }
  return grid;
}

Result<std::string> grid_of_one_axis(const BodyIndices& indices, const Contract& contract, InferredLaunch& inferred) {
  const std::string threads = threads_of(inferred);
  const auto bound = [&](const BodyIndices::Index& index) -> Result<std::string> {
    if (index.bound) return *index.bound;
    if (!index.bound.error().what.empty())
      return fail(fmt::format("'{}' is compared with '{}'", index.name, index.bound.error().what));
    const std::string rows = rows_of(contract);
    if (rows.empty()) return fail(fmt::format("'{}' is compared with nothing", index.name));
    return rows;
  };
  if (const auto warp = indices.find(IndexKind::warp)) {
    inferred.whole_warps = true;
    auto rows = bound(*warp);
    if (!rows) return rows;
    return "ceil_div(" + (rows->find(' ') == std::string::npos ? *rows : "(" + *rows + ")") + " * 32, " + threads + ")";
  }
  if (const auto thread = indices.find(IndexKind::thread)) {
    if (!thread->bound && thread->bound.error().what.empty())
      return fail(fmt::format("'{}' is compared with nothing", thread->name));
    auto count = bound(*thread);
    if (!count) return count;
    const std::string grid = "ceil_div(" + *count + ", " + threads + ")";
    return count->find(" / ") == std::string::npos ? grid : "max(1, " + grid + ")";  // vectors; others take the rest
  }
  if (!indices.facts().uses("blockIdx")) return std::string("1");
  if (!indices.unknown_index().empty())
    return fail(fmt::format("'{}' is no thread, warp or block that is known here", indices.unknown_index()));
  if (const auto block = indices.find(IndexKind::block)) return bound(*block);
  const std::string rows = rows_of(contract);
  if (rows.empty()) return fail("what a block works on is not one row");
  return rows;
}

// The grid that the kernel's indices need; the error is why it is unknown.
Result<std::vector<std::string>> grid_of_body(const BodyIndices& indices, const Contract& contract,
                                              InferredLaunch& inferred) {
  if (indices.facts().uses("blockIdx", "yz") || indices.facts().uses("threadIdx", "yz"))
    return grid_of_two_axes(indices, inferred);
  const auto grid = grid_of_one_axis(indices, contract, inferred);
  return grid ? Result<std::vector<std::string>>({*grid}) : tl::unexpected(grid.error());
}

// A kernel that uses threadIdx and never reads blockDim is written for one block size, which its text does not show.
void ask_for_block(const CudaSource& source, const KernelSource& kernel, InferredLaunch& inferred) {
  const bool open = inferred.launch.block == AdapterLaunch{}.block;
  const bool groups = kernel.facts.calls.contains("meta_group_size");  // a cooperative group asks for it
  if (!open || groups || threads_by_steps(source, kernel) > 0 ||
      std::ranges::any_of(kernel.parameters, is_block_size) || kernel.facts.uses("blockDim") ||
      !kernel.facts.uses("threadIdx"))
    return;
  inferred.launch.block = {"?"};
  inferred.unknown.push_back(fmt::format(
      "the block of {}: it has a number of threads built in, because it never reads blockDim", kernel.name));
}

void ask_for_shared(const KernelSource& kernel, InferredLaunch& inferred) {
  const std::string declared = inferred.launch.shared == "0" ? kernel.facts.dynamic_shared : "";
  if (declared.empty()) return;
  inferred.launch.shared = "?";
  inferred.unknown.push_back(
      fmt::format("the number of bytes of dynamic shared memory: the kernel has `{}`", declared));
}

}  // namespace

const LaunchSource* own_launch(const CudaSource& source, const KernelSource& kernel, const TemplateValues& values) {
  const auto has_values = [&](const LaunchSource& launch) {
    if (!kernel.specialised_for.empty()) return launch.template_arguments == kernel.specialised_for;
    for (size_t i = 0; i < std::min(launch.template_arguments.size(), kernel.template_parameters.size()); ++i)
      if (const auto value = values.find(kernel.template_parameters[i].name);
          value != values.end() && value->second != launch.template_arguments[i])
        return false;
    return true;
  };
  for (const LaunchSource& launch : source.launches)
    if (kernel_of(launch.kernel) == kernel.name && has_values(launch)) return &launch;
  return nullptr;
}

namespace {

// A launch of which nothing but what the kernel's own text demands is known.
InferredLaunch begun(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches) {
  InferredLaunch inferred;
  inferred.whole_warps = kernel.reached.traits.contains("warps");
  add_conditions(kernel.requirements, names_in_kernel(source, kernel, matches), inferred);
  return inferred;
}

}  // namespace

std::vector<InferredLaunch> filled_launches(const CudaSource& source, const KernelSource& kernel,
                                            const std::vector<Match>& matches, const Contract& contract,
                                            const TemplateValues& template_values, const std::string& shared) {
  const LaunchSource* host = own_launch(source, kernel, template_values);
  if (!host || host->configuration.empty()) return {};
  // One name for the whole grid of a kernel that counts blocks along more axes: its extents are not to be told apart.
  if (tokens_of(host->configuration[0]).size() == 1 && kernel.facts.uses("blockIdx", "yz")) return {};
  InferredLaunch inferred = begun(source, kernel, matches);
  HostLaunch launch(*host, source, kernel, matches, contract);
  launch.infer(inferred);
  return launch.filled(inferred, shared);
}

std::vector<std::string> grid_by_indices(InferredLaunch inferred, const KernelSource& kernel,
                                         const std::vector<Match>& matches, const Contract& contract) {
  Names names;
  for (size_t i = 0; i < matches.size(); ++i)
    if (matches[i].binding && !kernel.parameters[i].is_pointer)
      names[kernel.parameters[i].name] = matches[i].binding->expression;
  const auto grid = grid_of_body(BodyIndices(kernel, names), contract, inferred);
  return grid.value_or(std::vector<std::string>());
}

InferredLaunch infer_launch(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches,
                            const Contract& contract, const TemplateValues& template_values) {
  InferredLaunch inferred = begun(source, kernel, matches);
  std::string why = "no launch names it";
  std::optional<InferredLaunch> of_one_size;  // the file's own, which other sizes may not be launched by
  if (const LaunchSource* host = own_launch(source, kernel, template_values)) {
    HostLaunch launch(*host, source, kernel, matches, contract);
    launch.infer(inferred);
    if (launch.has_grid()) {
      of_one_size = inferred;
      of_one_size->remarks.push_back(launch.remark());
      if (launch.only_size().empty()) return *of_one_size;
      why = fmt::format("the launch in line {} is for {} alone", host->line, launch.only_size());
    }
    if (!launch.why().empty()) why = launch.why();
  }
  const BodyIndices indices(kernel, names_in_kernel(source, kernel, matches));
  const auto grid = grid_of_body(indices, contract, inferred);
  if (!grid && of_one_size) return *of_one_size;
  if (grid) {
    inferred.launch.grid = *grid;
    inferred.remarks.push_back(fmt::format("The grid is what the indices of {} ask for: {}.", kernel.name, why));
  } else {
    inferred.launch.grid = {"?"};
    inferred.unknown.push_back(fmt::format("the grid of {}: {}, and {}", kernel.name, why, grid.error().what));
  }
  ask_for_block(source, kernel, inferred);
  ask_for_shared(kernel, inferred);
  return inferred;
}

}  // namespace assay
