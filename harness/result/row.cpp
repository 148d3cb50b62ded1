// Makes the row of a case: its verdict, origin and figures.
#include "harness/result/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/adapter/user_kernels.h"
#include "harness/adapter/user_ops.h"
#include "harness/base/check.h"
#include "harness/op/registry.h"

namespace assay {

std::string_view name(Better better) {
  static constexpr std::array kNames{"neither", "lower", "higher"};  // as in the enum
  return kNames.at(static_cast<size_t>(better));
}

const FigureSpec* find_figure(std::string_view name) {
  const auto* found = std::ranges::find(kFigures, name, &FigureSpec::name);
  return found == kFigures.end() ? nullptr : found;
}

size_t figure_index(std::string_view name) {
  const FigureSpec* spec = find_figure(name);
  ASSAY_CHECK(spec, "no figure '" + std::string(name) + "' in harness/result/figures.h");
  return static_cast<size_t>(spec - kFigures.data());
}

void ResultRow::decide(Kind kind, std::string why) {
  verdict = kind;
  if (is_failure(kind)) findings.push_back({kind, why});
  detail = std::move(why);
}

double case_size(const Contract& contract, const Case& c) {
  double size = 1;
  for (const DimSpec& dim : contract.dims) size *= static_cast<double>(c.dim(dim.name));
  return size;
}

// A composite runs other variants' code, a shared library is loaded by the wrapper that is known here, and what a
// vendor's library does is not in the program.
std::string code_of(const Variant& variant, const Origin& origin) {
  const bool is_elsewhere = !variant.steps.empty() || !variant.vendor.empty() || origin.source.ends_with(".so");
  if (is_elsewhere) return "";
  if (variant.device == "gpu") return origin.source.empty() ? gpu_code_of(variant.op, variant.name) : "";
  return variant.code == 0 ? "" : fmt::format("{:016x}", variant.code);
}

void add_origin(ResultRow& row) {
  const UserOrigin& own = origin_of_variant(row.id());
  row.origin.source = own.source;
  row.origin.adapter = own.adapter;
  row.origin.kernel = own.kernel;
  row.origin.entry = own.entry;
  row.origin.compile = own.compile;
  row.origin.ops = folder_of_op(row.c.op);
}

ResultRow row_for(const Case& c, const std::string& device, Kind verdict, std::string detail) {
  ResultRow row;
  row.c = c;
  row.device = device;
  row.decide(verdict, std::move(detail));
  add_origin(row);
  if (const Variant* variant = find_variant(c.op, c.variant, device)) {
    row.origin.library = variant->vendor;
    row.origin.code = code_of(*variant, row.origin);
  }
  if (const Contract* contract = find_op(c.op)) {
    row.figures["size"] = case_size(*contract, c);
    row.figures["compulsory_bytes"] = static_cast<double>(compulsory_bytes(*contract, c));
    if (contract->flops) row.figures["flops"] = contract->flops(c);
    if (row.figures["flops"] > 0 && row.figures["compulsory_bytes"] > 0)
      row.figures["intensity"] = row.figures["flops"] / row.figures["compulsory_bytes"];
  }
  return row;
}

void set_statistics(ResultRow& row, AccessStatistics statistics) {
  for (const Figure& figure : figures(statistics)) row.figures.at(figure_index(figure.name)) = figure.value;
  int64_t instructions = 0;
  for (const KernelCounts& kernel : statistics.kernels) instructions += issued(kernel.instructions);
  if (instructions > 0) row.figures["warp_instructions"] = static_cast<double>(instructions);
  row.statistics = std::move(statistics);
}

const KernelResources* resources_of(const ResultRow& row, const std::string& kernel) {
  const auto found = std::ranges::find(row.resources, kernel, &KernelResources::kernel);
  return found == row.resources.end() ? nullptr : &*found;
}

}  // namespace assay
