// The kernels of a file: from its text, from PTX, or from both by nvcc.
#include <algorithm>

#include "harness/adapter/compiled.h"
#include "harness/adapter/cuda_text.h"
#include "harness/adapter/infer_launcher.h"
#include "harness/adapter/known_branches.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/ptx_route/by_ptx.h"
#include "harness/adapter/ptx_route/nvcc.h"
#include "harness/adapter/read_by_clang.h"
#include "harness/adapter/type_aliases.h"

namespace assay {
namespace {

Result<CudaSource> kernels_of_ptx(const std::string& text, const std::string& path) {
  const auto module = ptx::read(text, path);
  if (!module) return tl::unexpected(module.error());
  return kernels_of(*module);
}

// These stand in place of the names for types of the file and its headers. A name that is not mangled, extern "C", has
// no types.
void resolve_names_for_types(const std::string& text, const std::string& path, const CompileOptions& options,
                             CudaSource& source) {
  const auto code = without_comments(with_local_headers(text, path, 1, header_folders(options), Local::once).text);
  if (code) resolve_type_aliases(without_directives(with_known_branches(*code, options.define), Branches::all), source);
}

Result<CudaSource> read_text(const std::string& text, const std::string& path, const CompileOptions& options) {
  auto source = read_cuda(text);
  if (!source) return tl::unexpected(Error{path + ": " + source.error().what, source.error().hint});
  resolve_names_for_types(text, path, options, *source);
  source->kernels_only = options.via == "ptx";
  return source;
}

// Whether a kernel, or a function that launches, is called so; any kernel where no name is given.
bool shows(const CudaSource& source, const std::string& name) {
  if (name.empty()) return !source.kernels.empty();
  return find_launcher(source, name) ||
         std::any_of(source.kernels.begin(), source.kernels.end(),
                     [&](const KernelSource& kernel) { return kernel.name == name || kernel.qualified_name == name; });
}

// Whether some #define has __global__ in it.
bool has_macro_of_kernels(std::string_view text) {
  for (size_t at = 0; (at = text.find("__global__", at)) != std::string_view::npos;
       at = end_of_logical_line(text, at)) {
    size_t begin = text.rfind('\n', at) + 1;
    while (begin >= 2 && text[begin - 2] == '\\')
      begin = text.rfind('\n', begin - 2) + 1;  // the lines that it continues
    if (directive_of(text.substr(begin, text.find('\n', begin) - begin)) == "define") return true;
  }
  return false;
}

}  // namespace

Result<CudaSource> read_kernels(const CudaText& text, const std::string& path, const CompileOptions& options,
                                const Adapter* given, const std::string& kernel) {
  if (path.ends_with(".ptx")) return kernels_of_ptx(text.text, path);
  auto from_text = read_text(text.text, path, options);
  if (from_text && options.via != "ptx") take_from_clang(text, path, options, kernel, *from_text);
  if (options.via != "ptx" || nvcc_here().empty()) return from_text;
  Prepared file;
  if (given) file.adapter = *given;
  file.adapter.source = absolute_path(path);
  file.adapter.compile = options;
  file.source_text = text.text;
  file.first_line = text.first_line;
  auto compiled = kernels_by_nvcc(file, given ? std::vector{file.adapter} : std::vector<Adapter>(),
                                  from_text.value_or(CudaSource()));
  if (compiled) resolve_names_for_types(text.text, path, options, *compiled);
  return compiled ? compiled : from_text;  // nvcc's errors are reported where the kernels are compiled
}

Result<CudaSource> find_kernels(const CudaText& text, const std::string& path, CompileOptions& options,
                                const std::string& kernel) {
  auto source = read_kernels(text, path, options, nullptr, kernel);
  const bool is_open = (options.via.empty() || options.via == "auto") && !path.ends_with(".ptx");
  if (!is_open || (source && shows(*source, kernel))) return source;
  if (!has_macro_of_kernels(with_local_headers(text.text, path, 1, header_folders(options), Local::once).text) ||
      nvcc_here().empty())
    return source;
  CompileOptions by_ptx = options;
  by_ptx.via = "ptx";
  auto compiled = read_kernels(text, path, by_ptx);
  if (!compiled || !shows(*compiled, kernel)) return source;
  options = by_ptx;
  return compiled;
}

}  // namespace assay
