// Asking assay_read, and putting its answer in the place of what the text shows.
#include "harness/adapter/read_by_clang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/adapter/arithmetic.h"
#include "harness/adapter/build.h"
#include "harness/adapter/compile_time.h"
#include "harness/adapter/compiled.h"
#include "harness/adapter/files_that_launch.h"
#include "harness/adapter/module_cache.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Texts = std::vector<std::string>;

// The answer of assay_read, kept between runs like compiled modules; nothing where it does not understand the file.
std::optional<json> answered(const CudaText& text, const std::string& path, const CompileOptions& options) {
  Texts words = reader_words(options.include, options.define);
  if (words.empty() || !make_scratch_folder()) return std::nullopt;
  const std::string file = absolute_path(path) + (is_cuda_file(path) ? "" : ".cu");
  const std::string whole = std::string(static_cast<size_t>(text.first_line - 1), '\n') + text.text;
  std::error_code none;
  std::string recipe = fmt::format("read\n{}\n{}\n{}", fmt::join(words, "\n"), file, whole);
  for (const std::string& each : {words[0], words[0] + ".pch"})  // of the reader
    recipe += fmt::format("\n{}", fs::last_write_time(each, none).time_since_epoch().count());
  const auto cache = ModuleCache::of_user();
  fs::path answer = scratch_folder() / "read.json";
  const auto kept = cache ? cache->find(recipe) : std::nullopt;
  if (kept) answer = *kept;
  if (!kept) {
    const fs::path given = scratch_folder() / "read.cu";
    std::ofstream(given) << whole;
    words.insert(words.begin() + 2, {file, given, answer});
    if (run_compiler(words).exit_code != 0) return std::nullopt;
  }
  std::ifstream in(answer);
  json found = json::parse(in, nullptr, false);
  if (found.is_discarded()) return std::nullopt;
  if (!kept && cache) {
    std::vector<fs::path> files;
    for (const json& each : found["files"])
      if (const fs::path read = each.get<std::string>(); read != file && fs::exists(read)) files.push_back(read);
    cache->keep(recipe, answer, files);
  }
  return found;
}

// The folder in which `header` lies that `from` includes: one of a usual name beside the file or beside a folder that
// it is in, as far up as the repository goes.
std::optional<std::string> folder_near(const std::string& header, const fs::path& from) {
  std::error_code none;
  const bool goes_up = is_in_repository(from.parent_path());
  for (fs::path folder = from.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    for (const char* usual : {"include", "inc", "common", "src", "csrc", "utils", "."})
      if (fs::is_regular_file(folder / usual / header, none)) return (folder / usual).lexically_normal().string();
    if (!goes_up || fs::exists(folder / ".git", none)) break;
  }
  return std::nullopt;
}

// With the folders of headers that no -I names and that are near the file.
std::optional<json> answer_for(const CudaText& text, const std::string& path, CompileOptions options) {
  constexpr int kRoundsMax = 4;  // a header that is found may include others that are not
  auto answer = answered(text, path, options);
  for (int round = 0; answer && round < kRoundsMax; ++round) {
    const size_t before = options.include.size();
    for (const json& header : (*answer)["missing"])
      if (const auto folder = folder_near(header, absolute_path(path));
          folder && std::find(options.include.begin(), options.include.end(), *folder) == options.include.end())
        options.include.push_back(*folder);
    if (options.include.size() == before) break;
    answer = answered(text, path, options);
  }
  return answer;
}

PointerUse use_of(const json& parameter) {
  return {parameter["indexed"], parameter["written"], parameter["added_to"],
          parameter["read"],    parameter["passed"],  parameter["many"]};
}

std::vector<Parameter> parameters_of(const json& kernel) {
  std::vector<Parameter> all;
  for (const json& each : kernel["parameters"])
    all.push_back({each["type"], each["name"], each["is_pointer"], each["is_const"], each["line"]});
  return all;
}

