// Asking assay_read, and taking its answer.
#include "harness/adapter/read/read_by_clang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/module_cache.h"
#include "harness/adapter/build/scratch.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/read/compare_kernels.h"
#include "harness/adapter/read/files_that_launch.h"
#include "harness/adapter/read/launch_syntax.h"
#include "harness/adapter/read/near_headers.h"
#include "harness/adapter/read/records.h"

namespace assay {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Parameter, type, name, is_pointer, is_const, line, record, record_type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TemplateParameter, name, kind, by_default)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PointerUse, indexed, written, added_to, read, passed, tested, many)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Term, times, factors, of)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BodyVariable, name, begin, varies, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BodyAccess, pointer, index, moved)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BodyComparison, name, left, sign, right, bound, heads_loop)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BodyDivision, of, by, shifts, by_constant)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SharedArray, extents, by_thread, written_by_thread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WrittenNumber, text, is_added)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BodyFacts, is_empty, variables, accesses, comparisons, divisions,
                                                shared, others, builtins, calls, types, numbers, made_whole, written,
                                                dynamic_shared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelSource, name, qualified_name, template_parameters, parameters,
                                                facts, line, requirements, specialised_for, sums_in_any_order)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LaunchSource, kernel, arguments, values, line, file, template_arguments,
                                                conditions, is_dependent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Piece, text, file, line, opens, scopes, is_c, defines, includes, needs,
                                                always, traits, assembly, order)

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Texts = std::vector<std::string>;

constexpr size_t kNestedMax = 4;        // macros that hide a kernel
constexpr size_t kParametersMax = 512;  // of a kernel; CUDA passes 32 KB at most

