// The vendor's libraries, by name; modules register theirs when they are loaded.
#include "harness/device/cuda/vendor_libraries.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/check.h"
#include "harness/op/composite.h"

namespace assay {
namespace {

using Versions = std::map<std::string, std::function<std::optional<std::string>()>>;

Versions& versions() {
  static Versions registered;
  return registered;
}

std::set<std::string>& planning() {
  static std::set<std::string> registered;
  return registered;
}

}  // namespace

void register_vendor_library(std::string name, std::function<std::optional<std::string>()> version) {
  ASSAY_CHECK(versions().emplace(name, std::move(version)).second, name + " is registered twice");
}

std::map<std::string, std::string> vendor_libraries() {
  std::map<std::string, std::string> found;
  for (const auto& [name, version] : versions())
    if (const auto text = version()) found.emplace(name, *text);
  return found;
}

void register_planning(std::string variant_id) { planning().insert(std::move(variant_id)); }

bool plans_for_shapes(const Variant& variant, const Case& c) {
  return std::ranges::any_of(parts_of(variant, c),
                             [](const Variant* part) { return planning().contains(part->op + "/" + part->name); });
}

}  // namespace assay
