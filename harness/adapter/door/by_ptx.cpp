// nvcc's PTX, the reader, the translator, and the names that join them to the wrapper.
#include "harness/adapter/door/by_ptx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/adapter/build.h"
#include "harness/adapter/door/entries.h"
#include "harness/adapter/door/nvcc.h"
#include "harness/adapter/generate.h"
#include "harness/ptx/translate.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string device_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "float";
    case DType::bf16:
      return "__nv_bfloat16";
    case DType::f16:
      return "__half";
    case DType::u32:
      return "unsigned";
    case DType::u8:
      return "unsigned char";
    case DType::u64:
      return "unsigned long long";
  }
  return "";
}

bool names_type(const std::string& entry) { return with_type(entry, "") != entry; }

// An adapter's entry with one element type.
struct Wanted {
  std::string entry;  // as the adapter has it: "softmax<T>"
  DType dtype;
  std::string spelled;  // "softmax<float>"
};

// Each entry with each element type, once.
Result<std::vector<Wanted>> wanted_of(const std::vector<Adapter>& adapters) {
  std::vector<Wanted> all;
  for (const Adapter& adapter : adapters)
    for (const AdapterLaunch& launch : adapter.launches) {
      if (launch.is_launcher)
        return fail(fmt::format("{} launches kernels itself, and the PTX has only kernels", launch.entry),
                    "--kernel names a kernel, and an adapter says how it is launched");
      for (const DType dtype : adapter.dtypes) {
        const auto is_same = [&](const Wanted& each) { return each.entry == launch.entry && each.dtype == dtype; };
        if (std::none_of(all.begin(), all.end(), is_same))
          all.push_back({launch.entry, dtype, with_type(launch.entry, device_type(dtype))});
      }
    }
  return all;
}

// What makes nvcc compile each kernel that is wanted, under the numbers in their order.
std::string markers_of(const std::string& source_text, const std::vector<Wanted>& wanted) {
  std::set<std::string> templates;
  if (const auto source = read_cuda(source_text))
    for (const KernelSource& kernel : source->kernels)
      if (!kernel.template_parameters.empty()) templates.insert(kernel.name);
  std::string text;
  if (std::any_of(wanted.begin(), wanted.end(), [](const Wanted& each) { return names_type(each.entry); }))
    text = "\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  text += kMarkerBegin;
  // All template arguments by default: a name alone would be the template's.
  const auto is_bare = [&](const std::string& entry) {
    return !entry.ends_with('>') && templates.contains(kernel_of(entry));
  };
  std::map<std::string, int> numbers;
  for (const Wanted& each : wanted)
    if (numbers.emplace(each.spelled, static_cast<int>(numbers.size())).second)
      text += marker(each.spelled + (is_bare(each.spelled) ? "<>" : ""), numbers[each.spelled]);
  return text;
}

// What is not the user's: headers of the toolkit and of the system.
bool is_own(const std::string& file) {
  const std::string path = fs::path(file).lexically_normal().string();
  return !path.starts_with("/usr/") && path.find("/targets/") == std::string::npos &&
         path.find("/nvidia/cu") == std::string::npos;
}

}  // namespace

Result<Translated> translated(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& stem) {
  const bool is_ptx = prepared.adapter.source.ends_with(".ptx");
  const auto wanted = wanted_of(adapters);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto compiled = is_ptx ? Result<NvccPtx>(NvccPtx{prepared.source_text})
                               : ptx_by_nvcc(prepared, adapters, markers_of(prepared.source_text, *wanted), stem);
  if (!compiled) return tl::unexpected(compiled.error());
  const std::string path = is_ptx ? prepared.adapter.source : stem + ".ptx";
  const auto module = ptx::read(compiled->text, path);
  if (!module) return tl::unexpected(module.error());

  std::map<std::string, std::string> names;  // PTX's, by "softmax<float>"
  std::vector<std::string> entries;
  for (const Wanted& each : *wanted) {
    if (names.contains(each.spelled)) continue;
    const auto name = is_ptx ? entry_named(*module, each.spelled, path)
                             : entry_marked(*module, static_cast<int>(names.size()), each.spelled);
    if (!name) return tl::unexpected(name.error());
    names[each.spelled] = *name;
    if (std::find(entries.begin(), entries.end(), *name) == entries.end()) entries.push_back(*name);
  }
  auto made = ptx::translate(*module, entries, {path, is_own, "", prepared.adapter.compile.counts});
  if (!made) return tl::unexpected(made.error());

  // A variable for each entry, whose value for an element type is the kernel for it.
  Translated result{"#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + *made, adapters, compiled->left_out};
  std::map<std::string, std::string> variables;
  for (const Wanted& each : *wanted) {
    const auto [variable, is_new] = variables.emplace(each.entry, fmt::format("assay_kernel_{}", variables.size()));
    if (is_new) result.text += fmt::format("template <class T>\ninline constexpr int {} = 0;\n", variable->second);
    result.text += fmt::format("template <>\ninline constexpr auto {}<{}> = &assay::ptx::{};\n", variable->second,
                               device_type(each.dtype), ptx::cpp_name(names[each.spelled]));
  }
  for (Adapter& adapter : result.adapters)
    for (AdapterLaunch& launch : adapter.launches) launch.entry = variables[launch.entry] + "<T>";
  return result;
}

Result<std::string> registered_by_ptx(const Adapter& adapter, const std::string& stem) {
  Adapter with_root = adapter;  // for harness/op/variant.h
  for (const fs::path& folder : project_folders()) with_root.compile.include.push_back(folder.string());
  with_root.compile.nvcc_flags += " -std=c++20";  // as that header is written
  const auto text = ptx_of_file(with_root, adapter.source, stem);
  if (!text) return text;
  const auto module = ptx::read(*text, stem + ".ptx");
  if (!module) return tl::unexpected(module.error());
  std::vector<std::string> entries;
  for (const ptx::Function& function : module->functions)
    if (function.is_entry && function.has_body) entries.push_back(function.name);
  if (entries.empty()) return fail(adapter.source + " has no kernel", "is it the right file?");
  auto made = ptx::translate(*module, entries, {stem + ".ptx", is_own, ".by_ptx", adapter.compile.counts});
  if (!made) return made;

  std::string whole = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + *made +
                      "#include \"harness/adapter/door/registered.h\"\n"
                      "#define RegisterVariant RegisterByPtx\n#define launch launch_by_ptx\n" +
                      line_directive(1, adapter.source) + "#include " + literal(adapter.source) +
                      "\n#undef RegisterVariant\n#undef launch\nnamespace {\n";
  for (size_t i = 0; i < entries.size(); ++i)
    whole += fmt::format("const assay::simt::Twin<&{}, &assay::ptx::{}> assay_twin_{};\n",
                         spelled_in_its_file(entries[i]), ptx::cpp_name(entries[i]), i);
  return whole + "}  // namespace\n";
}

}  // namespace assay
