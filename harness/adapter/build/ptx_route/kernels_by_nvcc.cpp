// Kernels as Clang has them, with the instances of nvcc's PTX.
#include <algorithm>

#include "harness/adapter/build/parallel.h"
#include "harness/adapter/build/ptx_route/by_ptx.h"
#include "harness/adapter/build/ptx_route/markers.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/build/ptx_route/signatures.h"
#include "harness/adapter/build/scratch.h"

namespace assay {
namespace {

std::set<std::string> names_of(const CudaSource& source) {
  std::set<std::string> names;
  for (const KernelSource& kernel : source.kernels) names.insert(kernel.name);
  return names;
}

// nvcc's answer for the file, with the kernels that adapters launch marked.
Result<NvccPtx> called_nvcc(const Prepared& prepared, const std::vector<Adapter>& given, const CudaSource& from_clang) {
  ASSAY_TRY(make_scratch_folder());
  std::string markers;
  if (!given.empty()) {
    const auto wanted = ASSAY_TRY(wanted_of(given));
    markers = markers_of(templates_of(from_clang), wanted);
  }
  const std::string part = prepared.pieces ? prepared.pieces->reached(names_of(from_clang)).text : "";
  Result<NvccPtx> made = fail("", "");
  const auto call = [&](size_t) -> Result<void> {
    made = ptx_by_nvcc(prepared, part, markers, (scratch_folder() / "signatures").string());
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
                                   const CudaSource& from_clang) {
  const auto made = ASSAY_TRY(called_nvcc(prepared, given, from_clang));
  const auto module = ASSAY_TRY(ptx::read(made.text, prepared.adapter.source));
  CudaSource source = from_clang;
  for (KernelSource& kernel : source.kernels) kernel.instances.clear();
  take_instances(module, source);
  add_from_headers(module, given, source);
  source.is_read = source.kernels_only = source.by_nvcc = true;
  return source;
}

}  // namespace assay
