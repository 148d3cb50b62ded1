// Calling the compiler, assay_finish, the assembler and the linker, and loading what comes of it.
#include "harness/adapter/build/build.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/coverage/coverage.h"
#include "harness/adapter/build/module_cache.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/check.h"
#include "harness/base/optional_programs.h"
#include "harness/base/program_files.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/op/compiler_warnings.h"
#include "harness/op/replacing.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kModules = "ASSAY_MODULES";

constexpr int kOldestCapability = 80;

struct Toolchain {
  std::string nvcc, compiler, root, core, hooks, finish, fast_headers, checked_headers, splitter, plugin;
  Words flags, switch_flags, fast_flags, checked_flags, fast_finish, checked_finish, op_flags, split_flags, sieve_flags;
  std::string for_the_executor = {};  // all of kernel_build.json but nvcc
};

Result<Toolchain> read_toolchain() {
  const fs::path path = program_file("kernel_build.json");
  std::ifstream in(path);
  if (!in)
    return fail("without " + path.string() + " kernels cannot be compiled",
                "build or install assay; what scripts/bundle packs takes no kernels but its own");
  try {
    auto json = nlohmann::json::parse(in);
    const auto place = [&](const char* name) {
      const fs::path given = json.at(name).get<std::string>();
      return given.empty() || given.is_absolute() ? given.string()
                                                  : (path.parent_path() / given).lexically_normal().string();
    };
    Toolchain tools{
        json.at("nvcc"),       json.at("compiler"),      place("root"),           place("core"),
        place("hooks"),        place("finish"),          json.at("fast_headers"), json.at("checked_headers"),
        json.at("splitter"),   place("plugin"),          json.at("flags"),        json.at("switch_flags"),
        json.at("fast_flags"), json.at("checked_flags"), json.at("fast_finish"),  json.at("checked_finish"),
        json.at("op_flags"),   json.at("split_flags"),   json.at("sieve_flags")};
    json.erase("nvcc");
    tools.for_the_executor = json.dump();
    for (std::string* headers : {&tools.fast_headers, &tools.checked_headers})
      if (headers->starts_with("@root@")) headers->replace(0, 6, tools.root);
    return tools;
  } catch (const nlohmann::json::exception& error) {
    return fail(path.string() + ": " + error.what(), "build or install assay again");
  }
}

const Result<Toolchain>& toolchain() {
  static const Result<Toolchain> kTools = read_toolchain();
  return kTools;
}

Error failed(const std::string& what, const CommandResult& ran, const std::string& hint) {
  if (ran.stopped) return preparation_ended().value_or(Error{"interrupted", ""});
  std::string words = ran.output;
  while (words.ends_with('\n')) words.pop_back();
  return {what + ":\n" + words + "\n", hint};
}

// A CUDA toolkit among the user's folders must not win over the executor's own headers.
Words includes(const KernelFile& file, const Toolchain& tools) {
  Words words = {"-I", tools.root + "/harness/simt/include"};
  for (const std::string& folder : file.include) words.insert(words.end(), {"-iquote", folder, "-I", folder});
  words.insert(words.end(), {"-I", tools.root});
  for (const std::string& macro : file.define) words.push_back("-D" + macro);
  return words;
}

Words link_to_core(const Toolchain& tools) {
  return {tools.core, "-lfmt", "-Wl,-z,defs", "-Wl,-z,now",
          "-Wl,-rpath," + fs::path(tools.core).parent_path().string()};
}

}  // namespace

