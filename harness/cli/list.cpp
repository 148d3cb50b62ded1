// `assay list`: what there is to choose from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"
#include "harness/cli/list_ops.h"
#include "harness/cli/options.h"
#include "harness/device/cpu/engine.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/resources.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/search/suite.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

void list_variants() {
  // Modules for a GPU, where the build has them, bring their variants, a vendor's among them, also without a GPU.
  [[maybe_unused]] const auto loaded = gpu_platform();
  const std::vector<const Variant*> all = variants();
  for (size_t i = 0; i < all.size();) {
    const Variant& variant = *all[i];
    std::vector<std::string> devices;
    for (; i < all.size() && all[i]->op == variant.op && all[i]->name == variant.name; ++i)
      devices.push_back(all[i]->device);
    say("{}/{}  [{}] on {}{}{}\n  {}\n", variant.op, variant.name, fmt::join(names_of(variant.dtypes), " "),
        fmt::join(devices, ", "), variant.vendor.empty() ? "" : ", by " + variant.vendor,
        variant.deterministic ? "" : ", nondeterministic", variant.summary);
    for (const StepChoice& choice : variant.steps) say("    step {:<10} {}\n", choice.step, choice.variant);
  }
}

// The part of the table about libraries: their variants' names, or the contract's reason.
std::string library_text(const Contract& op, const std::set<std::string>& by_libraries) {
  return by_libraries.empty() ? op.no_library : fmt::format("`{}`", fmt::join(by_libraries, "`, `"));
}

Result<int> list_coverage() {
  [[maybe_unused]] const auto loaded = gpu_platform();
  const std::string path = ASSAY_TRY(find_suite("bench"));
  const Suite bench = ASSAY_TRY(read_suite(path));
  say("| op | kernels | by a library | lines of the benchmark |\n|---|---|---|---|\n");
  for (const Contract& op : all_ops()) {
    std::set<std::string> kernels, by_libraries;
    for (const Variant* variant : variants())
      if (variant->op == op.name) (variant->vendor.empty() ? kernels : by_libraries).insert(variant->name);
    const auto lines = std::ranges::count(bench.bench, op.name, [](const BenchLine& line) { return line.c.op; });
    say("| `{}` | {} | {} | {} |\n", op.name, kernels.size(), library_text(op, by_libraries), lines);
  }
  return kExitPass;
}

Result<int> list_suites() {
  for (const std::string& path : suite_paths()) {
    const Suite suite = ASSAY_TRY(read_suite(path));
    say("{:<10} {} ({})\n", suite.name, suite.about, path);
  }
  return kExitPass;
}

void list_fills() {
  for (const Fill& fill : fills()) say("{:<12} reveals {}\n", fill.name, fill.reveals);
}

void list_gpus() {
  const auto platform = gpu_platform();
  const Result<int> count = platform ? (*platform)->count() : tl::unexpected(platform.error());
  for (int i = 0; i < count.value_or(0); ++i) {
    const auto runtime = (*platform)->open(i);
    if (!runtime) {
      say("  gpu {}: {}\n", i, runtime.error().line());
      continue;
    }
    const GpuInfo& gpu = (*runtime)->info();
    say("  gpu {}: {}, compute capability {}.{}, {} multiprocessors, {:.0f} GiB, driver for CUDA {}\n", i, gpu.name,
        gpu.capability / 10, gpu.capability % 10, gpu.multiprocessors,
        std::ldexp(static_cast<double>(gpu.memory_bytes), -30), gpu.driver);
  }
}

void list_devices() {
  for (const DeviceKind& kind : device_kinds()) {
    say("{:<12} {}\n", kind.name, kind.about);
    if (const auto missing = kind.missing()) say("{:<12} not here: {}\n", "", missing->line());
  }
  list_gpus();
}

void list_engines() {
  const std::vector<std::string> lines = engines_of_kernels();
  if (lines.empty()) say("every kernel runs on fibers; ASSAY_ENGINE=regions splits them where the build has that\n");
  for (const std::string& line : lines) say("{}\n", line);
}

// Registers, spills, shared memory and theoretical occupancy of every kernel that the build compiled for a GPU.
Result<int> list_resources() {
  auto kernels = ASSAY_TRY(read_kernel_resources());
  std::ranges::sort(kernels, [](const auto& a, const auto& b) {
    return std::tie(a.kernel, a.capability) < std::tie(b.kernel, b.capability);
  });
  constexpr std::array kBlocks{128, 256, 512, 1024};
  say("{:<64} {:>6} {:>9} {:>6} {:>6} {:>7}   occupancy with blocks of {}\n", "kernel", "arch", "registers", "stack",
      "spills", "shared", fmt::join(kBlocks, ", "));
  for (const KernelResources& kernel : kernels) {
    std::string fits;
    for (const int block : kBlocks) {
      const auto share = occupancy(kernel, block);
      fits += share ? fmt::format("{:>5.0f}%", 100 * *share) : "     ?";
    }
    say("{:<64} {:>6} {:>9} {:>6} {:>6} {:>7}  {}\n", kernel.kernel, fmt::format("sm_{}", kernel.capability),
        kernel.registers, kernel.stack_bytes, kernel.spill_bytes, kernel.shared_bytes, fits);
  }
  return kExitPass;
}

Result<int> run_list(const ListArguments& arguments) {
  if (arguments.what == "ops") return list_ops(arguments.name);
  if (!arguments.name.empty())
    return fail(fmt::format("there is no list of {} by name", arguments.what), "names are for `assay list ops`");
  if (arguments.what == "variants") list_variants();
  if (arguments.what == "coverage") return list_coverage();
  if (arguments.what == "fills") list_fills();
  if (arguments.what == "devices") list_devices();
  if (arguments.what == "engines") list_engines();
  if (arguments.what == "resources") return list_resources();
  return arguments.what == "suites" ? list_suites() : kExitPass;
}

}  // namespace

Command list_command() {
  return command_of<ListArguments>(
      "list",
      [](CLI::App& command, ListArguments& arguments) {
        command.add_option("what", arguments.what)
            ->check(CLI::IsMember({"ops", "variants", "coverage", "suites", "fills", "devices", "engines", "resources"}));
        command.add_option("name", arguments.name);
      },
      [](const ListArguments& arguments, const std::vector<std::string>&) { return run_list(arguments); });
}

}  // namespace assay
