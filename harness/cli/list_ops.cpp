// Every line is made from the contract; in detail with the variants of the op and a case line.
#include "harness/cli/list_ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/printable.h"
#include "harness/cli/cli.h"
#include "harness/cli/sharpness_page.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr int64_t kExampleSize = 4;  // of every dim in the case line

std::string domain_of(const DimSpec& dim) {
  if (!dim.only.empty()) return fmt::format("(one of {})", fmt::join(dim.only, ", "));
  return fmt::format("(from {} to {})", dim.min, dim.max);
}

std::string also_called(const std::vector<std::string>& aliases) {
  return aliases.empty() ? "" : fmt::format("; also called {}", fmt::join(aliases, ", "));
}

// One that conforms: its dims are moved to keep what the op asks for between them.
std::string example_line(const Contract& op) {
  Case c = case_of_size(op, kExampleSize);
  if (op.adjust) op.adjust(c);
  for (const Variant* variant : variants())
    if (variant->op == op.name) {
      c.variant = variant->name;
      break;
    }
  return print(c);
}

void show_meaning(const Contract& op, bool in_detail) {
  say("{}  [{}]\n  {}\n", op.name, fmt::join(names_of(op.dtypes), " "), op.summary);
  for (const DimSpec& dim : op.dims)
    say("    {:<10} {} {}{}{}\n", dim.name, dim.meaning, in_detail ? domain_of(dim) : fmt::format("(from {})", dim.min),
        dim.before ? fmt::format(" ({} where a line leaves it out)", *dim.before) : "",
        in_detail ? also_called(dim.aliases) : "");
  for (const AttrSpec& attr : op.attrs)
    say("    {:<10} {}: {}{}{}\n", attr.name, attr.meaning, fmt::join(attr.choices, ", "),
        attr.optional ? " (the first where a line leaves it out)" : "", in_detail ? also_called(attr.aliases) : "");
  for (const TensorSpec& tensor : op.tensors)
    say("    {:<10} {} ({}) {}{}\n", tensor.name, name(tensor.role), fmt::join(tensor.shape, ", "),
        tensor.dtype ? name(*tensor.dtype) : "of the case's dtype", in_detail ? also_called(tensor.aliases) : "");
  for (const Step& step : op.steps) say("    step {:<10} {}\n", step.name, step.op);
  for (const NamedRounding& rounding : op.roundings) say("    may round: {} ({})\n", rounding.name, rounding.states);
  for (const Formula& formula : op.formulas) say("    also right as: {} ({})\n", formula.name, formula.states);
  for (const Property& property : op.properties) say("    property: {}\n", property.states);
}

void show_what_runs(const Contract& op) {
  std::vector<std::string_view> meant;
  std::map<std::string, std::vector<std::string_view>> left_out;  // by the reason
  for (const Fill& fill : fills()) {
    const bool is_for_others = fill.for_exponentials && !op.exponentials;
    if (admits(op, fill))
      meant.push_back(fill.name);
    else
      left_out[is_for_others ? "it takes no exponentials" : op.why_left_out].push_back(fill.name);
  }
  say("    fills: {}\n", fmt::join(meant, ", "));
  for (const auto& [why, names] : left_out)
    say("    not meant for fills: {}{}\n", fmt::join(names, ", "), why.empty() ? "" : " (" + why + ")");
  for (const OutOfReach& each : op.out_of_reach)
    say("    never reached: {}, {} ({})\n", each.function, each.interval, each.why);
  std::set<std::string> shown;
  for (const Variant* variant : variants())
    if (variant->op == op.name && shown.insert(variant->name).second)
      say("    variant {:<20} [{}] {}\n", variant->name, fmt::join(names_of(variant->dtypes), " "), variant->summary);
  if (!op.no_library.empty()) say("    no library: {}\n", op.no_library);
  say("    a case: {}\n", example_line(op));
}

// How small an error is found, in some of the op's random cases: `assay sharpness` has more of them, and other rules.
void show_sharpness(const Contract& op) {
  constexpr int64_t kCases = 12;
  std::map<std::string, std::string> found, single;  // by output
  for (const SharpnessOutput& output : sharpness_of(op, SuiteCounts{}, 1, kCases)) {
    const Sharpness& budget = output.rules[static_cast<size_t>(Rule::assay)];
    for (auto* texts : {&found, &single})
      (*texts)[output.name] += ((*texts)[output.name].empty() ? "" : ", ") + std::string(name(output.dtype)) + " ";
    found[output.name] += power_text(budget);
    single[output.name] += percent_text(budget, 0) + " %";
  }
  for (const auto& [output, powers] : found)
    say("    smallest error found in {}: {} of all elements; a single one off by 1 %: {}\n", output, powers,
        single[output]);
}

}  // namespace

std::vector<std::string_view> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string_view> names;
  for (const DType dtype : dtypes) names.push_back(name(dtype));
  return names;
}

Result<int> list_ops(const std::string& glob) {
  [[maybe_unused]] const auto loaded = gpu_platform();  // brings variants, GPU or not
  std::vector<std::string> known;
  bool found = false;
  for (const Contract& op : all_ops()) {
    known.push_back(op.name);
    if (!glob.empty() && fnmatch(glob.c_str(), op.name.c_str(), 0) != 0) continue;
    found = true;
    show_meaning(op, !glob.empty());
    if (!glob.empty()) show_what_runs(op);
    if (glob == op.name) show_sharpness(op);
  }
  if (found) return kExitPass;
  return fail(fmt::format("there is no op '{}'", glob), suggestion(glob, known) + " (`assay list ops`)");
}

}  // namespace assay
