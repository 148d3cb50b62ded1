// Finding a variant's file, asking assay_read for mutants of it, and compiling texts of it.
#include "harness/mutate/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/scratch.h"
#include "harness/adapter/read/read_by_clang.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The file below kernels/ that registers a built-in variant: the file of its name, else the one in whose text it is
// named.
std::optional<fs::path> file_of_builtin(const Variant& variant) {
  std::error_code none;
  for (const fs::path& root : project_folders()) {
    const fs::path folder = root / "kernels" / variant.op;
    if (fs::path own = folder / (variant.name + ".cu"); fs::exists(own, none)) return own;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const auto text = entry.path().extension() == ".cu" ? text_of(entry.path()) : Result<std::string>("");
      if (text && text->find(".name = \"" + variant.name + "\"") != std::string::npos) return entry.path();
    }
  }
  return std::nullopt;
}

Result<Subject> builtin_subject(const Variant& variant) {
  const std::string id = variant.op + "/" + variant.name;
  if (!variant.steps.empty())
    return fail(id + " is made of other variants, and has no code of its own", "choose one of these");
  const auto file = file_of_builtin(variant);
  if (!file) return fail(id + ": its source is not here", "run it in the project, or give the file of a kernel");
  const fs::path root = project_folders()[0];
  Subject subject{id, file->lexically_relative(root).string(), ASSAY_TRY(text_of(*file)), {}, root.string()};
  subject.prepared.adapter.source = file->string();
  subject.prepared.registers_itself = true;
  return subject;
}

// The functions that an adapter names, as options of assay_read; none for a file that launches its kernels itself.
std::vector<std::string> root_options(const Prepared& prepared) {
  std::vector<std::string> words;
  if (!prepared.registers_itself)
    for (const AdapterLaunch& launch : prepared.adapter.launches) words.push_back("--of=" + kernel_of(launch.entry));
  return words;
}

// `what`: "--mutants" or "--conditions"; `headers`: the folder whose headers count, too; "": none.
std::vector<std::string> words_for(const Subject& subject, const std::string& what, const std::string& headers) {
  const CompileOptions& options = subject.prepared.adapter.compile;
  std::vector<std::string> words = reader_words(options.include, options.define);
  words.push_back(what);
  if (subject.prepared.registers_itself) words.emplace_back("-DASSAY_CPU_KERNEL");
  if (!headers.empty()) words.push_back("--headers-in=" + headers + "/kernels/");
  for (std::string& root : root_options(subject.prepared)) words.push_back(std::move(root));
  return words;
}

Result<json> answer_of_reader(const Subject& subject, const std::string& what, const std::string& headers) {
  if (!has_reader()) return tl::unexpected(not_read(subject.path));
  ASSAY_TRY(make_scratch_folder());
  static std::atomic<int> asked = 0;
  const std::string stem = (scratch_folder() / fmt::format("asked{}", asked++)).string();
  const std::string text = stem + ".cu", answer = stem + ".json";
  std::ofstream(text, std::ios::binary) << subject.text;
  std::vector<std::string> words = words_for(subject, what, headers);
  words.insert(words.begin() + 2, {absolute_path(subject.prepared.adapter.source), text, answer});
  const CommandResult ran = run_compiler(words);
  if (ran.stopped) return tl::unexpected(preparation_ended().value_or(Error{"interrupted", ""}));
  std::ifstream in(answer);
  json found = json::parse(in, nullptr, false);
  if (found.is_discarded()) return tl::unexpected(not_read(subject.path));
  return found;
}

Result<void> check_kinds(const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  for (const std::string& kind : wanted)
    if (std::ranges::find(known, kind) == known.end())
      return fail(fmt::format("there is no kind of mutant '{}'", kind),
                  fmt::format("{}; all are {}", suggestion(kind, known), fmt::join(known, ", ")));
  return {};
}

}  // namespace

Result<Subject> subject_of(const std::string& id) {
  const Prepared* prepared = prepared_of_variant(id);
  const size_t slash = id.find('/');
  if (!prepared) {
    const Variant* variant = find_variant(id.substr(0, slash), id.substr(slash + 1), "cpu");
    return variant ? builtin_subject(*variant) : fail(id + " does not run on the CPU", "choose another variant");
  }
  const Adapter& adapter = prepared->adapter;
  if (prepared->via_ptx || !adapter.declaration.empty() || !is_cuda_file(adapter.source) || prepared->first_line != 1)
    return fail(id + ": mutants are made of a file of CUDA, by its source", "give the .cu file, without --via ptx");
  const fs::path near = fs::proximate(adapter.source);
  const std::string shown = near.native().starts_with("..") ? adapter.source : near.string();
  Subject subject{id, shown, ASSAY_TRY(source_of(adapter.source)), *prepared, ""};
  subject.prepared.adapter.source = absolute_path(adapter.source);
  return subject;
}

Result<std::vector<KernelMutant>> find_mutants(const Subject& subject, const std::vector<std::string>& kinds) {
  const json answer = ASSAY_TRY(answer_of_reader(subject, "--mutants", subject.root));
  ASSAY_TRY(check_kinds(kinds, answer["kinds"].get<std::vector<std::string>>()));
  std::vector<KernelMutant> mutants;
  for (const json& each : answer["mutants"]) {
    const std::string kind = each["kind"];
    if (!kinds.empty() && std::ranges::find(kinds, kind) == kinds.end()) continue;
    const std::string header = each["header"];
    mutants.push_back(
        {.kind = kind,
         .file = header.empty() ? subject.path : fs::path(header).lexically_relative(subject.root).string(),
         .offset = each["offset"],
         .length = each["length"],
         .replacement = each["replacement"],
         .function = each["function"],
         .line = each["line"]});
  }
  return mutants;
}

Result<std::vector<Condition>> find_conditions(const Subject& subject) {
  const json answer = ASSAY_TRY(answer_of_reader(subject, "--conditions", project_folders()[0]));
  std::vector<Condition> conditions;
  for (const json& each : answer["conditions"])
    conditions.push_back({fs::path(each["file"].get<std::string>()).lexically_normal(), each["line"], each["last"],
                          each["numbers"], each["names"]});
  return conditions;
}

namespace {

KernelBuild build_for(const std::string& device) {
  return device == kCheckedDevice ? KernelBuild::checked : KernelBuild::fast;
}

}  // namespace

Result<std::string> text_of_file(const Subject& subject, const KernelMutant& mutant) {
  return mutant.file == subject.path ? Result<std::string>(subject.text) : text_of(subject.root + "/" + mutant.file);
}

Result<std::string> compile_sound(const Subject& subject, const std::string& device, const std::string& stem) {
  return compiled_text(subject.prepared, subject.text, build_for(device), stem);
}

// A header that is mutated lies in a folder that comes before the project's.
Result<std::string> compile_mutant(const Subject& subject, const KernelMutant& mutant, const std::string& text,
                                   const std::string& device, const std::string& stem) {
  if (mutant.file == subject.path) return compiled_text(subject.prepared, text, build_for(device), stem);
  const fs::path folder = stem + ".headers", header = folder / mutant.file;
  std::error_code error;
  fs::create_directories(header.parent_path(), error);
  if (error) return tl::unexpected(write_error(header, error.value()));
  ASSAY_TRY(write_file(header, line_directive(1, subject.root + "/" + mutant.file) + text));
  Prepared prepared = subject.prepared;
  prepared.adapter.compile.include.insert(prepared.adapter.compile.include.begin(), folder.string());
  return compiled_text(prepared, subject.text, build_for(device), stem);
}

}  // namespace assay
