// Choosing the kernel and its op, and asking for candidates.
#include "harness/adapter/inferred.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/instances.h"
#include "harness/adapter/read/kernel_source.h"
#include "harness/adapter/read/library_entry.h"
#include "harness/adapter/steering.h"
#include "harness/base/check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

std::string names_of(const std::vector<KernelSource>& kernels) {
  std::vector<std::string> names;
  for (const KernelSource& kernel : kernels) names.push_back(kernel.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool have_one_name(const std::vector<const KernelSource*>& kernels) {
  return std::all_of(kernels.begin(), kernels.end(),
                     [&](const KernelSource* kernel) { return kernel->name == kernels[0]->name; });
}

// The kernel that is meant: by name, the only one, or the only one that the op is likely for. It may be overloaded, or
// a template with specialisations: then it is all of that name, in the order of the text.
Result<std::vector<const KernelSource*>> chosen_kernels(const CudaSource& source, const UserKernel& wanted) {
  if (source.kernels.empty()) return fail(wanted.path + " has no __global__ function", "is it the right file?");
  std::vector<const KernelSource*> fitting;
  for (const KernelSource& kernel : source.kernels) {
    const auto ops = likely_ops(kernel);
    if (wanted.kernel.empty() ? source.kernels.size() == 1 || (!ops.empty() && ops[0] == wanted.op)
                              : kernel.name == wanted.kernel || kernel.qualified_name == wanted.kernel)
      fitting.push_back(&kernel);
  }
  if (!fitting.empty() && have_one_name(fitting)) return fitting;
  if (!wanted.kernel.empty())
    return fail(wanted.path + " has no kernel '" + wanted.kernel + "'", "it has " + names_of(source.kernels));
  return fail(fmt::format("{} has {} kernels, and it is not clear which is meant: {}", wanted.path,
                          source.kernels.size(), names_of(source.kernels)),
              "name one with --kernel, or write the adapter with 'assay adapt'");
}

Result<std::string> chosen_op(const KernelSource& kernel, const UserKernel& wanted) {
  if (!wanted.op.empty()) return wanted.op;
  const auto ops = likely_ops(kernel);
  if (ops.size() == 1 || (!ops.empty() && names_op(kernel, ops[0]))) return ops[0];
  if (const std::string op = op_by_name(kernel); !op.empty()) return op;
  std::vector<std::string> known;
  for (const Contract& op : all_ops()) known.push_back(op.name);
  return fail(fmt::format("{}: which op is {}?", wanted.path, kernel.name),
              fmt::format("say --op; {} {}", ops.empty() ? "known are" : "likely are",
                          fmt::join(ops.empty() ? known : ops, ", ")));
}

Result<Prepared> complete(Inferred found, const std::string& entry, const std::string& path) {
  const std::string& op = found.adapter.op;
  if (!found.unknown.empty())
    return fail(
        fmt::format("{}: how {} meets {} is not clear: {}", path, entry, op, fmt::join(found.unknown, "; ")),
        has_kernels(path)
            ? "--fix settles an attribute, and an adapter with `launcher` and `declaration` all (`assay adapt --help`)"
            : fmt::format("'assay adapt {} --op {}' writes what is known into a file to be completed", path, op));
  return Prepared{std::move(found.adapter), "", 1, std::move(found.remarks)};
}

// The first of the candidates, and all of them where cases must decide.
Prepared tried(std::vector<Inferred> candidates) {
  Prepared first{candidates[0].adapter, "", 1, candidates[0].remarks};
  first.first_unless_shown = candidates[0].guesses.empty() && candidates[0].launch_guesses.empty();
  if (is_to_be_tried(candidates)) first.candidates = std::move(candidates);
  return first;
}

// The op as inference sees it: an attribute that is fixed has no other choice.
Contract with_fixed(Contract contract, const std::vector<Fixed>& fixed) {
  for (AttrSpec& attr : contract.attrs)
    for (const Fixed& each : fixed)
      if (each.name == attr.name) attr.choices = {each.value};
  return contract;
}

// The source with one kernel of its name.
CudaSource without_namesakes(CudaSource source, const KernelSource& kernel) {
  std::erase_if(source.kernels, [&](const KernelSource& each) {
    return each.name == kernel.name && (each.line != kernel.line || each.qualified_name != kernel.qualified_name);
  });
  return source;
}

template <class Named>
void erase_named(std::vector<Named>& all, const std::string& name) {
  std::erase_if(all, [&](const Named& each) { return each.name == name; });
}

}  // namespace

std::optional<Error> fix(Adapter& adapter, const std::vector<Fixed>& fixed) {
  for (const Fixed& each : fixed) {
    erase_named(adapter.fixed, each.name);
    erase_named(adapter.ranges, each.name);
    adapter.fixed.push_back(each);
  }
  const auto mistake = fixed.empty() ? std::nullopt : steering_mistake(adapter, *find_op(adapter.op));
  return mistake ? std::optional(Error{"--fix: " + mistake->what, mistake->hint}) : std::nullopt;
}

Result<Prepared> inferred(const UserKernel& wanted, const CudaSource& source) {
  const std::string& path = wanted.path;
  const auto contract_of = [&](const std::string& op) -> Result<Contract> {
    const Contract* contract = find_op(op);
    ASSAY_CHECK(contract, "no op '" + op + "'");
    Adapter adapter;
    adapter.op = op;
    if (auto error = fix(adapter, wanted.fixed)) return tl::unexpected(*error);
    return with_fixed(*contract, wanted.fixed);
  };
  if (const FunctionSource* launcher = find_launcher(source, wanted.kernel)) {
    const auto op = ASSAY_TRY(chosen_op(*launcher, wanted));
    const auto contract = ASSAY_TRY(contract_of(op));
    if (auto candidates = candidates_for_launcher(source, *launcher, contract, path); !candidates.empty())
      return tried(std::move(candidates));
    const bool is_kernel_too =
        std::ranges::find(source.kernels, launcher->name, &KernelSource::name) != source.kernels.end();
    if (!is_kernel_too) return complete(infer_launcher(source, *launcher, contract, path), launcher->name, path);
  }
  if (find_op(wanted.op) && wanted.kernel.empty()) {
    const auto contract = ASSAY_TRY(contract_of(wanted.op));
    if (auto candidates = candidates_for_launcher_of_op(source, contract, path); !candidates.empty())
      return tried(std::move(candidates));
  }
  const std::vector<const KernelSource*> kernels = ASSAY_TRY(chosen_kernels(source, wanted));
  if (source.is_read && std::ranges::all_of(kernels, [](const KernelSource* kernel) { return kernel->facts.is_empty; }))
    return fail(fmt::format("{}:{}: the body of {} is empty", path, kernels.front()->line, kernels.front()->name),
                "write it first");
  const auto op = ASSAY_TRY(chosen_op(*kernels.front(), wanted));
  const auto contract = ASSAY_TRY(contract_of(op));
  std::vector<Inferred> candidates;
  for (const KernelSource* kernel : kernels) {
    const CudaSource own = kernels.size() == 1 ? source : without_namesakes(source, *kernel);
    std::vector<Inferred> more = candidates_for_kernel(own, *kernel, contract, path);
    if (kernels.size() > 1)
      for (Inferred& each : more) {
        each.overload_line = kernel->line;
        each.remarks.push_back(fmt::format("Of {} kernels called {} that of line {} is judged.", kernels.size(),
                                           kernel->name, kernel->line));
      }
    std::move(more.begin(), more.end(), std::back_inserter(candidates));
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (wanted.op.empty())
    for (Inferred& each : candidates)
      each.remarks.insert(each.remarks.begin(), fmt::format("Taken for {} by its name; --op says another.", op));
  if (candidates.empty())
    return complete(infer_entry(source, *kernels.front(), contract, path), kernels.front()->name, path);
  return tried(std::move(candidates));
}

}  // namespace assay