// Fills in the facts that the text does not show, or shows less well.
void complete(KernelSource& kernel, const json& found) {
  std::vector<Parameter> parameters = parameters_of(found);
  if (parameters.size() != kernel.parameters.size()) return;  // another one of that name
  kernel.parameters = std::move(parameters);
  if (found.contains("specialised_for")) {
    kernel.specialised_for = found["specialised_for"].get<Texts>();
    kernel.qualified_name =
        fmt::format("{}<{}>", found["qualified"].get<std::string>(), fmt::join(kernel.specialised_for, ", "));
  }
  for (const json& each : found["parameters"])
    if (each["is_pointer"]) kernel.uses[each["name"]] = use_of(each);
  for (const json& condition : found["requires"]) kernel.requirements.push_back(condition);
  kernel.instances.clear();
  for (const json& each : found["instances"]) {
    KernelInstance instance{.arguments = each["arguments"].get<Texts>()};
    if (const auto threads = number_value(each.value("threads_max", "")))
      instance.threads_max = {static_cast<uint64_t>(*threads), 1, 1};
    if (instance.arguments.size() == kernel.template_parameters.size()) kernel.instances.push_back(std::move(instance));
  }
}

KernelSource kernel_of_answer(const json& found) {
  KernelSource kernel;
  kernel.name = found["name"];
  kernel.qualified_name = found["qualified"];
  kernel.line = found["line"];
  for (const json& each : found["template"]) {
    kernel.template_parameters.push_back(each["name"]);
    kernel.template_kinds.push_back(each["kind"]);
    kernel.template_defaults.push_back(each.value("default", ""));
  }
  const auto body = without_comments(found["body"].get<std::string>());
  kernel.body = body ? *body : found["body"].get<std::string>();
  if (kernel.body.starts_with('{') && kernel.body.ends_with('}'))
    kernel.body = kernel.body.substr(1, kernel.body.size() - 2);
  kernel.parameters = parameters_of(found);
  return kernel;
}

bool is_launched(const CudaSource& source, const std::string& kernel) {
  return std::any_of(source.launches.begin(), source.launches.end(),
                     [&](const LaunchSource& launch) { return kernel_of(launch.kernel) == kernel; });
}

// The kernels that the text has are completed, those of macros added; one of a header where it is asked for, or where
// the file has none of its own.
void take_kernels(const json& answer, const std::string& wanted, CudaSource& source) {
  const bool has_own = !source.kernels.empty();
  for (const json& found : answer["kernels"]) {
    const std::string name = found["name"];
    const auto known = std::find_if(source.kernels.begin(), source.kernels.end(), [&](const KernelSource& kernel) {
      return kernel.name == name && kernel.line == found["line"] && found["in_main_file"];
    });
    if (known != source.kernels.end()) {
      complete(*known, found);
    } else if (found["in_main_file"] || name == wanted || (!has_own && wanted.empty())) {
      KernelSource kernel = kernel_of_answer(found);
      complete(kernel, found);
      source.kernels.push_back(std::move(kernel));
    }
  }
}

void know_specialisations(std::vector<KernelSource>& kernels) {
  for (KernelSource& general : kernels)
    for (const KernelSource& each : kernels)
      if (each.name == general.name && general.specialised_for.empty() && !each.specialised_for.empty())
        general.specialisations.push_back(each.specialised_for);
}

// "a", "dim3(a, b)"
std::string configured(const Texts& extents) {
  return extents.size() == 1 ? extents[0] : fmt::format("dim3({})", fmt::join(extents, ", "));
}

LaunchSource launch_of(const json& found, const CudaSource& source) {
  LaunchSource launch;
  launch.kernel = found["kernel"];
  if (found.contains("template_arguments")) {
    launch.template_arguments = found["template_arguments"].get<Texts>();
    launch.kernel += fmt::format("<{}>", fmt::join(launch.template_arguments, ", "));
  }
  for (const json& extents : found["extents"]) launch.configuration.push_back(configured(extents.get<Texts>()));
  if (found.contains("shared")) launch.configuration.push_back(found["shared"]);
  launch.arguments = found["arguments"].get<Texts>();
  launch.line = found["line"];
  launch.is_compiled = true;
  launch.conditions = found["conditions"].get<Texts>();
  for (const json& condition : found["requires"]) launch.conditions.push_back(condition);
  launch.file = found["file"];
  launch.at = source.code.size();
  if (found["in_main_file"])
    for (const FunctionSource& function : source.functions)
      if (function.line == found["function_line"]) launch.at = function.begin;
  return launch;
}

