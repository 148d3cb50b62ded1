// `assay list`: what there is to choose from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.h"
#include "harness/cli/cli.h"
#include "harness/op/registry.h"
#include "harness/search/suite.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

std::vector<std::string_view> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string_view> names;
  for (const DType dtype : dtypes) names.push_back(name(dtype));
  return names;
}

void list_ops() {
  for (const Contract& op : all_ops()) {
    fmt::print("{}  [{}]\n  {}\n", op.name, fmt::join(names_of(op.dtypes), " "), op.summary);
    for (const DimSpec& dim : op.dims) fmt::print("    {:<10} {} (from {})\n", dim.name, dim.meaning, dim.min);
    for (const AttrSpec& attr : op.attrs)
      fmt::print("    {:<10} {}: {}\n", attr.name, attr.meaning, fmt::join(attr.choices, ", "));
    for (const TensorSpec& tensor : op.tensors)
      fmt::print("    {:<10} {} ({}) {}\n", tensor.name, name(tensor.role), fmt::join(tensor.shape, ", "),
                 tensor.dtype ? name(*tensor.dtype) : "of the case's dtype");
    for (const Property& property : op.properties) fmt::print("    property: {}\n", property.states);
  }
}

void list_variants() {
  for (const Variant* variant : variants())
    fmt::print("{}/{}  [{}] on {}{}\n  {}\n", variant->op, variant->name, fmt::join(names_of(variant->dtypes), " "),
               variant->device, variant->deterministic ? "" : ", nondeterministic", variant->summary);
}

int list_suites() {
  for (const std::string& path : suite_paths()) {
    const Result<Suite> suite = read_suite(path);
    if (!suite) return usage_error(suite.error());
    fmt::print("{:<10} {} ({})\n", suite->name, suite->about, path);
  }
  return kExitPass;
}

void list_fills() {
  for (const Fill& fill : fills()) fmt::print("{:<12} reveals {}\n", fill.name, fill.reveals);
}

void list_devices() {
  fmt::print("cpu          the SIMT executor; always there\n");
  fmt::print("cpu-checked  the same, with every access checked: races, bounds, initialisation, alignment (x86-64)\n");
  fmt::print(
      "gpu          not available in this version: kernels are compiled for it where a CUDA toolkit is found, not "
      "run\n");
}

}  // namespace

int run_list(const ListArguments& arguments) {
  if (arguments.what == "ops") list_ops();
  if (arguments.what == "variants") list_variants();
  if (arguments.what == "fills") list_fills();
  if (arguments.what == "devices") list_devices();
  return arguments.what == "suites" ? list_suites() : kExitPass;
}

}  // namespace assay
