// `assay adapt`: reads a CUDA file and writes what it infers of how its kernels bind to an op.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/read/compile_commands.h"
#include "harness/adapter/read/instances.h"
#include "harness/adapter/read/library_entry.h"
#include "harness/adapter/unmentioned.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"
#include "harness/cli/preparing.h"
#include "harness/cli/try_adapters.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Kernels = std::vector<const KernelSource*>;

std::string signature(const KernelSource& kernel) {
  std::vector<std::string> parameters;
  for (const Parameter& p : kernel.parameters)
    parameters.push_back(fmt::format("{}{}{}{}{}", p.is_const ? "const " : "", p.type, p.is_pointer ? "*" : "",
                                     p.name.empty() ? "" : " ", p.name));
  std::vector<std::string> names;
  for (const TemplateParameter& each : kernel.template_parameters) names.push_back(each.name);
  const std::string head = names.empty() ? "" : fmt::format("template <{}> ", fmt::join(names, ", "));
  return fmt::format("{}{}({})", head, kernel.qualified_name, fmt::join(parameters, ", "));
}

// nvcc's instances and resources of it: "; instances <float, 128> of at most 128 threads, <float, 256>; 1024 bytes of
// static shared memory"
std::string compiled(const KernelSource& kernel) {
  const auto bound = [&](const std::vector<std::string>& arguments) {
    const int64_t threads = declared_threads(kernel, arguments);
    return threads == 0 ? "" : fmt::format("at most {} threads", threads);
  };
  std::vector<std::string> instances;
  for (const KernelInstance& instance : kernel.instances)
    if (const std::string threads = bound(instance.arguments); !instance.arguments.empty())
      instances.push_back(
          fmt::format("<{}>{}{}", fmt::join(instance.arguments, ", "), threads.empty() ? "" : " of ", threads));
  std::string text = instances.empty() ? "" : fmt::format("; instances {}", fmt::join(instances, ", "));
  if (instances.empty() && !bound({}).empty()) text += "; " + bound({});
  if (const int64_t bytes = static_shared_bytes(kernel))
    text += fmt::format("; {} bytes of static shared memory", bytes);
  return text;
}

Result<CudaSource> read_source(const std::string& path, const CompileOptions& options, const std::string& kernel) {
  std::error_code no_file;
  if (!fs::is_regular_file(path, no_file)) return fail("no such file: " + path, "give the path of a .cu file");
  if (has_kernels(path))
    return fail(path + " is a library, and has no source",
                "`assay check` takes the declaration of its function: --entry");
  auto source = read_kernels({ASSAY_TRY(source_of(path))}, path, options, nullptr, kernel);
  if (!source) return source;
  if (source->kernels.empty())
    return fail(path + ": no kernel in it", "a kernel is a __global__ function with its body");
  return source;
}

Result<Kernels> choose_kernels(const CudaSource& source, const AdaptArguments& arguments) {
  std::vector<std::string> names;
  for (const KernelSource& kernel : source.kernels) names.push_back(kernel.name);
  if (arguments.kernels.empty() && source.kernels.size() > 1)
    return fail(
        fmt::format("{}: {} kernels", arguments.file, names.size()),
        fmt::format("choose with --kernel NAME, several in the order of their launches: {}", fmt::join(names, ", ")));
  if (arguments.kernels.empty()) return Kernels{&source.kernels.front()};
  Kernels chosen;
  for (const std::string& name : arguments.kernels) {
    const auto kernel = std::ranges::find_if(
        source.kernels, [&](const KernelSource& each) { return each.name == name || each.qualified_name == name; });
    if (kernel == source.kernels.end())
      return fail(fmt::format("{}: no kernel '{}'", arguments.file, name), suggestion(name, names));
    chosen.push_back(&*kernel);
  }
  return chosen;
}

Result<const Contract*> choose_op(const KernelSource& kernel, const std::string& asked,
                                  const std::vector<std::string>& likely) {
  if (asked.empty() && likely.empty())
    return fail(fmt::format("no op is like kernel '{}'", kernel.name), "give one with --op (`assay list ops`)");
  const std::string& name = asked.empty() ? likely.front() : asked;
  if (const Contract* op = find_op(name)) return op;
  std::vector<std::string> known;
  for (const Contract& op : all_ops()) known.push_back(op.name);
  return fail(fmt::format("there is no op '{}'", name), suggestion(name, known));
}

// The comments at the head of the file.
std::vector<std::string> head(const Inferred& inferred, const std::string& file, bool by_nvcc) {
  std::vector<std::string> lines = {
      fmt::format("How the kernels of {} meet {}: inferred from their source{}.", file, inferred.adapter.op,
                  by_nvcc ? ", with macros, types and instances as nvcc has them" : ""),
      "`assay adapt --help` explains the keys."};
  for (const std::string& remark : inferred.remarks) lines.push_back(remark);
  if (!inferred.adapter.guesses.empty())
    lines.push_back(
        "While `guesses` is here, a failure is not held against the kernel: correct what is wrong, then remove it.");
  for (const std::string& open : inferred.unknown) lines.push_back("UNKNOWN " + open);
  return lines;
}

