// Writing the files and calling the compilers.
#include "harness/adapter/compiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "harness/adapter/build.h"
#include "harness/adapter/cuda_text.h"
#include "harness/adapter/generate.h"
#include "harness/adapter/header_packages.h"
#include "harness/adapter/launch_syntax.h"
#include "harness/adapter/parallel.h"
#include "harness/adapter/ptx_route/by_ptx.h"
#include "harness/adapter/scratch.h"
#include "harness/adapter/slice/host_variables.h"
#include "harness/adapter/slice/inline_assembly.h"
#include "harness/adapter/slice/local_headers.h"
#include "harness/adapter/slice/reached.h"
#include "harness/base/write_file.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The words that the launches of an adapter name.
void add_words(const Adapter& adapter, std::set<std::string>& words) {
  const auto add = [&](const std::string& text) {
    for (const Token& token : tokens_of(text))
      if (token.is_word()) words.emplace(token.text);
  };
  for (const AdapterLaunch& launch : adapter.launches) {
    for (const std::string* text : {&launch.entry, &launch.shared}) add(*text);
    for (const auto* texts : {&launch.args, &launch.grid, &launch.block})
      std::for_each(texts->begin(), texts->end(), add);
  }
}

std::set<std::string> names_of_launchers(const std::vector<Adapter>& adapters) {
  std::set<std::string> names;
  for (const Adapter& adapter : adapters)
    for (const AdapterLaunch& launch : adapter.launches) {
      const std::string name = launch.entry.substr(0, launch.entry.find('<'));
      if (launch.is_launcher) names.insert(name.substr(name.rfind(':') + 1));
    }
  return names;
}

std::set<std::string> entries_of(const std::vector<Adapter>& adapters) {
  std::set<std::string> names;
  for (const Adapter& adapter : adapters)
    for (const AdapterLaunch& launch : adapter.launches) names.insert(kernel_of(launch.entry));
  return names;
}

// The text that is compiled: all that the launches need, and nothing else of the file and its headers.
Result<WholeSource> text_to_compile(const Prepared& prepared, const std::vector<Adapter>& adapters) {
  const Adapter& adapter = prepared.adapter;
  if (adapter.language != KernelLanguage::cuda)
    return WholeSource{line_directive(prepared.first_line, adapter.source) + prepared.source_text, {}};
  WholeSource whole;
  if (prepared.pieces) whole = {prepared.pieces->text_for(entries_of(adapters)), prepared.pieces->missing};
  if (whole.text.empty()) {
    whole =
        with_local_headers(prepared.source_text, adapter.source, prepared.first_line, header_folders(adapter.compile));
    whole.text = only_reached(whole.text, words_of_launches(adapters), names_of_launchers(adapters));
  }
  if (const auto place = inline_assembly(whole.text))
    return fail(*place + ": inline PTX, which the executor does not run",
                "--via ptx takes the file through nvcc; for mma, ldmatrix and cp.async use the functions of "
                "kernels/device; a GPU runs it as it is");
  return whole;
}

KernelFile kernel_file(const Adapter& adapter, const std::string& path) {
  KernelFile file{path, {fs::absolute(adapter.source).parent_path().string()}, {}, adapter.compile.define};
  for (const std::string& folder : adapter.compile.include) file.include.push_back(fs::absolute(folder).string());
  if (adapter.source.ends_with(".c")) file.flags.push_back("-fpermissive");  // C converts void* without a cast
  std::istringstream flags(adapter.compile.flags);
  for (std::string flag; flags >> flag;) {
    const bool fast = flag == "-use_fast_math" || flag == "--use_fast_math";  // nvcc's, which g++ takes for its own -u
    fast ? file.define.push_back("__USE_FAST_MATH__") : file.flags.push_back(flag);
  }
  return file;
}

// Code that nvcc has unrolled is long: megabytes of C++ for tensor cores, half of one for a file of a dozen instances.
// -O1 takes the host compiler 0.6 of the time of -O2 for it, in both builds, and optimisers have been over it before.
// The user's flags come behind it.
void take_less_time(KernelFile& file, const std::string& translated) {
  constexpr size_t kLarge = 400'000;
  if (translated.size() > kLarge) file.flags.insert(file.flags.begin(), "-O1");
}

// The file that is compiled, and the headers that are not here.
struct Written {
  KernelFile file;
  std::vector<std::string> left_out = {};
  std::vector<std::string> guessed = {};  // headers that were found near the file
};