namespace {

// nvcc in one step, for the GPU of this machine, or the oldest that the kernels' helpers are for.
Result<void> build_gpu_module(const KernelFile& file, const Toolchain& tools, const std::string& output) {
  if (nvcc_here().empty()) return tl::unexpected(no_nvcc());
  const auto platform = gpu_platform();
  const auto gpu = platform ? (*platform)->open(0) : tl::unexpected(platform.error());
  const int capability = gpu ? (*gpu)->info().capability : kOldestCapability;
  Words compile = {nvcc_here(),
                   "-shared",
                   "-std=c++20",
                   "-O2",
                   "-lineinfo",
                   "-w",
                   "--expt-relaxed-constexpr",
                   fmt::format("-arch=sm_{}{}", capability, capability >= 90 ? "a" : ""),
                   "-Xcompiler",
                   "-fPIC"};
  for (const std::string& folder : file.include) compile.insert(compile.end(), {"-I", folder});
  for (const std::string& macro : file.define) compile.push_back("-D" + macro);
  compile.insert(compile.end(), {"-I", tools.root, "-o", output, file.path});
  compile.insert(compile.end(), file.objects.begin(), file.objects.end());
  compile.insert(compile.end(), {tools.core, "-lfmt"});
  if (const auto ran = run_compiler(compile); ran.exit_code != 0)
    return tl::unexpected(failed("the file does not compile for the GPU", ran, ""));
  return {};
}

// Warnings of mistakes that a wrong result may come from. -Wall and -Wextra are among the flags of every kernel.
const Words kWarnings = {"-Wno-all",       "-Wno-extra",   "-Wuninitialized",      "-Wmaybe-uninitialized",
                         "-Warray-bounds", "-Wconversion", "-Wno-sign-conversion", "-Wno-float-conversion"};

// The string that the wrapper hands over with the variant, as the assembler takes it. It has warnings of the user's
// files only.
std::string string_of_warnings(const std::string& output) {
  std::vector<CompilerWarning> warnings = warnings_in(output);
  std::erase_if(warnings, [&](const CompilerWarning& warning) { return !is_of_the_user(warning.place); });
  std::string text =
      "\t.section .rodata\n\t.globl assay_compiler_warnings\n\t.hidden assay_compiler_warnings\n"
      "assay_compiler_warnings:\n\t.string \"";
  for (const char c : print(warnings)) text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return text + "\"\n";
}

// The commands that build a file for the executor.
struct Steps {
  Words compile, headers;  // the compiler with its flags, and what is put in front of the file
  Words finish;            // options of assay_finish
  std::string assembler;
  Words link = {};
};

Steps steps_of(KernelBuild build) {
  const auto& tools = toolchain();
  const std::string simt = tools->root + "/harness/simt/";
  if (build == KernelBuild::fast)
    return {*kernel_compiler(build), {"-include", tools->fast_headers}, tools->fast_finish, tools->compiler};
  if (build == KernelBuild::checked)
    return {*kernel_compiler(build),
            {"-include", tools->checked_headers},
            tools->checked_finish,
            tools->compiler,
            {tools->hooks}};
  Steps steps{{tools->splitter, "-fno-color-diagnostics", "-fpass-plugin=" + tools->plugin},
              {"-include", simt + "include/prelude.h", "-include", simt + "regions/kernel_prelude.h"},
              {},
              tools->splitter};
  steps.compile.insert(steps.compile.end(), tools->split_flags.begin(), tools->split_flags.end());
  if (build == KernelBuild::split) return steps;
  steps.compile.insert(steps.compile.end(), tools->sieve_flags.begin(), tools->sieve_flags.end());
  steps.headers.insert(steps.headers.end(), {"-include", simt + "sieve/checks.h"});
  steps.finish = {"--checked"};
  return steps;
}

// From a file to assembly, `output`.compiled.s; what the compiler warns of. `output`.d lists the files that were read.
Result<std::string> compiled_to_assembly(const KernelFile& file, const std::string& path, const Steps& steps,
                                         const std::string& output) {
  const auto& tools = toolchain();
  Words compile = steps.compile;
  if (file.is_preprocessed)
    compile.push_back("-fpreprocessed");
  else
    compile.insert(compile.end(), steps.headers.begin(), steps.headers.end());
  const Words folders = includes(file, *tools);
  compile.insert(compile.end(), folders.begin(), folders.end());
  compile.insert(compile.end(), file.flags.begin(), file.flags.end());
  const Words counting = file.counts_lines ? counting_flags(tools->root) : Words();
  compile.insert(compile.end(), counting.begin(), counting.end());
  if (!file.is_preprocessed) compile.insert(compile.end(), {"-MD", "-MF", output + ".d"});
  compile.insert(compile.end(), {"-o", output + ".compiled.s", path});
  Words quiet = compile;
  quiet.push_back("-w");
  if (file.warns) compile.insert(compile.end(), kWarnings.begin(), kWarnings.end());
  // LC_ALL=C gives plain quotes, which warnings_in() reads.
  if (auto ran = run_compiler(file.warns ? compile : quiet, {{"LC_ALL", "C"}}); ran.exit_code == 0)
    return std::move(ran.output);
  else  // again without the warnings, among which the error would be lost
    return tl::unexpected(failed("the file does not compile for the executor",
                                 file.warns && !ran.stopped ? run_compiler(quiet) : ran, file.hint));
}

// From `output`.compiled.s to `output`.o. `added`: assembly behind the file's own.
Result<void> finished_and_assembled(const std::string& added, const Steps& steps, const std::string& output) {
  const auto& tools = toolchain();
  const std::string compiled = output + ".compiled.s", finished = output + ".s";
  Words finish = {tools->finish};
  finish.insert(finish.end(), steps.finish.begin(), steps.finish.end());
  finish.insert(finish.end(), {compiled, finished});
  if (const auto ran = run_compiler(finish); ran.exit_code != 0)
    return tl::unexpected(
        failed("the compiler's assembly is not understood", ran, "does the file contain inline assembly?"));
  std::ofstream(finished, std::ios::app) << added;
  if (const auto ran = run_compiler({steps.assembler, "-c", "-x", "assembler", finished, "-o", output + ".o"});
      ran.exit_code != 0)
    return tl::unexpected(failed("the file does not assemble", ran, "is binutils installed?"));
  return {};
}

// For the executor, in three steps: compile, finish and assemble, link.
Result<void> build_cpu_module(const KernelFile& file, KernelBuild build, const std::string& output) {
  const auto& tools = toolchain();
  if (build == KernelBuild::checked && tools->hooks.empty())
    return fail("the checked build needs an x86-64 processor", "leave out --checked");
  Steps steps = steps_of(build);
  if (file.counts_lines) steps.finish.clear();  // stacks of counted code are not proven: counting needs some, too
  Words stems = {output}, assemblies = {output + ".compiled.s"};
  const std::string warned = ASSAY_TRY(compiled_to_assembly(file, file.path, steps, output));
  for (const std::string& path : file.more_paths) {
    stems.push_back(fmt::format("{}.{}", output, stems.size()));
    assemblies.push_back(stems.back() + ".compiled.s");
    ASSAY_TRY(compiled_to_assembly(file, path, steps, stems.back()));
  }
  if (file.change_assembly) ASSAY_TRY(file.change_assembly(assemblies));
  Words link = {tools->compiler, "-shared", "-o", output};
  for (size_t i = 0; i < stems.size(); ++i) {
    ASSAY_TRY(finished_and_assembled(i == 0 ? string_of_warnings(warned) : "", steps, stems[i]));
    link.push_back(stems[i] + ".o");
  }
  link.insert(link.end(), steps.link.begin(), steps.link.end());
  if (file.counts_lines) link.emplace_back("-lgcov");
  link.insert(link.end(), file.objects.begin(), file.objects.end());
  const Words core = link_to_core(*tools);
  link.insert(link.end(), core.begin(), core.end());
  if (const auto ran = run_compiler(link); ran.exit_code != 0)
    return tl::unexpected(failed("the file does not link", ran, "does it call a function that it does not define?"));
  return {};
}

// The recipe is what the caller decided: the folder of temporary files has another name in every run, so it is left
// out.
std::string recipe_of(const KernelFile& file, KernelBuild build, const std::string& stamp) {
  std::string recipe =
      fmt::format("{}\n{}{}\n{}\n{}\n{}\n", stamp, static_cast<int>(build), file.warns ? " warns" : "",
                  fmt::join(file.include, "\n"), fmt::join(file.define, "\n"), fmt::join(file.flags, " "));
  const std::string temporary = scratch_folder().string();
  recipe += file.path.starts_with(temporary) ? "" : file.path;
  recipe += "\n" + file.generated;
  for (size_t at = recipe.find(temporary); at != std::string::npos; at = recipe.find(temporary, at))
    recipe.erase(at, temporary.size());
  return recipe;
}

}  // namespace

