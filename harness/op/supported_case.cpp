// Compares a case with domains, and searches the multiples of its dims for one that is supported.
#include "harness/op/supported_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "harness/op/launch_choice.h"

namespace assay {

void suit_both(const Contract& contract, const Variant& variant, Case& c) {
  if (contract.adjust) contract.adjust(c);
  if (!variant.adjust) return;
  variant.adjust(c);
  for (const DimSpec& dim : contract.dims)
    if (const int64_t value = c.dim(dim.name); !admits(dim, value))
      c.set(dim.name, std::to_string(nearest(dim, value)));
}

std::optional<std::string> outside(const std::vector<Domain>& domains, const Case& c) {
  for (const Domain& domain : domains) {
    const std::string& value = domain.name == kFillDomain ? c.fill : c.text(domain.name);
    if (domain.values.empty()) {
      if (c.dim(domain.name) < domain.min || c.dim(domain.name) > domain.max)
        return fmt::format("takes {} from {} to {}", domain.name, domain.min, domain.max);
    } else if (std::find(domain.values.begin(), domain.values.end(), value) == domain.values.end()) {
      return fmt::format("takes {} = {} only", domain.name, fmt::join(domain.values, " or "));
    }
  }
  return std::nullopt;
}

namespace {

void round_up(Case& c, const std::string& dim, int64_t multiple) {
  c.set(dim, std::to_string((std::max<int64_t>(c.dim(dim), 1) + multiple - 1) / multiple * multiple));
}

// Rounds a dim up to the multiple that a requirement states, where it is of this form.
void round_up_as(const std::string& requirement, const std::vector<std::string>& dims, Case& c) {
  std::istringstream words(requirement);
  std::string dim, modulo, equals, rest;
  int64_t multiple = 0, zero = -1;
  if (!(words >> dim >> modulo >> multiple >> equals >> zero) || words >> rest) return;
  if (modulo == "%" && equals == "==" && zero == 0 && multiple > 0 && std::ranges::find(dims, dim) != dims.end())
    round_up(c, dim, multiple);
}

thread_local int vain_moves_left = std::numeric_limits<int>::max();

}  // namespace

MovesInVain::MovesInVain(int most) : outer_(std::exchange(vain_moves_left, most)) {}
MovesInVain::~MovesInVain() { vain_moves_left = outer_; }

void move_to_supported(Case& c, const std::vector<std::string>& dims, const std::vector<std::string>& requirements,
                       int fixes, void (*fix)(Case&),
                       const std::function<std::optional<std::string>(const Case&)>& unsupported) {
  const auto fixed = [&](Case moved) {
    for (int i = 0; i < fixes; ++i) fix(moved);  // one may follow from the next
    return moved;
  };
  c = fixed(c);
  if (!unsupported(c) || vain_moves_left <= 0) return;
  Case whole = c;
  for (const std::string& requirement : requirements) round_up_as(requirement, dims, whole);
  if (whole = fixed(whole); !unsupported(whole)) {
    c = whole;
    return;
  }
  for (int64_t multiple = 2; multiple <= 256; multiple *= 2) {
    Case all = c;
    for (const std::string& dim : dims) {
      Case one = c;
      round_up(one, dim, multiple);
      round_up(all, dim, multiple);
      for (const Case& moved : {fixed(one), fixed(all)})
        if (!unsupported(moved)) {
          c = moved;
          return;
        }
    }
  }
  --vain_moves_left;
}

}  // namespace assay
