// Kernels as nvcc has them: its preprocessed text has their names and bodies, its PTX their types and instances.
#include <algorithm>

#include "harness/adapter/parallel.h"
#include "harness/adapter/ptx_route/by_ptx.h"
#include "harness/adapter/ptx_route/markers.h"
#include "harness/adapter/ptx_route/nvcc.h"
#include "harness/adapter/ptx_route/signatures.h"
#include "harness/adapter/scratch.h"

namespace assay {
namespace {

std::set<std::string> names_of(const CudaSource& source) {
  std::set<std::string> names;
  for (const KernelSource& kernel : source.kernels) names.insert(kernel.name);
  return names;
}

// nvcc's answer for the file, with the kernels that adapters launch marked.
Result<NvccPtx> called_nvcc(const Prepared& prepared, const std::vector<Adapter>& given, const CudaSource& from_text) {
  if (auto made = make_scratch_folder(); !made) return tl::unexpected(made.error());
  std::string markers;
  if (!given.empty()) {
    const auto wanted = wanted_of(given);
    if (!wanted) return tl::unexpected(wanted.error());
    markers = markers_of(prepared.source_text, *wanted);
  }
  Result<NvccPtx> made = fail("", "");
  const auto call = [&](size_t) -> Result<void> {
    made = ptx_by_nvcc(prepared, names_of(from_text), markers, (scratch_folder() / "signatures").string());
    return {};
  };
  if (auto called = in_parallel(1, call, "reading " + prepared.adapter.source + " by nvcc"); !called)
    return tl::unexpected(called.error());
  return made;
}

// Kernels that headers define and the file only instantiates, as CUB's: those that adapters launch, or all where the
// file has no other.
void add_from_headers(const ptx::Module& module, const std::vector<Adapter>& given, CudaSource& compiled) {
  const std::set<std::string> known = names_of(compiled);
  std::set<std::string> wanted;
  for (const Adapter& adapter : given)
    for (const AdapterLaunch& launch : adapter.launches) wanted.insert(kernel_of(launch.entry));
  const bool takes_all = given.empty() && compiled.kernels.empty();
  for (KernelSource& kernel : kernels_of(module).kernels)
    if (!known.contains(kernel.name) && (takes_all || wanted.contains(kernel.name)))
      compiled.kernels.push_back(std::move(kernel));
}

}  // namespace

Result<CudaSource> kernels_by_nvcc(const Prepared& prepared, const std::vector<Adapter>& given,
                                   const CudaSource& from_text) {
  const auto made = called_nvcc(prepared, given, from_text);
  if (!made) return tl::unexpected(made.error());
  const auto module = ptx::read(made->text, prepared.adapter.source);
  if (!module) return tl::unexpected(module.error());
  auto compiled = read_cuda(made->own_text);
  if (!compiled) return compiled;
  take_signatures(*module, *compiled);
  const std::set<std::string> known = names_of(*compiled);
  for (const KernelSource& kernel : from_text.kernels)
    if (!known.contains(kernel.name)) compiled->kernels.push_back(kernel);
  add_from_headers(*module, given, *compiled);
  CudaSource source = *compiled;
  if (made->is_part) {  // launches and what leads to them are in the text alone
    source = from_text;
    source.kernels = std::move(compiled->kernels);
  }
  source.kernels_only = source.by_nvcc = true;
  source.constants = from_text.constants;  // which adapters may name
  return source;
}

}  // namespace assay
