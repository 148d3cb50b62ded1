// The kernels of a file: by Clang, from PTX, or by Clang with nvcc's types and instances.
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/ptx_route/by_ptx.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/read/read_by_clang.h"

namespace assay {

Result<CudaSource> read_kernels(const CudaText& text, const std::string& path, const CompileOptions& options,
                                const Adapter* given, const std::string& kernel) {
  if (path.ends_with(".ptx")) {
    const auto module = ptx::read(text.text, path);
    return module ? Result<CudaSource>(kernels_of(*module)) : tl::unexpected(module.error());
  }
  if (given && given->language == KernelLanguage::host) {  // C, perhaps; its adapter says all
    CudaSource unread;
    unread.code = text.text;
    unread.is_read = false;
    return unread;
  }
  auto source =
      read_by_clang(text, path, options, kernel, given ? words_of_launches({*given}) : std::set<std::string>());
  if (!source) return source;
  if (!source->is_read && !given) return tl::unexpected(not_read(path));  // an adapter says how they are called
  if (options.via != "ptx" || nvcc_here().empty()) return source;
  Prepared file;
  if (given) file.adapter = *given;
  file.adapter.source = absolute_path(path);
  file.adapter.compile = options;
  file.pieces = source->pieces;
  file.adapter.compile.define.insert(file.adapter.compile.define.end(), source->defined.begin(), source->defined.end());
  file.source_text = text.text;
  file.first_line = text.first_line;
  auto compiled = kernels_by_nvcc(file, given ? std::vector{file.adapter} : std::vector<Adapter>(), *source);
  return compiled ? compiled : source;  // nvcc's errors are reported where the kernels are compiled
}

}  // namespace assay
