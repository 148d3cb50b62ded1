// nvcc, the reader, the translator, and the names that join them to the wrapper.
#include "harness/adapter/door/by_ptx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "harness/adapter/build.h"
#include "harness/adapter/compiled.h"
#include "harness/adapter/cuda_text.h"
#include "harness/adapter/door/entries.h"
#include "harness/adapter/generate.h"
#include "harness/base/command.h"
#include "harness/base/write_file.h"
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

// The PTX of the CUDA file at `path`, which goes to stem.ptx.
Result<std::string> compiled_by_nvcc(const Adapter& adapter, const std::string& path, const std::string& stem) {
  const std::string nvcc = nvcc_here();
  if (nvcc.empty())
    return fail("no nvcc was found", "`scripts/setup --cuda` fetches one, or put it on PATH; no GPU is needed");
  std::vector<std::string> words = {nvcc,        "-ptx",
                                    "-lineinfo", "-std=c++20",
                                    "-w",        "--expt-relaxed-constexpr",
                                    "-I",        fs::path(adapter.source).parent_path().string()};
  for (const std::string& folder : adapter.compile.include)
    words.insert(words.end(), {"-I", fs::absolute(folder).string()});
  for (const std::string& macro : adapter.compile.define) words.push_back("-D" + macro);
  std::istringstream flags(adapter.compile.nvcc_flags);
  for (std::string flag; flags >> flag;) words.push_back(flag);
  const bool has_arch = adapter.compile.nvcc_flags.find("-arch") != std::string::npos ||
                        adapter.compile.nvcc_flags.find("-gencode") != std::string::npos;
  if (!has_arch) words.push_back("-arch=sm_90a");
  words.insert(words.end(), {"-o", stem + ".ptx", path});
  // nvcc removes what it wrote in TMPDIR only if it is not killed: what it leaves goes with the folder.
  if (const auto ran = run_command(words, {{"TMPDIR", fs::path(stem).parent_path().string()}}); ran.exit_code != 0)
    return fail(ran.stopped ? "interrupted" : "the file does not compile by nvcc:\n" + ran.output,
                ran.stopped ? "" : "-I says where headers are, --nvcc-flags gives nvcc what else it needs");
  return assay::text_of(stem + ".ptx");
}

// The PTX of a CUDA file, with a marker for each entry.
Result<std::string> compiled_with_markers(const Prepared& prepared, const std::vector<Wanted>& wanted,
                                          const std::string& stem) {
  std::string text;
  if (std::any_of(wanted.begin(), wanted.end(), [](const Wanted& each) { return names_type(each.entry); }))
    text = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  text += line_directive(prepared.first_line, prepared.adapter.source) + prepared.source_text + kMarkerBegin;
  std::map<std::string, int> numbers;
  for (const Wanted& each : wanted)
    if (numbers.emplace(each.spelled, static_cast<int>(numbers.size())).second)
      text += marker(each.spelled, numbers[each.spelled]);
  if (auto written = write_file(stem + ".door.cu", text); !written) return tl::unexpected(written.error());
  return compiled_by_nvcc(prepared.adapter, stem + ".door.cu", stem);
}

// What is not the user's: headers of the toolkit and of the system.
bool is_own(const std::string& file) {
  const std::string path = fs::path(file).lexically_normal().string();
  return !path.starts_with("/usr/") && path.find("/targets/") == std::string::npos &&
         path.find("/nvidia/cu") == std::string::npos;
}

}  // namespace

std::string nvcc_here() {
  static const std::string kFound = [] {
    std::vector<fs::path> places = {nvcc_of_build()};
    std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');) places.push_back(fs::path(folder) / "nvcc");
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* home = std::getenv(name)) places.push_back(fs::path(home) / "bin/nvcc");
    places.emplace_back("/usr/local/cuda/bin/nvcc");
    for (const fs::path& folder : header_folders()) places.push_back(folder / ".cuda/nvidia/cu13/bin/nvcc");
    std::error_code none;
    const auto found = std::find_if(places.begin(), places.end(), [&](const fs::path& place) {
      return !place.empty() && fs::is_regular_file(place, none);
    });
    return found == places.end() ? std::string() : found->string();
  }();
  return kFound;
}

Result<Translated> translated(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& stem) {
  const bool is_ptx = prepared.adapter.source.ends_with(".ptx");
  const auto wanted = wanted_of(adapters);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto text = is_ptx ? Result<std::string>(prepared.source_text) : compiled_with_markers(prepared, *wanted, stem);
  if (!text) return tl::unexpected(text.error());
  const std::string path = is_ptx ? prepared.adapter.source : stem + ".ptx";
  const auto module = ptx::read(*text, path);
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
  auto made = ptx::translate(*module, entries, {path, is_own});
  if (!made) return tl::unexpected(made.error());

  // A variable for each entry, whose value for an element type is the kernel for it.
  Translated result{"#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + *made, adapters};
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
  const auto text = compiled_by_nvcc(with_root, adapter.source, stem);
  if (!text) return text;
  const auto module = ptx::read(*text, stem + ".ptx");
  if (!module) return tl::unexpected(module.error());
  std::vector<std::string> entries;
  for (const ptx::Function& function : module->functions)
    if (function.is_entry && function.has_body) entries.push_back(function.name);
  if (entries.empty()) return fail(adapter.source + " has no kernel", "is it the right file?");
  auto made = ptx::translate(*module, entries, {stem + ".ptx", is_own});
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
