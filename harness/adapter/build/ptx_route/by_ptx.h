// The second front end: a user's kernels as nvcc's PTX, translated for the executor.
//
// Code that only nvcc understands (inline PTX, NVIDIA's own headers, CUTLASS) enters here, and it is the code that a
// GPU's driver gets, after nvcc's optimiser. Limits: entries are kernels, not functions that launch; template kernels
// are instantiated in a file that includes the user's.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/prepared.h"
#include "harness/ptx/module.h"

namespace assay {

struct Translated {
  std::string text;                        // to be included in the wrapper
  std::vector<Adapter> adapters;           // those that were given, with entries that `text` defines
  std::vector<std::string> left_out = {};  // headers that are not here
};

// `stem`: the beginning of the paths of passing files. Errors carry nvcc's words, or the instruction that the executor
// does not have, with the user's line.
Result<Translated> translated(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& stem);

// The text of a module for a CUDA file that registers its own variants: its host code as it is, and its kernels by PTX,
// which are launched in place of those that the host compiler makes. `stem` and errors as above.
Result<std::string> registered_by_ptx(const Adapter& adapter, const std::string& stem);

// The kernels of a PTX text as the text of a CUDA file would give them: names without parameters ("softmax<float>"),
// and parameter types; names of parameters where `source_of_kernels` finds the file that it was compiled from.
CudaSource kernels_of(const ptx::Module& module);

// The kernels of a CUDA file as nvcc has them, with the names and bodies that Clang finds: templates have the instances
// that nvcc makes, and kernels that only it finds are there. nvcc is called once, for this and for translated(): with
// markers for the adapters that are `given`. The error is nvcc's.
Result<CudaSource> kernels_by_nvcc(const Prepared& prepared, const std::vector<Adapter>& given,
                                   const CudaSource& from_clang);

}  // namespace assay