// The answer of assay_read, kept between runs like compiled modules; nothing where it does not understand the file.
std::optional<json> answered(const CudaText& text, const std::string& path, const CompileOptions& options,
                             const std::set<std::string>& named) {
  Texts words = reader_words(options.include, options.define);
  if (words.empty()) return std::nullopt;
  for (const std::string& each : named) words.push_back("--keep=" + each);
  const std::string file = absolute_path(path) + (is_cuda_file(path) ? "" : ".cu");
  const std::string whole =
      with_joined_brackets(std::string(static_cast<size_t>(text.first_line - 1), '\n') + text.text);
  std::error_code none;
  std::string recipe = fmt::format("read\n{}\n{}\n{}", fmt::join(words, "\n"), file, whole);
  for (const std::string& each : {words[0], words[0] + ".pch"})  // of the reader
    recipe += fmt::format("\n{}", fs::last_write_time(each, none).time_since_epoch().count());
  const auto cache = ModuleCache::of_user();
  static std::atomic<int> asked = 0;  // by several threads at once
  const std::string stem = (scratch_folder() / fmt::format("read{}", asked++)).string();
  fs::path answer = stem + ".json";
  const auto kept = cache ? cache->find(recipe) : std::nullopt;
  if (kept) answer = *kept;
  if (!kept) {
    const fs::path given = stem + ".cu";
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

// With the folders of headers that no -I names and that are near the file.
std::optional<json> answer_for(const CudaText& text, const std::string& path, CompileOptions options,
                               const std::set<std::string>& named) {
  constexpr int kRoundsMax = 4;  // a header that is found may include others that are not
  auto answer = answered(text, path, options, named);
  for (int round = 0; answer && round < kRoundsMax; ++round) {
    const size_t before = options.include.size();
    for (const json& header : (*answer)["missing"])
      if (const auto folder = folder_near(header, absolute_path(path));
          folder && std::find(options.include.begin(), options.include.end(), *folder) == options.include.end())
        options.include.push_back(*folder);
    if (options.include.size() == before) break;
    answer = answered(text, path, options, named);
  }
  return answer;
}

std::vector<KernelInstance> instances_of(const json& found, size_t parameters) {
  std::vector<KernelInstance> all;
  for (const json& each : found.value("instances", json::array())) {
    KernelInstance instance{.arguments = each["arguments"].get<Texts>()};
    if (each.contains("threads_max")) instance.threads_max = {each["threads_max"], 1, 1};
    if (instance.arguments.size() == parameters) all.push_back(std::move(instance));
  }
  return all;
}

// A kernel, or a function that launches.
KernelSource function_of_answer(const json& found) {
  auto function = found.get<KernelSource>();
  if (!function.specialised_for.empty())
    function.qualified_name += fmt::format("<{}>", fmt::join(function.specialised_for, ", "));
  for (Parameter& each : function.parameters)  // "float*" of "float *", which points to pointers
    for (size_t at; (at = each.type.find(" *")) != std::string::npos;) each.type.erase(at, 1);
  for (BodyComparison& each : function.facts.comparisons) each.bound = with_fields(each.bound, function.parameters);
  for (const json& each : found["parameters"])
    if (each["is_pointer"]) function.uses[each["name"]] = each.get<PointerUse>();
  function.instances = instances_of(found, function.template_parameters.size());
  return function;
}

bool is_of(const LaunchSource& launch, const std::string& kernel) { return kernel_of(launch.kernel) == kernel; }

// Whether a kernel is launched by something that is there: no template that nothing instantiates.
bool is_launched(const CudaSource& source, const std::string& kernel) {
  return std::ranges::any_of(source.launches,
                             [&](const LaunchSource& each) { return is_of(each, kernel) && !each.is_dependent; });
}

// Those of the file; one of a header where it is asked for, or where the file has none of its own.
std::vector<KernelSource> kernels_of_answer(const json& answer, const std::string& wanted) {
  const bool has_own = std::any_of(answer["kernels"].begin(), answer["kernels"].end(),
                                   [](const json& each) { return each["in_main_file"].get<bool>(); });
  std::vector<KernelSource> kernels;
  for (const json& found : answer["kernels"])
    if (found["in_main_file"] || found["name"] == wanted || (!has_own && wanted.empty()))
      kernels.push_back(function_of_answer(found));
  return kernels;
}

std::vector<FunctionSource> functions_of_answer(const json& answer) {
  std::vector<FunctionSource> functions;
  for (const json& found : answer["launchers"]) {
    const bool is_callable = found["in_main_file"] && !found["is_member"] && !found["is_device"];
    functions.push_back({function_of_answer(found), is_callable});
  }
  return functions;
}

// "a", "dim3(a, b)"
std::string configured(const Texts& extents) {
  return extents.size() == 1 ? extents[0] : fmt::format("dim3({})", fmt::join(extents, ", "));
}

LaunchSource launch_of(const json& found, const json& answer) {
  auto launch = found.get<LaunchSource>();
  if (found.contains("template_arguments"))
    launch.kernel += fmt::format("<{}>", fmt::join(launch.template_arguments, ", "));
  for (const json& extents : found["extents"]) launch.configuration.push_back(configured(extents.get<Texts>()));
  if (found.contains("shared")) launch.configuration.push_back(found["shared"]);
  for (const json& condition : found["requirements"]) launch.conditions.push_back(condition);
  const json& launchers = answer["launchers"];
  for (size_t i = 0; i < launchers.size(); ++i)
    if (launchers[i]["qualified_name"] == found["function"] && launchers[i]["line"] == found["function_line"])
      launch.function = i;
  return launch;
}

// Those of templates that nothing instantiates, as in headers, count where there are no others.
std::vector<LaunchSource> launches_of(const json& answer) {
  std::set<std::string> known;
  for (const json& found : answer["launches"])
    if (!found["is_dependent"]) known.insert(found["kernel"]);
  std::vector<LaunchSource> launches;
  for (const json& found : answer["launches"])
    if (!found["is_dependent"] || !known.contains(found["kernel"])) launches.push_back(launch_of(found, answer));
  return launches;
}

std::shared_ptr<const FilePieces> pieces_of(const json& answer) {
  auto file = std::make_shared<FilePieces>();
  file->pieces = answer["pieces"].get<std::vector<Piece>>();
  for (const auto& [kind, call] : {std::pair{"kernels", ""}, std::pair{"launchers", "()"}})
    for (const json& each : answer[kind]) {
      if (each["piece"] < 0) continue;
      std::set<size_t>& roots = file->roots[kernel_of(each["name"]) + call];
      roots.insert(each["piece"].get<size_t>());
      for (const json& instance : each.value("instances", json::array()))
        roots.merge(instance["pieces"].get<std::set<size_t>>());
    }
  file->names = answer["names"].get<std::map<std::string, std::set<size_t>>>();
  file->missing = answer["missing"].get<Texts>();
  return file;
}

// The answer for a file that launches a kernel of another one, which is read before it where a header that declares the
// kernel is missing.
std::optional<json> answer_for_launches(const std::string& file, const std::string& path, const std::string& kernel,
                                        const CompileOptions& options, const std::set<std::string>& named) {
  const auto text = text_of(file);
  if (!text) return std::nullopt;
  auto answer = answer_for({*text, 1}, file, options, named);
  const auto is_known = [&](const json& each) { return each["name"] == kernel; };
  if (!answer || (*answer)["missing"].empty() || std::ranges::any_of((*answer)["kernels"], is_known)) return answer;
  return answer_for({fmt::format("#include \"{}\"\n#line 1\n{}", absolute_path(path), *text), 1}, file, options, named);
}

// Where the file does not launch the kernel: launches of the files around it that do, and what only their instances
// show.
void take_launches_elsewhere(const std::string& path, const CompileOptions& options, const std::string& kernel,
                             const std::set<std::string>& named, CudaSource& source) {
  const auto own = std::ranges::find(source.kernels, kernel, &KernelSource::name);
  const std::string qualified = own == source.kernels.end() ? kernel : own->qualified_name;
  const bool has_template = std::ranges::any_of(source.launches, [&](const auto& each) { return is_of(each, kernel); });
  for (const std::string& file : files_that_launch(kernel, absolute_path(path))) {
    const auto answer = answer_for_launches(file, path, kernel, options, named);
    if (!answer) continue;
    std::vector<LaunchSource> launches = launches_of(*answer);
    std::erase_if(launches, [&](const LaunchSource& each) {
      return each.kernel.substr(0, each.kernel.find('<')) != qualified || (has_template && each.is_dependent);
    });
    if (launches.empty()) continue;
    for (LaunchSource& each : launches) each.function.reset();  // of another file, which is not compiled
    std::erase_if(source.launches, [&](const LaunchSource& each) { return is_of(each, kernel); });
    source.launches.insert(source.launches.end(), launches.begin(), launches.end());
    for (const json& found : (*answer)["kernels"])
      for (KernelSource& each : source.kernels)
        if (each.name == kernel && found["qualified_name"] == qualified &&
            found["parameters"].size() == each.parameters.size() && found["piece"] >= 0) {
          each = function_of_answer(found);
          source.pieces = pieces_of(*answer);
        }
    return;
  }
}

// The macro without which a kernel is not there: the one that is wanted, or any.
Texts macros_of_hidden_kernel(const json& answer, const std::string& wanted) {
  for (const json& each : answer["hidden"]) {
    if (each["text"] == "") continue;
    const auto code = without_comments(each["text"].get<std::string>());
    if (wanted.empty() || (code && mentions(tokens_of(*code), wanted))) return {each["needs"]};
  }
  return {};
}

// Macros such as USE_CUDA that headers ask for: where kernels are compiled they are defined.
Texts switches_of_cuda(const json& answer) {
  std::set<std::string> all;
  for (const json& each : answer["hidden"])
    if (each["text"] == "") all.insert(each["needs"]);
  return answer["errors"].empty() ? Texts() : Texts(all.begin(), all.end());
}

}  // namespace

Error not_read(const std::string& path) {
  const std::string by_hand = "an adapter says how its kernels are called (docs/own_kernel.md)";
  if (const auto why = why_nothing_compiles()) return {path + ": " + why->what, why->hint};
  if (has_reader()) return {path + ": assay_read could not read it", by_hand};
  return {path + ": without assay_read nothing is known of its kernels",
          "`scripts/setup` and a new build make it; " + by_hand};
}

Result<CudaSource> read_by_clang(const CudaText& text, const std::string& path, CompileOptions options,
                                 const std::string& kernel, const std::set<std::string>& named,
                                 const std::vector<std::string>& defined) {
  options.define.insert(options.define.end(), defined.begin(), defined.end());
  ASSAY_TRY(make_scratch_folder());
  CudaSource source;
  const auto answer = has_reader() ? answer_for(text, path, options, named) : std::nullopt;
  source.is_read = answer.has_value();
  if (!answer) return source;
  if (Texts more = switches_of_cuda(*answer); !more.empty() && defined.size() < kNestedMax) {
    more.insert(more.end(), defined.begin(), defined.end());
    return read_by_clang(text, path, options, kernel, named, more);
  }
  source.pieces = pieces_of(*answer);
  source.kernels = kernels_of_answer(*answer, kernel);
  source.functions = functions_of_answer(*answer);
  source.launches = launches_of(*answer);
  source.constants = (*answer)["constants"].get<std::vector<std::pair<std::string, std::string>>>();
  source.code = text.text;
  source.defined = defined;
  const auto is_wanted = [&](const auto& each) {
    return kernel.empty() || each.name == kernel || each.qualified_name == kernel;
  };
  if (std::ranges::none_of(source.kernels, is_wanted) && std::ranges::none_of(source.functions, is_wanted))
    if (Texts hidden = macros_of_hidden_kernel(*answer, kernel); !hidden.empty() && defined.size() < kNestedMax) {
      hidden.insert(hidden.end(), defined.begin(), defined.end());
      return read_by_clang(text, path, options, kernel, named, hidden);
    }
  for (const KernelSource& each : source.kernels)
    if (each.parameters.size() > kParametersMax)
      return fail(
          fmt::format("{}:{}: kernel '{}' has {} parameters", path, each.line, each.name, each.parameters.size()),
          fmt::format("give it {} at most, or a struct", kParametersMax));
  if (source.kernels.empty() && !(*answer)["errors"].empty())
    return fail((*answer)["errors"][0].get<std::string>(), "Clang reads the file, with the folders that -I names");
  compare_kernels(source);
  const std::string wanted = !kernel.empty() || source.kernels.size() != 1 ? kernel : source.kernels[0].name;
  if (!wanted.empty() && !is_launched(source, wanted)) take_launches_elsewhere(path, options, wanted, named, source);
  take_literals(source);
  for (KernelSource& each : source.kernels) each.reached = source.pieces->reached({each.name});
  return source;
}

}  // namespace assay
