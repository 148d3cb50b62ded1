// The steps, in order, for each file.
#include "harness/adapter/user_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/build/scratch.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/try/decide.h"
#include "harness/adapter/try/known_binding.h"
#include "harness/adapter/unmentioned.h"
#include "harness/base/interrupt.h"
#include "harness/device/cpu/engine.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::map<std::string, UserOrigin>& origins() {
  static std::map<std::string, UserOrigin> by_id;
  return by_id;
}

std::map<std::string, Prepared>& prepared_kernels() {
  static std::map<std::string, Prepared> by_id;
  return by_id;
}

UserOrigin origin_of(const UserKernel& kernel, const Adapter& adapter) {
  CompileOptions compile = kernel.compile;  // what an adapter adds is in its file
  for (std::string& folder : compile.include) folder = absolute_path(folder);
  if (fs::exists(compile.build)) compile.build = absolute_path(compile.build);  // else it is a preset's name
  std::vector<std::string> words = words_of(compile);
  for (const Fixed& fixed : kernel.fixed) words.insert(words.end(), {"--fix", fixed.name + "=" + fixed.value});
  return {absolute_path(adapter.source), absolute_path(adapter.path), kernel.kernel, kernel.entry, std::move(words)};
}

// Whether the second front end may be taken where the first fails.
bool may_go_by_ptx(const Prepared& prepared) {
  const std::string& via = prepared.adapter.compile.via;
  return (via.empty() || via == "auto") && !prepared.via_ptx && !prepared.registers_itself &&
         prepared.adapter.declaration.empty() && prepared.adapter.language == KernelLanguage::cuda;
}

// The parts of the op that an adapter leaves out, for the console and the report.
std::vector<std::string> scope_of(const Prepared& prepared, bool is_decided) {
  const Adapter& adapter = prepared.adapter;
  const Contract* contract = prepared.registers_itself ? nullptr : find_op(adapter.op);
  std::vector<std::string> scope;
  if (!contract) return scope;
  std::vector<std::string> where = adapter.requirements;
  for (const Fixed& fixed : adapter.fixed) {
    const std::string held = fmt::format("{} is {}", fixed.name, fixed.value);
    if (std::ranges::count(contract->dims, fixed.name, &DimSpec::name) > 0 ||
        std::ranges::count(prepared.guessed_choices, held) > 0)
      where.push_back(held);
  }
  if (!where.empty() && is_decided) scope.push_back(fmt::format("Judged where {}.", fmt::join(where, " and ")));
  if (auto unmentioned = unmentioned_sentence(adapter, *contract); !unmentioned.empty())
    scope.push_back(std::move(unmentioned));
  for (const Constant& constant : adapter.constants)
    scope.push_back(fmt::format("In every case {} holds {:g} (constant).", constant.tensor, constant.value));
  if (adapter.finite) scope.emplace_back("Not meant for NaN and infinities (finite).");
  if (!adapter.skip_fills.empty())
    scope.push_back(fmt::format("Not meant for fill {} (skip_fills).", fmt::join(adapter.skip_fills, ", ")));
  return scope;
}

// The registered variants by id, with the code of each build. A counted variant takes the place of a built-in one.
std::map<std::string, std::set<uint64_t>> registered() {
  std::map<std::string, std::set<uint64_t>> codes;
  for (const Variant* variant : variants()) codes[variant->op + "/" + variant->name].insert(variant->code);
  return codes;
}

}  // namespace

bool names_kernel_file(const std::string& word) {
  static constexpr std::array kEndings{".cu", ".cuh", ".c", ".cc", ".cpp", ".so", ".toml", ".ptx"};
  std::error_code ignored;
  return fs::is_regular_file(word, ignored) ||
         std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return word.ends_with(ending); });
}

