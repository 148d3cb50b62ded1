// From the arguments of a check to its plan.
#include "harness/cli/prepare_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "harness/adapter/build/coverage/coverage.h"
#include "harness/base/printable.h"
#include "harness/cli/campaign_console.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/cuda/gpu_runtime.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A guess about an adapter is judged by all failures of its kernel, and no shard has them all.
Result<Shard> wanted_shard(const CheckArguments& arguments, const LoadedKernels& own) {
  auto shard = shard_of(arguments.shard);
  if (!shard) return shard;
  const bool split = !shard->is_whole() || !arguments.resume.empty();
  if (split && !own.guesses.empty())
    return fail("how the kernel meets the op is a guess, so its cases run in one piece",
                "write the adapter (`assay adapt FILE`), or leave out --shard and --resume");
  if (!shard->is_whole()) acknowledge_shard();
  if (arguments.shard.empty())
    if (const auto hint = unshared_array()) say_to(stderr, "assay: {}\n", *hint);
  return shard;
}

Result<Suite> wanted_suite(const CheckArguments& arguments) {
  const std::string usual = has_own_kernels(arguments) ? "kernel" : "ci";
  const auto path = find_suite(arguments.suite.empty() ? usual : arguments.suite);
  return path ? read_suite(*path) : tl::unexpected(path.error());
}

SavedPlaces saved_places(const CheckArguments& arguments, const LoadedKernels& loaded, const Suite& suite) {
  std::map<std::string, std::string> folders;  // by id
  for (const auto& [id, file] : loaded.files) folders[id] = regressions_of(file);
  const std::string others = (fs::path(suite.path).parent_path() / "regressions").string();
  std::set<std::string> read;
  for (const auto& [id, folder] : folders) read.insert(folder);
  if (arguments.select.size() > loaded.ids.size() || read.empty()) read.insert(others);
  if (!arguments.regressions.empty()) read = {arguments.regressions};
  const std::string all = arguments.save_to.empty() ? arguments.regressions : arguments.save_to;
  return {{read.begin(), read.end()}, [=](const std::string& id) {
            const auto found = folders.find(id);
            return !all.empty() ? all : found == folders.end() ? others : found->second;
          }};
}

Result<Plan> wanted_plan(const CheckArguments& arguments, const Suite& suite, const SavedPlaces& saved,
                         const Shard& shard) {
  PlanOptions options{.select = arguments.select,
                      .device = arguments.device,
                      .default_device = !arguments.usual_device.empty() ? arguments.usual_device
                                        : gpu_is_here()                 ? kGpuDevice
                                                                        : "cpu",
                      .cases = {},
                      .seed = arguments.seed,
                      .regressions = saved.read,
                      .extras = {.statistics = arguments.stats, .watching = arguments.watching},
                      .shard = shard,
                      .part = arguments.part,
                      .by_turns = arguments.budget_s > 0,
                      .huge = arguments.huge};
  if (arguments.cases >= 0) options.cases = arguments.cases;
  auto plan = make_plan(suite, options);
  if (plan && arguments.jobs > jobs_max() && plan->size() > jobs_max())
    return fail(fmt::format("-j {} needs more open files than are allowed", arguments.jobs),
                fmt::format("use -j {} at most, or raise the limit (ulimit -n)", jobs_max()));
  return plan;
}

// Counters are of kernels that are compiled for this run, by the host compiler.
Result<void> refuse_coverage(const CheckArguments& arguments) {
  if (!arguments.coverage) return {};
  if (!has_own_kernels(arguments))
    return fail("--coverage counts lines of kernels in files, and none is given",
                "give the file, also of a kernel that is built in: assay check kernels/OP/NAME.cu --coverage");
  if (arguments.kernels.compile.via == "ptx")
    return fail("lines are counted of kernels from source", "leave out --via ptx, or --coverage");
  if (auto missing = why_nothing_is_counted()) return tl::unexpected(*missing);
  return {};
}

}  // namespace

Result<LoadedKernels> take_own_kernels(CheckArguments& arguments) {
  if (std::erase(arguments.select, "shape=huge") > 0) arguments.huge = HugeCases::alone;
  for (const std::string& word : arguments.select)
    if (word.starts_with("shape="))
      return fail(fmt::format("'{}' is no kind of cases", word),
                  "there is shape=huge; dims are given in a suite's `pinned`");
  take_files(arguments.select, arguments.kernels);
  ASSAY_TRY(refuse_coverage(arguments));
  if (!has_own_kernels(arguments)) return {};
  arguments.kernels.compile.counts = arguments.stats;
  arguments.kernels.compile.coverage = arguments.coverage;
  auto own = arguments.loaded ? *arguments.loaded : load_kernels(arguments.kernels);
  if (!own) return own;
  arguments.select.insert(arguments.select.end(), own->ids.begin(), own->ids.end());
  if (is_open(own->guesses)) arguments.shrink_s = 0;
  return own;
}

Result<PreparedCheck> prepare_check(const CheckArguments& arguments, LoadedKernels own) {
  auto suite = wanted_suite(arguments);
  if (!suite) return tl::unexpected(suite.error());
  SavedPlaces saved = saved_places(arguments, own, *suite);
  const auto shard = wanted_shard(arguments, own);
  if (!shard) return tl::unexpected(shard.error());
  auto plan = wanted_plan(arguments, *suite, saved, *shard);
  if (!plan) return tl::unexpected(plan.error());
  return PreparedCheck{std::move(own), *std::move(suite), std::move(saved), *shard, *std::move(plan)};
}

}  // namespace assay