Result<std::string> build_module(const KernelFile& file, KernelBuild build, const std::string& output) {
  const auto& tools = toolchain();
  if (!tools) return tl::unexpected(tools.error());
  if (build == KernelBuild::gpu) {
    ASSAY_TRY(build_gpu_module(file, *tools, output));
    return output;
  }
  const auto stamp = ASSAY_TRY(build_stamp());
  const auto cache = file.counts_lines ? std::nullopt : ModuleCache::of_user();  // its tables lie beside the module
  const std::string recipe = recipe_of(file, build, stamp);
  if (const auto kept = cache ? cache->find(recipe) : std::nullopt) return kept->string();
  ASSAY_TRY(build_cpu_module(file, build, output));
  if (!cache) return output;
  std::vector<fs::path> read;
  if (!file.is_preprocessed) read = files_read(output + ".d", scratch_folder());
  for (const std::string& object : file.objects)
    if (!object.starts_with(scratch_folder().string())) read.emplace_back(object);
  return cache->keep(recipe, output, read).string();
}

std::vector<std::string> reader_words(const std::vector<std::string>& include, const std::vector<std::string>& define) {
  const auto& tools = toolchain();
  if (!tools) return {};
  const fs::path reader = fs::path(tools->finish).parent_path() / "assay_read";
  depends_on("assay_read");
  std::error_code none;
  if (is_hidden("assay_read") || !fs::exists(reader, none)) return {};
  Words words = {reader, tools->root};
  for (const std::string& folder : include) {
    const bool is_toolkit = fs::exists(fs::path(folder) / "cuda_runtime.h", none);
    words.insert(words.end(), {is_toolkit ? "-idirafter" : "-I", folder});  // the executor's headers win over it
  }
  for (const std::string& macro : define) words.push_back("-D" + macro);
  return words;
}