// Launches of the kernels that the answer has replace those that the text shows of them.
void take_launches(const json& answer, CudaSource& source) {
  // Those of templates that nothing instantiates, as in headers, count where there are no others.
  std::set<std::string> known;
  for (const json& found : answer["launches"])
    if (!found["is_dependent"]) known.insert(found["kernel"]);
  std::vector<LaunchSource> launches;
  for (const json& found : answer["launches"])
    if (!found["is_dependent"] || !known.contains(found["kernel"])) launches.push_back(launch_of(found, source));
  std::erase_if(source.launches, [&](const LaunchSource& of_text) {
    return std::any_of(launches.begin(), launches.end(),
                       [&](const LaunchSource& each) { return kernel_of(each.kernel) == kernel_of(of_text.kernel); });
  });
  source.launches.insert(source.launches.end(), launches.begin(), launches.end());
}

void add_roots(const json& numbers, const std::map<int64_t, size_t>& places, std::set<size_t>& roots) {
  for (const json& number : numbers)
    if (const auto place = places.find(number); place != places.end()) roots.insert(place->second);
}

std::shared_ptr<const FilePieces> pieces_of(const json& answer) {
  auto file = std::make_shared<FilePieces>();
  std::map<int64_t, size_t> places;
  for (const json& each : answer["pieces"]) places.try_emplace(each["number"], places.size());
  for (const json& each : answer["pieces"]) {
    Piece piece{each["text"],
                each["file"],
                each["line"],
                each["scopes"].get<Texts>(),
                each["is_c"],
                each["defines"].get<Texts>(),
                each["includes"].get<Texts>(),
                {},
                each["always"]};
    for (const json& need : each["needs"]) piece.needs.push_back(places.at(need));
    file->pieces.push_back(std::move(piece));
  }
  for (const char* kind : {"kernels", "launchers"})
    for (const json& each : answer[kind]) {
      if (each["piece"] < 0) continue;
      std::set<size_t>& roots = file->roots[kernel_of(each["name"])];
      add_roots({each["piece"]}, places, roots);
      for (const json& instance : each.value("instances", json::array())) add_roots(instance["pieces"], places, roots);
    }
  file->missing = answer["missing"].get<Texts>();
  return file;
}

// Where the file does not launch the kernel: launches of the files around it that do, and what only their instances
// show.
void take_launches_elsewhere(const std::string& path, const CompileOptions& options, const std::string& kernel,
                             CudaSource& source) {
  for (const std::string& file : files_that_launch(kernel, absolute_path(path))) {
    const auto text = text_of(file);
    const auto answer = text ? answer_for({*text, 1}, file, options) : std::nullopt;
    if (!answer) continue;
    json launches = json::array();
    for (const json& each : (*answer)["launches"])
      if (kernel_of(each["kernel"]) == kernel) launches.push_back(each);
    if (launches.empty()) continue;
    take_launches({{"launches", launches}}, source);
    for (const json& found : (*answer)["kernels"])
      for (KernelSource& each : source.kernels)
        if (each.name == kernel && found["name"] == kernel && found["piece"] >= 0) {
          complete(each, found);
          source.pieces = pieces_of(*answer);
        }
    return;
  }
}

}  // namespace

void take_from_clang(const CudaText& text, const std::string& path, const CompileOptions& options,
                     const std::string& kernel, CudaSource& source) {
  const auto answer = answer_for(text, path, options);
  if (!answer) {
    if (has_reader()) source.not_read = "assay_read could not read it, so its text alone says how it is called.";
    return;
  }
  source.pieces = pieces_of(*answer);
  take_kernels(*answer, kernel, source);
  know_specialisations(source.kernels);
  take_launches(*answer, source);
  const std::string wanted = !kernel.empty() || source.kernels.size() != 1 ? kernel : source.kernels[0].name;
  if (!wanted.empty() && !is_launched(source, wanted)) take_launches_elsewhere(path, options, wanted, source);
  for (KernelSource& each : source.kernels) each.reached = source.pieces->text_for({each.name});
}

}  // namespace assay
