// Writing the files and calling the compilers.
#include "harness/adapter/build/compiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/generate.h"
#include "harness/adapter/build/parallel.h"
#include "harness/adapter/build/ptx_route/by_ptx.h"
#include "harness/adapter/build/scratch.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/header_packages.h"
#include "harness/adapter/read/host_variables.h"
#include "harness/adapter/read/launch_syntax.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/device/cpu/engine.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::set<std::string> entries_of(const std::vector<Adapter>& adapters) {
  std::set<std::string> names;
  for (const Adapter& adapter : adapters)
    for (const AdapterLaunch& launch : adapter.launches)
      names.insert(kernel_of(launch.entry) + (launch.is_launcher ? "()" : ""));
  return names;
}

// A text to compile: all that the launches need, and nothing else of the file and its headers, where Clang has read it;
// else the whole file.
struct Text {
  std::string text;
  std::vector<std::string> left_out = {};  // headers that are not here
  std::string hint = {};                   // where it does not compile
};

std::string why_whole(const Prepared& prepared, const std::vector<Adapter>& adapters) {
  if (prepared.pieces) return fmt::format("Clang finds no {} in it", fmt::join(entries_of(adapters), ", "));
  return has_reader() ? "assay_read could not read it" : "assay_read is not here to choose from it";
}

std::string with_reason(const std::vector<std::string>& left_out) {
  return fmt::format("because they are not here: {}", fmt::join(with_packages(left_out), ", "));
}

Result<Text> text_to_compile(const Prepared& prepared, const std::vector<Adapter>& adapters) {
  const bool is_cuda = prepared.adapter.language == KernelLanguage::cuda;
  ReachedPieces reached = is_cuda ? pieces_for(prepared, adapters) : ReachedPieces();
  Text found{std::move(reached.text)};
  if (!found.text.empty()) {
    found.left_out = prepared.pieces->missing;
    if (!found.left_out.empty())
      found.hint = "left out, " + with_reason(found.left_out) + "; -I says where headers are";
  } else {
    found.text = line_directive(prepared.first_line, prepared.adapter.source) + prepared.source_text;
    if (is_cuda) found.hint = "the whole file was compiled, because " + why_whole(prepared, adapters);
  }
  if (!reached.assembly.empty())
    return fail(reached.assembly + ": inline PTX, which the executor does not run",
                "--via ptx takes the file through nvcc; for mma, ldmatrix and cp.async use the functions of "
                "kernels/device; a GPU runs it as it is");
  return found;
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

// The file that is compiled, and the headers that are not here.
struct Written {
  KernelFile file;
  std::vector<std::string> left_out = {};
};

// Writes the text and the wrapper for `adapters`: one, or several under different names.
Result<Written> write_files(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& stem) {
  const Adapter& adapter = prepared.adapter;
  Written written{kernel_file(adapter, stem + ".cu")};
  std::string include;
  if (prepared.registers_itself && prepared.via_ptx) {
    const auto made = ASSAY_TRY(registered_by_ptx(adapter, stem));
    ASSAY_TRY(write_file(written.file.path, made));
    written.file.generated = made;
    take_less_time(written.file, made);
    return written;
  }
  if (prepared.registers_itself) {
    written.file.path = adapter.source;
    return written;
  }
  std::vector<Adapter> launched = adapters;
  if (prepared.via_ptx) {
    auto made = ASSAY_TRY(translated(prepared, adapters, stem));
    launched = std::move(made.adapters);
    written.left_out = std::move(made.left_out);
    include = stem + ".source.cu";
    ASSAY_TRY(write_file(include, made.text));
    written.file.generated = made.text;
    take_less_time(written.file, made.text);
  } else if (adapter.declaration.empty()) {
    include = stem + ".source.cu";
    auto found = ASSAY_TRY(text_to_compile(prepared, adapters));
    written.left_out = std::move(found.left_out);
    written.file.hint = std::move(found.hint);
    // Two files of one text: a host compiler has no <<<>>>.
    const std::string for_host = with_host_variables_renamed(without_launch_syntax(with_alignas_first(found.text)));
    for (const auto& [path, text] : {std::pair{include + ".gpu", found.text}, std::pair{include, for_host}})
      ASSAY_TRY(write_file(path, text));
    written.file.generated = found.text;
  } else if (calls_cuda_library(adapter)) {
    // Its kernels are compiled when they are launched, by the processes that launch them.
    setenv("ASSAY_RUN_FOLDER", scratch_folder().c_str(), 0);
  } else {
    written.file.objects.push_back(adapter.source);
  }
  const Contract& contract = *find_op(adapter.op);
  const std::string wrapper =
      launched.size() == 1 ? wrapper_of(launched[0], contract, include) : wrapper_of(launched, contract, include);
  ASSAY_TRY(write_file(written.file.path, wrapper));
  written.file.generated += wrapper;
  return written;
}

// Each error would quote it.
bool has_endless_line(const std::string& text) {
  constexpr size_t kEndless = 10'000;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kEndless) return true;
    begin = end + 1;
  }
  return false;
}

