// One TOML file for each binding; its first comment holds the parameters that it is for.
#include "harness/adapter/try/known_binding.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/module_cache.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/try/explanations.h"
#include "harness/adapter/try/freer.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Remembered {
  std::string path, text;
};

std::map<std::string, Remembered>& remembered() {
  static std::map<std::string, Remembered> by_id;
  return by_id;
}

std::optional<fs::path> place_of(const UserKernel& wanted, const std::string& op) {
  const auto folder = user_cache_folder();
  if (!folder) return std::nullopt;
  // Another version may refuse what an older one took.
  std::string what =
      fmt::format("{}\n{}\n{}\n{}\n{}", ASSAY_VERSION, absolute_path(wanted.path), op, wanted.kernel, wanted.entry);
  for (const Fixed& fixed : wanted.fixed) what += fmt::format("\n{}={}", fixed.name, fixed.value);
  return *folder / "bindings" / fmt::format("{:016x}.toml", std::hash<std::string>()(what));
}

// The parameters of what the first launch names, for a comment; "" where the file does not have it.
std::string signature_of(const Prepared& prepared, const Adapter& adapter) {
  const auto found = prepared.signatures.find(kernel_of(adapter.launches.at(0).entry));
  return found == prepared.signatures.end() ? "" : found->second;
}

}  // namespace

// How much a binding holds or leaves out of what its op has, as what an output held before.
static size_t restrictions(const Adapter& adapter) {
  return adapter.fixed.size() + adapter.ranges.size() + adapter.requirements.size() + adapter.zero.size() +
         adapter.constants.size();
}

// Whether two bindings differ in the numbers that they pass, and in choices of the op's that go with them.
static bool differ_in_numbers(const Adapter& one, const Adapter& other) {
  const AdapterLaunch &launch = one.launches.at(0), &others = other.launches.at(0);
  const auto is_number = [](const std::string& text) {
    return text == "true" || text == "false" || text == "nullptr" || number_value(text);
  };
  if (launch.entry != others.entry || launch.args.size() != others.args.size() || launch.args == others.args)
    return false;
  for (size_t i = 0; i < launch.args.size(); ++i)
    if (launch.args[i] != others.args[i] && !(is_number(launch.args[i]) && is_number(others.args[i]))) return false;
  return true;
}

// Whether two bindings are of other forms of the op: one attribute has another value, as layout nn or nt of squares.
static bool differ_in_form(const Adapter& one, const Adapter& other) {
  return std::ranges::any_of(one.fixed, [&](const Fixed& fixed) {
    const auto others = std::ranges::find(other.fixed, fixed.name, &Fixed::name);
    return others != other.fixed.end() && others->value != fixed.value;
  });
}

// Gives a binding the launch that the file makes now with the same arguments, which may be what was changed.
static void launch_as_now(Adapter& known, const std::vector<Inferred>& candidates) {
  AdapterLaunch& launch = known.launches.at(0);
  std::optional<Inferred> changed;
  for (const Inferred& candidate : candidates) {
    if (candidate.authors_line == 0) continue;  // nobody's guess
    std::vector<Inferred> forms = with_two_factors(candidate);
    forms.insert(forms.begin(), candidate);
    for (const Inferred& form : forms) {
      if (!is_same_call(form.adapter, known)) continue;
      const AdapterLaunch& now = form.adapter.launches[0];
      if (now.grid == launch.grid && now.block == launch.block) return;
      if (!changed && now.grid.size() == launch.grid.size()) changed = form;
    }
  }
  if (!changed) return;
  const AdapterLaunch& now = changed->adapter.launches[0];
  launch.grid = now.grid, launch.block = now.block, launch.shared = now.shared;
  known.blocks = changed->adapter.blocks;
}

bool take_known_binding(const UserKernel& wanted, Prepared& prepared, bool is_right,
                        const std::vector<Inferred>& candidates) {
  const auto place = place_of(wanted, prepared.adapter.op);
  std::error_code none;
  if (!place || !fs::exists(*place, none)) return false;
  auto known = read_adapter(place->string());
  if (!known || known->op != prepared.adapter.op) return false;  // of a version that wrote another form
  std::ifstream in(*place);
  std::string signature, date;
  std::getline(in, signature);
  std::getline(in, date);
  const std::string now = signature_of(prepared, *known);
  if (now.empty() || signature != "# " + now) return false;
  const bool has_other_numbers = differ_in_numbers(prepared.adapter, *known);
  const bool has_another_form = differ_in_form(prepared.adapter, *known);
  const bool is_another_call = prepared.adapter.launches.at(0).entry != known->launches.at(0).entry;
  const bool has_other_arguments = prepared.adapter.launches[0].args != known->launches[0].args;
  if (is_right && !has_other_arguments && !has_another_form && !is_another_call &&
      restrictions(prepared.adapter) <= restrictions(*known))
    return false;
  known->path.clear();
  known->lines.clear();
  known->source = prepared.adapter.source;
  known->compile = prepared.adapter.compile;
  launch_as_now(*known, candidates);
  prepared.adapter = std::move(*known);
  prepared.candidates.clear();
  const AdapterLaunch& launch = prepared.adapter.launches[0];
  prepared.remarks = {fmt::format("{} right now. Judged by that which was, {}: {}({}).",
                                  !is_right             ? "No binding candidate is"
                                  : is_another_call     ? "Only a call of another function is"
                                  : has_other_numbers   ? "Only a binding with other numbers is"
                                  : has_another_form    ? "Only another form of the op is"
                                  : has_other_arguments ? "Only another binding is"
                                                        : "Only a binding for fewer cases is",
                                  date.substr(2), launch.entry, fmt::join(launch.args, ", "))};
  return true;
}

void remember_binding(const std::string& id, const UserKernel& wanted, const Prepared& prepared) {
  const Adapter& adapter = prepared.adapter;
  if (!adapter.path.empty() || adapter.launches.empty()) return;
  const std::string signature = signature_of(prepared, adapter);
  const auto place = place_of(wanted, adapter.op);
  if (signature.empty() || !place) return;
  Adapter kept = adapter;
  kept.guesses.clear();
  kept.compile = {};
  const std::string date = fmt::format("in every case of a run on {:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
  remembered()[id] = {place->string(), print(kept, {signature, date})};
}

void keep_binding(const std::string& id) {
  const auto found = remembered().find(id);
  if (found == remembered().end()) return;
  std::error_code error;
  fs::create_directories(fs::path(found->second.path).parent_path(), error);
  (void)write_file(found->second.path, found->second.text);  // a full disk costs the next run a guess
}

}  // namespace assay
