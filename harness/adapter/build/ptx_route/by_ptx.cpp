// nvcc's PTX, the reader, the translator, and the names that join them to the wrapper.
#include "harness/adapter/build/ptx_route/by_ptx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/element_type.h"
#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/build/ptx_route/markers.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/base/printable.h"
#include "harness/ptx/translate.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// PTX that was read, and whether the kernels that are wanted are marked in it.
struct ReadPtx {
  ptx::Module module;
  std::vector<std::string> left_out = {};
  bool marked = false;
};

Result<ReadPtx> read_module(const NvccPtx& made, const std::string& path) {
  auto module = ASSAY_TRY(ptx::read(made.text, path));
  return ReadPtx{std::move(module), made.left_out};
}

// nvcc's answer from when the file's kernels were read, where the wanted ones are among them; else nvcc is called with
// their markers.
Result<ReadPtx> module_by_nvcc(const Prepared& prepared, const std::vector<WantedEntry>& wanted,
                               const std::vector<Adapter>& adapters, const std::string& stem) {
  const std::string path = stem + ".ptx";
  if (const NvccPtx* first = first_ptx_by_nvcc(prepared))
    if (auto known = read_module(*first, path); known && has_all(known->module, wanted)) return known;
  const NvccPtx made = ASSAY_TRY(
      ptx_by_nvcc(prepared, pieces_for(prepared, adapters).text, markers_of(prepared.templates, wanted), stem));
  ReadPtx read = ASSAY_TRY(read_module(made, path));
  read.marked = true;
  return read;
}

}  // namespace

Result<Translated> translated(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& stem) {
  const bool is_ptx = prepared.adapter.source.ends_with(".ptx");
  const auto wanted = ASSAY_TRY(wanted_of(adapters));
  const std::string path = is_ptx ? prepared.adapter.source : stem + ".ptx";
  const ReadPtx compiled =
      ASSAY_TRY(is_ptx ? read_module({prepared.source_text}, path) : module_by_nvcc(prepared, wanted, adapters, stem));
  const ptx::Module& module = compiled.module;

  std::map<std::string, std::string> names;  // PTX's, by "softmax<float>"
  std::vector<std::string> entries;
  for (const WantedEntry& each : wanted) {
    if (names.contains(each.spelled)) continue;
    const auto name = ASSAY_TRY(is_ptx            ? entry_named(module, each.spelled, path)
                                : compiled.marked ? entry_marked(module, static_cast<int>(names.size()), each.spelled)
                                                  : entry_spelled(module, each.spelled));
    names[each.spelled] = name;
    if (std::find(entries.begin(), entries.end(), name) == entries.end()) entries.push_back(name);
  }
  auto made = ASSAY_TRY(ptx::translate(
      module, entries, {.path = path, .is_own = ptx::is_users_file, .counts = prepared.adapter.compile.counts}));

  // A variable for each entry, whose value for an element type is the kernel for it.
  Translated result{"#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + made, adapters, compiled.left_out};
  std::map<std::string, std::string> variables;
  for (const WantedEntry& each : wanted) {
    const auto [variable, is_new] = variables.emplace(each.entry, fmt::format("assay_kernel_{}", variables.size()));
    if (is_new) result.text += fmt::format("template <class T>\ninline constexpr int {} = 0;\n", variable->second);
    result.text += fmt::format("template <>\ninline constexpr auto {}<{}> = &assay::ptx::{};\n", variable->second,
                               cpp_type(each.dtype), ptx::cpp_name(names[each.spelled]));
  }
  for (Adapter& adapter : result.adapters)
    for (AdapterLaunch& launch : adapter.launches) launch.entry = variables[launch.entry] + "<T>";
  return result;
}

Result<std::string> registered_by_ptx(const Adapter& adapter, const std::string& stem) {
  Adapter with_root = adapter;  // for harness/op/variant.h
  for (const fs::path& folder : project_folders()) with_root.compile.include.push_back(folder.string());
  with_root.compile.nvcc_flags += " -std=c++20";  // as that header is written
  const std::string text = ASSAY_TRY(ptx_of_file(with_root, adapter.source, stem));
  const ptx::Module module = ASSAY_TRY(ptx::read(text, stem + ".ptx"));
  std::vector<std::string> entries;
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && function.has_body) entries.push_back(function.name);
  if (entries.empty()) return fail(adapter.source + " has no kernel", "is it the right file?");
  const auto made = ASSAY_TRY(ptx::translate(
      module, entries,
      {.path = stem + ".ptx", .is_own = ptx::is_users_file, .suffix = ".by_ptx", .counts = adapter.compile.counts}));

  std::string whole = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + made +
                      "#include \"harness/adapter/build/ptx_route/registered.h\"\n"
                      "#define RegisterVariant RegisterByPtx\n#define launch launch_by_ptx\n" +
                      line_directive(1, adapter.source) + "#include " + cpp_literal(adapter.source) +
                      "\n#undef RegisterVariant\n#undef launch\nnamespace {\n";
  for (size_t i = 0; i < entries.size(); ++i)
    whole += fmt::format("const assay::simt::Twin<&{}, &assay::ptx::{}> assay_twin_{};\n",
                         spelled_in_its_file(entries[i]), ptx::cpp_name(entries[i]), i);
  return whole + "}  // namespace\n";
}

}  // namespace assay
