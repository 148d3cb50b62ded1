// The registries, and finding things in them by name.
#include "harness/op/registry.h"
#include "harness/base/check.h"
#include "harness/op/composite.h"
#include "harness/op/replacing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace assay {
namespace {

std::list<Contract>& mutable_ops() {
  static std::list<Contract> all;
  return all;
}

std::vector<std::unique_ptr<Variant>>& mutable_variants() {
  static std::vector<std::unique_ptr<Variant>> all;
  return all;
}

bool variants_replace = false;  // by ReplacingVariants
bool variants_are_sieves = false;
std::vector<std::unique_ptr<Variant>>& sieves() {
  static std::vector<std::unique_ptr<Variant>> all;
  return all;
}

constexpr size_t kListedMax = 24;  // more than fit into an error of one line

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substitute}));
    }
  }
  return row.back();
}

}  // namespace

RegisterOp::RegisterOp(Contract contract) {
  auto& all = mutable_ops();
  const auto accumulates = [](const TensorSpec& spec) { return spec.role == Role::accumulate && !spec.make; };
  if (std::ranges::any_of(contract.tensors, accumulates))
    contract.attrs.push_back({"init", "what accumulated outputs start from", {"zero", "random"}});
  for (DimSpec& dim : contract.dims) {
    if (dim.only.empty()) continue;
    std::ranges::sort(dim.only);
    dim.min = dim.only.front(), dim.max = dim.only.back();
  }
  const auto at = std::ranges::find_if(all, [&](const Contract& op) { return op.name >= contract.name; });
  ASSAY_CHECK(at == all.end() || at->name != contract.name, "two ops are named '" + contract.name + "'");
  all.insert(at, std::move(contract));
}

const std::list<Contract>& all_ops() { return mutable_ops(); }

const Contract* find_op(std::string_view name) {
  for (const Contract& contract : all_ops())
    if (contract.name == name) return &contract;
  return nullptr;
}

Variant::~Variant() = default;

ReplacingVariants::ReplacingVariants() { variants_replace = true; }
ReplacingVariants::~ReplacingVariants() { variants_replace = false; }

RegisteringSieves::RegisteringSieves() { variants_are_sieves = true; }
RegisteringSieves::~RegisteringSieves() { variants_are_sieves = false; }

const Variant* sieve_of(const Variant& variant) {
  const auto found = std::ranges::find_if(
      sieves(), [&](const auto& each) { return each->op == variant.op && each->name == variant.name; });
  return found == sieves().end() ? nullptr : found->get();
}

void register_variant(const Variant& variant) {
  if (variants_are_sieves) {  // a composite one's steps would be looked for among all variants
    if (variant.steps.empty()) sieves().push_back(std::make_unique<Variant>(variant));
    return;
  }
  if (variants_replace) {
    const auto is_replaced = [&](const auto& each) { return each->op == variant.op && each->name == variant.name; };
    std::erase_if(mutable_variants(),
                  [&](const auto& each) { return is_replaced(each) && each->device == variant.device; });
    if (variant.device == "cpu-checked") std::erase_if(sieves(), is_replaced);  // which is of other code
  }
  ASSAY_CHECK(!find_variant(variant.op, variant.name, variant.device),
              "two variants are named '" + variant.op + "/" + variant.name + "'");
  auto added = std::make_unique<Variant>(variant.steps.empty() ? variant : composite_variant(variant));
  ASSAY_CHECK(added->run, "variant '" + variant.op + "/" + variant.name + "' has no run function");
  mutable_variants().push_back(std::move(added));
}

std::vector<const Variant*> variants() {
  std::vector<const Variant*> all;
  for (const auto& variant : mutable_variants()) all.push_back(variant.get());
  std::ranges::sort(all, [](const Variant* a, const Variant* b) {
    return std::tie(a->op, a->name, a->device) < std::tie(b->op, b->name, b->device);
  });
  return all;
}

const Variant* find_variant(std::string_view op, std::string_view name, std::string_view device) {
  for (const auto& variant : mutable_variants())
    if (variant->op == op && variant->name == name && variant->device == device) return variant.get();
  return nullptr;
}

// In a time that the lengths' product bounds, which fnmatch() has no bound for.
static bool matches(std::string_view glob, std::string_view text) {
  size_t star = glob.size(), from = 0, g = 0;  // the last *, and what it has not taken yet
  for (size_t t = 0; t < text.size();) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      from = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star < glob.size()) {
      g = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

bool selects(std::string_view pattern, const Variant& variant) {
  const bool of_op = pattern.find('/') == std::string_view::npos;
  return matches(pattern, of_op ? variant.op : variant.op + "/" + variant.name);
}

Result<Case> read_case(std::string_view line) {
  Result<Case> c = parse_case(line);
  if (!c) return c;
  const Contract* contract = find_op(c->op);
  if (!contract) {
    std::vector<std::string> known;
    for (const Contract& op : all_ops()) known.push_back(op.name);
    const size_t offset = line.find(c->op);
    return tl::unexpected(error_at(line, line.substr(offset, c->op.size()), "unknown op", suggestion(c->op, known)));
  }
  return conform(*contract, std::move(*c), line);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::ranges::min_element(
      known, [&](auto& a, auto& b) { return edit_distance(word, a) < edit_distance(word, b); });
  if (nearest != known.end() && edit_distance(word, *nearest) <= 1 + word.size() / 3)
    return fmt::format("did you mean '{}'?", *nearest);
  if (known.size() > kListedMax) return fmt::format("`assay list` shows the {} that there are", known.size());
  return fmt::format("known are {}", fmt::join(known, ", "));
}

void* Call::pointer(std::string_view name) const {
  for (const Buffer& buffer : buffers_)
    if (buffer.name == name) return buffer.data;
  ASSAY_CHECK(false, "the variant asks for a tensor '" + std::string(name) + "' that the contract does not have");
}

}  // namespace assay