namespace {

using Ids = std::optional<std::vector<std::string>>;  // of what was loaded; nothing where it could not be decided

// Leaves the dtype that was tried out of the candidates, where it does not compile or says nothing; false where that
// ends the search.
bool has_another_dtype(std::vector<Inferred>& candidates, const Result<bool>& decided) {
  if (decided && *decided) return false;
  if (decided) std::erase_if(candidates, [](const Inferred& each) { return !each.dtype_is_open; });
  std::erase_if(candidates, [](const Inferred& each) { return each.adapter.dtypes.size() < 2; });
  for (Inferred& each : candidates) each.adapter.dtypes.erase(each.adapter.dtypes.begin());
  return !candidates.empty();
}

// Compiled for those of an inferred adapter's dtypes in which the file compiles: a template does not say which it is
// written for.
Result<std::vector<std::string>> compiled_where_possible(Prepared& prepared, size_t number, size_t count) {
  auto modules = compiled(prepared, number, count);
  const std::vector<DType> dtypes = prepared.adapter.dtypes;
  if (modules || !prepared.adapter.path.empty() || dtypes.size() < 2) return modules;
  std::vector<DType> possible;
  std::vector<std::string_view> others;
  for (const DType dtype : dtypes) {
    Prepared one = prepared;
    one.adapter.dtypes = {dtype};
    if (compiled(one, number, count))
      possible.push_back(dtype);
    else
      others.push_back(name(dtype));
  }
  if (possible.empty()) return modules;
  prepared.adapter.dtypes = possible;
  prepared.remarks.push_back(fmt::format("Not judged in {}: it does not compile for that.", fmt::join(others, ", ")));
  return compiled(prepared, number, count);
}

// Decides how a kernel is called where that is open, compiles it and loads it.
Result<Ids> load_one(const UserKernel& kernel, Prepared& prepared, size_t number, size_t count,
                     const TryAdapters& try_adapters) {
  if (!prepared.candidates.empty()) {
    const Prepared given = prepared;
    auto decided = decide(prepared, number, try_adapters);
    for (std::vector<Inferred> left = given.candidates; has_another_dtype(left, decided);) {
      prepared = given;
      prepared.candidates = left;
      decided = decide(prepared, number, try_adapters);
    }
    if (!decided) return tl::unexpected(decided.error());
    const bool shown = *decided && !prepared.is_nearly_right && prepared.own_fault.empty();
    if (!take_known_binding(kernel, prepared, shown, given.candidates) && !*decided) return Ids();
  }
  const auto before = registered();
  const auto modules = ASSAY_TRY(compiled_where_possible(prepared, number, count));
  const size_t known = kernels_known_to_engine();
  ASSAY_TRY(load_modules(modules));
  for (const std::string& line : left_to_fibers(known)) prepared.remarks.push_back(line + ".");
  std::vector<std::string> loaded;
  for (const auto& [id, codes] : registered())
    if (const auto was = before.find(id); was == before.end() || was->second != codes) loaded.push_back(id);
  return Ids(std::move(loaded));
}

// The kernel for the second front end: an adapter as it is, else one inferred anew, for launchers are not in PTX.
Result<Prepared> prepared_for_ptx(const UserKernel& kernel, const Prepared& first) {
  if (!first.adapter.path.empty()) {
    Prepared second = first;
    second.via_ptx = true;
    return second;
  }
  UserKernel by_ptx = kernel;
  by_ptx.compile.via = "ptx";
  return prepare(by_ptx);
}

// The same by one front end or the other: from source where it compiles, else by nvcc's PTX.
Result<Ids> load_by_some_route(const UserKernel& kernel, Prepared& prepared, size_t number, size_t count,
                               const TryAdapters& try_adapters) {
  const Prepared given = prepared;
  auto loaded = load_one(kernel, prepared, number, count, try_adapters);
  if (loaded || was_interrupted() || preparation_ended() || project_folders().empty() || !may_go_by_ptx(given))
    return loaded;
  const Error first = loaded.error();
  if (nvcc_here().empty())
    return fail(first.what, (first.hint.empty() ? "" : first.hint + "; ") +
                                "nvcc would take it to the executor by its PTX, and " + no_nvcc().line());
  auto second = prepared_for_ptx(kernel, given);
  loaded = second ? load_one(kernel, *second, number, count, try_adapters) : tl::unexpected(second.error());
  if (!loaded) {
    const Error& by_ptx = loaded.error();
    if (first_error_of(by_ptx.what) == first_error_of(first.what)) return tl::unexpected(first);  // the adapter's
    return fail(first.what + "\nand by nvcc's PTX: " + by_ptx.what,
                first.hint + (first.hint.empty() || by_ptx.hint.empty() ? "" : "; ") + by_ptx.hint);
  }
  second->remarks.push_back("By nvcc's PTX, because from source " + first_error_of(first.what));
  prepared = std::move(*second);
  return loaded;
}

}  // namespace