// Asks for the values that no expression passes to the kernel, and proposes a line for each, to be confirmed.
void ask_for_untold(Inferred& inferred, const Contract& contract, std::vector<std::string>& proposed) {
  std::vector<std::string> fixes, names;
  for (const Fixed& fixed : inferred.adapter.fixed)
    fixes.push_back(fmt::format("{} = \"{}\"", fixed.name, fixed.value));
  for (const UntoldDim& untold : untold_dims(inferred.adapter, contract)) {
    inferred.unknown.push_back(
        fmt::format("{} ({}): nothing tells the kernel what it is", untold.dim->name, untold.dim->meaning));
    if (untold.maybe.empty()) continue;
    fixes.push_back(fmt::format("{} = \"{}\"", untold.dim->name, untold.maybe));
    names.push_back(untold.dim->name);
  }
  if (names.empty()) return;
  proposed.push_back(
      fmt::format("To be confirmed: where {} so in every call of the kernel, remove the # before `fix`{}, "
                  "and the UNKNOWN above.",
                  names.size() == 1 ? names[0] + " is" : fmt::format("{} are", fmt::join(names, " and ")),
                  inferred.adapter.fixed.empty() ? "" : ", the other `fix` below"));
  proposed.push_back(fmt::format("fix = {{ {} }}", fmt::join(fixes, ", ")));
}

Result<int> run_adapt(AdaptArguments arguments) {
  const Preparing preparing;
  now_preparing(arguments.file);
  arguments.compile = ASSAY_TRY(with_build(std::move(arguments.compile), arguments.file));
  const bool to_output = arguments.out == "-";
  std::FILE* talk = to_output ? stderr : stdout;  // standard output is then the file
  const CudaSource source = ASSAY_TRY(
      read_source(arguments.file, arguments.compile, arguments.kernels.empty() ? "" : arguments.kernels.front()));
  for (const KernelSource& kernel : source.kernels)
    say_to(talk, "{}:{}: {}{}\n", arguments.file, kernel.line, signature(kernel), compiled(kernel));
  const auto kernels = ASSAY_TRY(choose_kernels(source, arguments));
  const std::vector<std::string> likely = likely_ops(*kernels.front());
  const Contract& op = *ASSAY_TRY(choose_op(*kernels.front(), arguments.op, likely));
  if (arguments.op.empty())
    say_to(talk, "op: {}{}\n", op.name,
           likely.size() == 1
               ? ""
               : fmt::format(" (--op chooses another: {})", fmt::join(likely.begin() + 1, likely.end(), ", ")));

  Inferred inferred = infer_adapter(source, kernels, op, arguments.file);
  if (kernels.size() == 1) {
    auto tried =
        tried_adapter({arguments.file, op.name, "", "", arguments.compile}, source, *kernels.front(), op, try_adapters);
    if (auto ended = preparation_ended()) return tl::unexpected(*std::move(ended));
    inferred = ASSAY_TRY(std::move(tried));
  }
  std::vector<std::string> proposed;
  if (!inferred.shown_right) ask_for_untold(inferred, op, proposed);
  inferred.adapter.compile = arguments.compile;
  if (!to_output)
    inferred.adapter.path =
        arguments.out.empty() ? fs::path(arguments.file).replace_extension(".toml").string() : arguments.out;
  std::vector<std::string> comments = head(inferred, fs::path(arguments.file).filename().string(), source.by_nvcc);
  comments.insert(comments.end(), proposed.begin(), proposed.end());
  const std::string text = print(inferred.adapter, comments);
  if (to_output) {
    std::fputs(text.c_str(), stdout);
  } else {
    std::error_code none;
    if (fs::exists(inferred.adapter.path, none) && !arguments.force)
      return fail(inferred.adapter.path + " is there already", "--force writes over it, --out - prints instead");
    ASSAY_TRY(write_file(inferred.adapter.path, text));
    say("written: {}\n", inferred.adapter.path);
  }
  for (const std::string& open : inferred.unknown) say_to(talk, "unknown: {}\n", open);
  return inferred.unknown.empty() ? kExitPass : kExitInconclusive;
}

}  // namespace

Command adapt_command() {
  return command_of<AdaptArguments>(
      "adapt",
      [](CLI::App& command, AdaptArguments& arguments) {
        command.add_option("file", arguments.file)->required();
        command.add_option("--op", arguments.op);
        command.add_option("--kernel", arguments.kernels);
        add_compile(command, arguments.compile);
        command.add_option("--out", arguments.out);
        command.add_flag("--force", arguments.force);
      },
      [](const AdaptArguments& arguments, const std::vector<std::string>&) { return run_adapt(arguments); });
}

}  // namespace assay