// "" where its kernels can be split.
std::string why_not_split(const Prepared& prepared) {
  const Adapter& adapter = prepared.adapter;
  if (adapter.language != KernelLanguage::cuda || !adapter.declaration.empty())
    return "a library's kernels are as they are";
  if (prepared.via_ptx) return "PTX is not split";
  return adapter.compile.coverage ? "--coverage counts their lines" : why_nothing_splits();
}

}  // namespace

std::string first_error_of(const std::string& text) {
  size_t at = text.find("error: ");
  if (at != std::string::npos)
    at = text.rfind('\n', at) + 1;
  else
    at = 0;
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

void take_less_time(KernelFile& file, const std::string& translated) {
  constexpr size_t kLarge = 400'000;
  if (translated.size() > kLarge) file.flags.insert(file.flags.begin(), "-O1");
}

std::string absolute_path(const std::string& path) {
  std::error_code gone;  // the working folder
  const fs::path absolute = path.empty() ? fs::path() : fs::absolute(path, gone);
  return (gone ? fs::path(path) : absolute).lexically_normal().string();
}

AdapterWords words_of_launches(const std::vector<Adapter>& adapters) {
  AdapterWords words;
  for (const Adapter& each : adapters) words.merge(words_of_launches(each));
  return words;
}

ReachedPieces pieces_for(const Prepared& prepared, const std::vector<Adapter>& adapters) {
  return prepared.pieces ? prepared.pieces->reached(entries_of(adapters), words_of_launches(adapters))
                         : ReachedPieces();
}

Result<std::string> compiled_candidates(const Prepared& given, const std::vector<Adapter>& candidates,
                                        const std::string& stem, [[maybe_unused]] Sees sees) {
  Prepared prepared = given;
  prepared.adapter.source = absolute_path(prepared.adapter.source);
  std::vector<Adapter> adapters = candidates;
  for (Adapter& each : adapters) each.source = prepared.adapter.source;
  auto written = ASSAY_TRY(write_files(prepared, adapters, stem));
  written.file.flags.insert(written.file.flags.begin(), "-O1");  // compiled more often than they run
  if (has_endless_line(given.source_text)) written.file.flags.emplace_back("-fno-diagnostics-show-caret");
#if defined(__x86_64__)
  const KernelBuild build = sees == Sees::most ? KernelBuild::checked : KernelBuild::fast;
#else
  const KernelBuild build = KernelBuild::fast;
#endif
  return build_module(written.file, build, stem + ".so");
}

Result<std::string> compiled_text(const Prepared& sound, const std::string& text, KernelBuild build,
                                  const std::string& stem) {
  Prepared changed = sound;
  Adapter& adapter = changed.adapter;
  adapter.source = absolute_path(adapter.source);
  changed.source_text = text;
  if (sound.registers_itself) {  // its own text, compiled from another place
    KernelFile file = kernel_file(adapter, stem + ".cu");
    file.generated = line_directive(1, adapter.source) + text;
    ASSAY_TRY(write_file(file.path, file.generated));
    return build_module(file, build, stem + ".so");
  }
  if (adapter.language == KernelLanguage::cuda && !sound.via_ptx) {
    const CompileOptions compile = adapter.compile;
    const std::string entry = adapter.launches.empty() ? "" : kernel_of(adapter.launches[0].entry);
    changed.take(ASSAY_TRY(read_kernels({text, sound.first_line}, adapter.source, compile, &sound.adapter, entry)));
    adapter.compile = compile;
  }
  auto written = ASSAY_TRY(write_files(changed, {adapter}, stem));
  // The checked build has file names in its data: equal code shall be equal wherever the text lies.
  const std::string wrapper = ASSAY_TRY(text_of(written.file.path));
  ASSAY_TRY(write_file(written.file.path, line_directive(1, adapter.source + ", as compiled") + wrapper));
  return build_module(written.file, build, stem + ".so");
}

Result<std::vector<std::string>> compiled(Prepared& prepared, size_t number, size_t count) {
  Adapter& adapter = prepared.adapter;
  const std::string path = adapter.source;
  adapter.source = absolute_path(path);  // a module is the same, whichever folder its file was named from
  const std::string stem = (scratch_folder() / fmt::format("kernel{}", number)).string();
  const Written written = ASSAY_TRY(write_files(prepared, {adapter}, stem));
  const std::string why_fibers = splits_kernels() ? why_not_split(prepared) : "";
  const bool splits = splits_kernels() && why_fibers.empty();
  if (!why_fibers.empty()) prepared.remarks.push_back("Runs as fibers: " + why_fibers + ".");
  std::vector<KernelBuild> builds = {splits ? KernelBuild::split : KernelBuild::fast};
#if defined(__x86_64__)
  if (adapter.language == KernelLanguage::cuda && !adapter.compile.coverage) builds.push_back(KernelBuild::checked);
  if (splits) builds.push_back(KernelBuild::sieve);
#endif
  if (adapter.language == KernelLanguage::cuda && !adapter.compile.coverage && gpu_is_here() && !prepared.via_ptx &&
      !calls_cuda_library(adapter))
    builds.push_back(KernelBuild::gpu);
  std::vector<std::string> modules(builds.size()), unsplit(builds.size());
  KernelFile file = written.file;
  file.counts_lines = adapter.compile.coverage;
  const auto build = [&](size_t i) -> Result<void> {
    const std::string output = fmt::format("{}.{}.so", stem, static_cast<int>(builds[i]));
    const bool is_split = builds[i] == KernelBuild::split || builds[i] == KernelBuild::sieve;
    KernelFile compiled = file;
    compiled.warns = !is_split;  // the checked build's compiler does
    auto module = build_module(compiled, builds[i], output);
    if (!module && is_split) {
      unsplit[i] = first_error_of(module.error().what);
      compiled.warns = true;
      module = builds[i] == KernelBuild::split ? build_module(compiled, KernelBuild::fast, output) : "";
    }
    if (!module) return tl::unexpected(module.error());
    modules[i] = builds[i] == KernelBuild::sieve && !module->empty() ? kSieve + *module : *module;
    return {};
  };
  const std::string doing = fmt::format("compiling {} ({} of {})", path, number + 1, count);
  if (const auto built = in_parallel(builds.size(), build, doing); !built)
    return fail(path + ": " + built.error().what, built.error().hint);
  std::erase(modules, "");
  for (const std::string& why : std::set(unsplit.begin(), unsplit.end()))
    if (!why.empty()) prepared.remarks.push_back("Runs as fibers, because it does not compile to be split: " + why);
  if (!written.left_out.empty()) prepared.remarks.push_back("Left out, " + with_reason(written.left_out) + ".");
  return modules;
}

}  // namespace assay