Result<Inferred> tried_adapter(const UserKernel& kernel, const CudaSource& source, const KernelSource& chosen,
                               const Contract& contract, const TryAdapters& try_adapters) {
  auto text = ASSAY_TRY(source_of(kernel.path));
  Inferred plain = infer_entry(source, chosen, contract, kernel.path);
  Prepared prepared{plain.adapter, text, 1, {}};
  prepared.adapter.compile = kernel.compile;
  prepared.take(source);
  prepared.candidates = candidates_for_kernel(source, chosen, contract, kernel.path);
  if (!is_to_be_tried(prepared.candidates)) return plain;
  const auto decided = decide(prepared, 0, try_adapters);
  if (!decided) prepared.remarks.push_back("Not tried: " + first_error_of(decided.error().what));
  plain.adapter = prepared.adapter;
  if (!decided || !*decided)  // what is to be confirmed stays so
    std::ranges::copy_if(plain.remarks, std::back_inserter(prepared.remarks), [&](const std::string& remark) {
      return std::ranges::find(prepared.remarks, remark) == prepared.remarks.end();
    });
  plain.remarks = prepared.remarks;
  if (!decided || !*decided) plain.unknown.push_back("whether the guesses are right");
  plain.shown_right = decided && *decided;
  if (plain.shown_right) plain.unknown.clear();
  return plain;
}

namespace {

Result<std::vector<UserVariant>> load_all(const std::vector<UserKernel>& kernels, const TryAdapters& try_adapters) {
  std::vector<Prepared> prepared;
  for (const UserKernel& kernel : kernels) {
    now_preparing(kernel.path);
    auto each = ASSAY_TRY(prepare(kernel));
    prepared.push_back(std::move(each));
  }
  ASSAY_TRY(make_scratch_folder());
  std::vector<UserVariant> loaded;
  for (size_t i = 0; i < prepared.size(); ++i) {
    const Adapter& adapter = prepared[i].adapter;
    now_preparing(kernels[i].path);
    const auto before = registered();
    if (before.contains(adapter.op + "/" + adapter.name))
      return fail(fmt::format("{}: {} has a variant '{}' already", kernels[i].path, adapter.op, adapter.name),
                  "give it another name in the adapter: name = \"…\"");
    const auto ids = ASSAY_TRY(load_by_some_route(kernels[i], prepared[i], i, prepared.size(), try_adapters));
    const auto add = [&](const std::string& id) {
      loaded.push_back({id, kernels[i].path, prepared[i].remarks, prepared[i].adapter.guesses,
                        scope_of(prepared[i], !id.empty()), prepared[i].adapter.dtypes_unmade, prepared[i].own_fault,
                        prepared[i].guessed_grid, prepared[i].seen});
    };
    if (!ids) add("");
    for (const std::string& id : ids.value_or(std::vector<std::string>())) {
      if (!before.contains(id)) origins()[id] = origin_of(kernels[i], adapter);
      prepared_kernels()[id] = prepared[i];
      remember_binding(id, kernels[i], prepared[i]);
      add(id);
    }
  }
  return loaded;
}

}  // namespace

// Where the time ended before all was done, only some of the compilers ran, and their results do not count.
Result<std::vector<UserVariant>> load_user_kernels(const std::vector<UserKernel>& kernels,
                                                   const TryAdapters& try_adapters) {
  auto loaded = load_all(kernels, try_adapters);
  if (auto ended = preparation_ended()) return tl::unexpected(*ended);
  return loaded;
}

const Prepared* prepared_of_variant(const std::string& id) {
  const auto found = prepared_kernels().find(id);
  return found == prepared_kernels().end() ? nullptr : &found->second;
}

const UserOrigin& origin_of_variant(const std::string& id) {
  static const UserOrigin kNone;
  const auto found = origins().find(id);
  return found == origins().end() ? kNone : found->second;
}

}  // namespace assay
