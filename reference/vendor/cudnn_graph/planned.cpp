// The variants that plan graphs, and what tests ask of them by C names, as they load this module like the program does.
#include "reference/vendor/cudnn_graph/planned.h"

#include <map>

#include "harness/device/cuda/vendor_libraries.h"
#include "harness/op/registry.h"
#include "reference/vendor/library.h"

namespace assay::vendor {
namespace {

std::map<std::string, Refusal>& refusals() {
  static std::map<std::string, Refusal> registered;
  return registered;
}

}  // namespace

RegisterPlanned::RegisterPlanned(std::string variant_id, Refusal refusal) {
  register_planning(variant_id);
  refusals().emplace(std::move(variant_id), std::move(refusal));
}

const Refusal* find_refusal(const std::string& variant_id) {
  const auto found = refusals().find(variant_id);
  return found == refusals().end() ? nullptr : &found->second;
}

}  // namespace assay::vendor

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))

// Why no graph can be planned in this process, whatever its shape; "" when they can.
ASSAY_EXPORT const char* assay_vendor_no_graphs() {
  static std::string answer;
  answer = assay::vendor::no_graphs().value_or("");
  return answer.c_str();
}

// Why a library of this file name cannot be used; "" when it can.
ASSAY_EXPORT const char* assay_vendor_missing(const char* package, const char* file) {
  static std::string answer;
  answer = assay::vendor::why_missing(assay::vendor::Library(package, file)).value_or("");
  return answer.c_str();
}

// "yes" when the variant plans a graph for each shape, else "no".
ASSAY_EXPORT const char* assay_vendor_plans(const char* variant_id) {
  return assay::vendor::find_refusal(variant_id) ? "yes" : "no";
}

// Why the library has no plan for a case on a GPU described in its JSON; "" when it has one.
ASSAY_EXPORT const char* assay_vendor_refusal(const char* case_line, const char* gpu, int capability) {
  static std::string answer;
  const auto c = assay::read_case(case_line);
  if (!c) return (answer = c.error().line()).c_str();
  const auto* refusal = assay::vendor::find_refusal(c->id());
  if (!refusal) return (answer = c->id() + " plans no graph").c_str();
  const auto error = (*refusal)(*c, {gpu, capability});
  answer = error ? error->line() : "";
  return answer.c_str();
}