Result<std::vector<std::string>> kernel_compiler(KernelBuild build) {
  const auto& tools = toolchain();
  if (!tools) return tl::unexpected(tools.error());
  Words words = {tools->compiler, "-c", "-fdiagnostics-color=never"};
  for (const Words* flags : {&tools->flags, build == KernelBuild::checked ? &tools->checked_flags : &tools->fast_flags,
                             &tools->switch_flags})
    words.insert(words.end(), flags->begin(), flags->end());
  return words;
}

Result<std::string> host_compiler() {
  if (!toolchain()) return tl::unexpected(toolchain().error());
  return toolchain()->compiler;
}

std::optional<Error> why_nothing_compiles() { return toolchain() ? std::nullopt : std::optional(toolchain().error()); }

bool has_reader() { return !reader_words({}, {}).empty(); }

std::vector<fs::path> project_folders() {
  return toolchain() ? std::vector<fs::path>{toolchain()->root} : std::vector<fs::path>{};
}

bool is_of_the_user(const std::string& path) {
  for (const fs::path& root : project_folders())
    if (const std::string harness = root / "harness/"; path.starts_with(harness))
      return path.starts_with(harness + "selftest/");  // kernels as users write them
  return !path.starts_with(scratch_folder().string()) && !path.starts_with("/usr/");
}

std::string nvcc_of_build() { return toolchain() ? toolchain()->nvcc : std::string(); }

Result<void> build_op(const std::string& source, const std::string& output) {
  const auto& tools = toolchain();
  if (!tools) return tl::unexpected(tools.error());
  Words words = {tools->compiler, "-shared", "-w", "-fdiagnostics-color=never"};
  const Words core = link_to_core(*tools);
  words.insert(words.end(), tools->op_flags.begin(), tools->op_flags.end());
  words.insert(words.end(), {"-I", tools->root, "-MD", "-MF", output + ".d", "-o", output, source});
  words.insert(words.end(), core.begin(), core.end());
  if (const auto ran = run_compiler(words); ran.exit_code != 0)
    return tl::unexpected(failed("the op does not compile", ran, ""));
  return {};
}

Result<std::string> build_stamp() {
  const auto& tools = toolchain();
  if (!tools) return tl::unexpected(tools.error());
  std::string stamp = fmt::format("{} {}", ASSAY_VERSION, tools->for_the_executor);
  for (const std::string& file : {tools->core, tools->hooks, tools->finish, tools->plugin}) {
    if (file.empty()) continue;
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) return fail("cannot read " + file + ": " + error.message(), "build or install assay again");
    stamp += fmt::format("\n{} {}", file, written.time_since_epoch().count());
  }
  return stamp;
}

std::string why_nothing_splits() {
  const auto& tools = toolchain();
  if (!tools || tools->plugin.empty()) return "this build of assay cannot split kernels (-DASSAY_REGIONS=ON)";
  for (const std::string& file : {tools->splitter, tools->plugin})
    if (std::error_code none; is_hidden("clang-19") || !fs::exists(file, none))
      return file + " is not here (Debian: apt-get install clang-19)";
  return "";
}

namespace {

// A sieve's name is behind kSieve.
bool load(const std::string& module) {
  const bool is_sieve = module.starts_with(kSieve);
  std::optional<RegisteringSieves> sieves;
  if (is_sieve) sieves.emplace();
  const std::string path = module.substr(is_sieve ? std::string_view(kSieve).size() : 0);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr;
}

}  // namespace

Result<void> load_modules(const std::vector<std::string>& modules) {
  for (const std::string& module : modules)
    if (!load(module))
      return fail(std::string("a compiled module does not load: ") + dlerror(), "build or install assay again");
  const char* before = std::getenv(kModules);
  setenv(kModules, fmt::format("{}{}{}", before ? before : "", before ? "\n" : "", fmt::join(modules, "\n")).c_str(),
         1);
  return {};
}

Result<void> load_modules_of_parent() {
  const auto load_all = [](const char* variable) -> Result<void> {
    const char* listed = std::getenv(variable);
    std::istringstream in(listed ? listed : "");
    for (std::string module; std::getline(in, module);)
      if (!load(module)) return fail(dlerror(), "");
    return {};
  };
  ASSAY_TRY(load_all(kModules));
  const ReplacingVariants replacing;
  return load_all(kReplacingModules);
}

}  // namespace assay