// Writes the text and the wrapper for `adapters`: one, or several under different names.
Result<Written> write_files(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& stem) {
  const Adapter& adapter = prepared.adapter;
  Written written{kernel_file(adapter, stem + ".cu")};
  std::string include;
  if (prepared.registers_itself && prepared.via_ptx) {
    const auto made = registered_by_ptx(adapter, stem);
    if (!made) return tl::unexpected(made.error());
    if (auto done = write_file(written.file.path, *made); !done) return tl::unexpected(done.error());
    written.file.generated = *made;
    take_less_time(written.file, *made);
    return written;
  }
  if (prepared.registers_itself) {
    written.file.path = adapter.source;
    return written;
  }
  std::vector<Adapter> launched = adapters;
  if (prepared.via_ptx) {
    auto made = translated(prepared, adapters, stem);
    if (!made) return tl::unexpected(made.error());
    launched = std::move(made->adapters);
    written.left_out = std::move(made->left_out);
    include = stem + ".source.cu";
    if (auto done = write_file(include, made->text); !done) return tl::unexpected(done.error());
    written.file.generated = made->text;
    take_less_time(written.file, made->text);
  } else if (adapter.declaration.empty()) {
    include = stem + ".source.cu";
    auto whole = text_to_compile(prepared, adapters);
    if (!whole) return tl::unexpected(whole.error());
    written.left_out = std::move(whole->left_out);
    written.guessed = std::move(whole->guessed);
    // Two files of one text: a host compiler has no <<<>>>.
    const std::string for_host = with_host_variables_renamed(without_launch_syntax(with_alignas_first(whole->text)));
    for (const auto& [path, text] : {std::pair{include + ".gpu", whole->text}, std::pair{include, for_host}})
      if (auto done = write_file(path, text); !done) return tl::unexpected(done.error());
    written.file.generated = whole->text;
  } else {
    written.file.objects.push_back(adapter.source);
  }
  const Contract& contract = *find_op(adapter.op);
  const std::string wrapper =
      launched.size() == 1 ? wrapper_of(launched[0], contract, include) : wrapper_of(launched, contract, include);
  if (auto done = write_file(written.file.path, wrapper); !done) return tl::unexpected(done.error());
  written.file.generated += wrapper;
  return written;
}

}  // namespace

std::string absolute_path(const std::string& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

std::set<std::string> words_of_launches(const std::vector<Adapter>& adapters) {
  std::set<std::string> words;
  for (const Adapter& each : adapters) add_words(each, words);
  return words;
}

HeaderFolders header_folders(const CompileOptions& options) {
  HeaderFolders folders{{}, header_folders()};
  for (const std::string& folder : options.include) folders.own.emplace_back(fs::absolute(folder));
  return folders;
}

Result<std::string> compiled_candidates(const Prepared& given, const std::vector<Adapter>& candidates,
                                        const std::string& stem, [[maybe_unused]] Sees sees) {
  Prepared prepared = given;
  prepared.adapter.source = absolute_path(prepared.adapter.source);
  std::vector<Adapter> adapters = candidates;
  for (Adapter& each : adapters) each.source = prepared.adapter.source;
  auto written = write_files(prepared, adapters, stem);
  if (!written) return tl::unexpected(written.error());
  written->file.flags.insert(written->file.flags.begin(), "-O1");  // compiled more often than they run
#if defined(__x86_64__)
  const KernelBuild build = sees == Sees::most ? KernelBuild::checked : KernelBuild::fast;
#else
  const KernelBuild build = KernelBuild::fast;
#endif
  return build_module(written->file, build, stem + ".so");
}

Result<std::vector<std::string>> compiled(Prepared& prepared, size_t number, size_t count) {
  Adapter& adapter = prepared.adapter;
  const std::string named = adapter.source;
  adapter.source = absolute_path(named);  // a module is the same, whichever folder its file was named from
  const std::string stem = (scratch_folder() / fmt::format("kernel{}", number)).string();
  const auto written = write_files(prepared, {adapter}, stem);
  if (!written) return tl::unexpected(written.error());
  std::vector<KernelBuild> builds = {KernelBuild::fast};
#if defined(__x86_64__)
  if (adapter.language == KernelLanguage::cuda) builds.push_back(KernelBuild::checked);
#endif
  if (adapter.language == KernelLanguage::cuda && gpu_is_here() && !prepared.via_ptx)
    builds.push_back(KernelBuild::gpu);
  std::vector<std::string> modules(builds.size());
  KernelFile file = written->file;
  file.warns = true;
  const auto build = [&](size_t i) -> Result<void> {
    auto module = build_module(file, builds[i], fmt::format("{}.{}.so", stem, static_cast<int>(builds[i])));
    if (!module) return tl::unexpected(module.error());
    modules[i] = *module;
    return {};
  };
  const std::string doing = fmt::format("compiling {} ({} of {})", named, number + 1, count);
  const std::string left_out = fmt::format("{}", fmt::join(with_packages(written->left_out), ", "));
  if (const auto built = in_parallel(builds.size(), build, doing); !built)
    return fail(named + ": " + built.error().what,
                left_out.empty() ? built.error().hint
                                 : "left out, because they are not here: " + left_out + "; -I says where headers are");
  if (!written->guessed.empty())
    prepared.remarks.push_back(
        fmt::format("Headers were found in {}; -I names others.", fmt::join(written->guessed, ", ")));
  if (!left_out.empty()) prepared.remarks.push_back("Left out, because they are not here: " + left_out + ".");
  return modules;
}

}  // namespace assay
