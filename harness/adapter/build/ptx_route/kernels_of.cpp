// PTX kernels for the code that infers how kernels meet an op.
#include <algorithm>
#include <filesystem>

#include "harness/adapter/build/ptx_route/by_ptx.h"
#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/build/ptx_route/signatures.h"
#include "harness/adapter/read/read_by_clang.h"

namespace assay {
namespace {

// Without a C++ name there are PTX's types only: 64 bits are an address more often than a number.
Parameter parameter_of(const ptx::Variable& variable) {
  Parameter parameter;
  const bool is_word = !variable.is_array && ptx::bytes_of(variable.type) == 8 && variable.type != "f64";
  parameter.is_pointer = variable.is_pointer || is_word;
  parameter.type = parameter.is_pointer     ? "void"
                   : variable.type == "f32" ? "float"
                   : variable.type == "f64" ? "double"
                                            : "int";
  return parameter;
}

// The files that the text was compiled from, as far as they are here and can be read.
std::vector<CudaSource> sources_of(const ptx::Module& module) {
  std::vector<CudaSource> sources;
  for (const auto& [number, path] : module.files) {
    const auto text = assay::text_of(path);
    if (!text || !(path.ends_with(".cu") || path.ends_with(".cuh"))) continue;
    if (auto source = read_by_clang({*text, 1}, path, {}, "")) sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace

CudaSource kernels_of(const ptx::Module& module) {
  const std::vector<CudaSource> sources = sources_of(module);
  CudaSource result;
  result.kernels_only = true;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    const std::string whole = demangled(function.name);
    KernelSource kernel;
    kernel.qualified_name = without_parameters(whole);
    kernel.name = short_name(kernel.qualified_name);
    kernel.line = function.place.line;
    const std::vector<std::string> types = parameter_types(whole);
    for (size_t i = 0; i < function.parameters.size(); ++i)
      kernel.parameters.push_back(types.size() == function.parameters.size() ? parameter_of_type(types[i])
                                                                             : parameter_of(function.parameters[i]));
    for (size_t i = 0; i < function.parameters.size(); ++i)
      if (const std::string& name = function.parameters[i].name; name.find("_param_") == std::string::npos)
        kernel.parameters[i].name = name;  // of its author, where no compiler has counted them
    for (const CudaSource& source : sources)
      for (const KernelSource& written : source.kernels) {
        if (written.name != kernel.name || written.parameters.size() != kernel.parameters.size()) continue;
        kernel.facts = written.facts;
        kernel.reached.traits = written.reached.traits;
        for (size_t i = 0; i < written.parameters.size(); ++i) {
          kernel.parameters[i].name = written.parameters[i].name;
          kernel.parameters[i].is_const = written.parameters[i].is_const;
          if (types.empty())
            kernel.parameters[i].type = written.parameters[i].type,
            kernel.parameters[i].is_pointer = written.parameters[i].is_pointer;
        }
      }
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

}  // namespace assay
