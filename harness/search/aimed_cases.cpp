// The generator makes each case, of a variant that takes no other value than the one aimed at.
#include "harness/search/aimed_cases.h"

#include <algorithm>
#include <functional>
#include <set>

#include "harness/op/launch_choice.h"
#include "harness/search/generate.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr GenerateLimits kLimits{.elements_max = 1 << 18, .flops_max = 1 << 26, .threads_max = 1 << 22};
constexpr int64_t kTriesOfValue = 8;     // of a value that the rest of a case may not suit
constexpr int64_t kFew = 64;             // a number up to this may count elements of a thread
constexpr size_t kValuesOfDimMost = 60;  // the smallest of them

// The values around which a condition with one of these numbers may turn.
std::set<int64_t> turning_points(const std::vector<int64_t>& numbers, const std::vector<int>& blocks) {
  std::set<int64_t> points;
  const auto around = [&](int64_t number) { points.insert({number - 1, number, number + 1}); };
  for (const int64_t number : numbers) {
    if (number < 0 || number > kLimits.elements_max) continue;
    around(number);
    if (number > kFew || blocks.empty()) continue;
    const auto [least, most] = std::ranges::minmax(blocks);
    around(number * least), around(number * most);
  }
  return points;
}

class Aiming {
 public:
  Aiming(const Contract& contract, const Variant& variant, uint64_t seed)
      : contract_(contract), narrow_(narrowed(contract, variant)), variant_(variant), seed_(seed) {
    for (const DType dtype : contract.dtypes)
      if (std::ranges::find(variant.dtypes, dtype) != variant.dtypes.end()) dtypes_.push_back(dtype);
  }

  void at_dims(const std::set<int64_t>& values) {
    for (const DimSpec& dim : narrow_.dims) at_dim(dim, values);
  }

  void at_attributes() {
    for (const AttrSpec& attr : narrow_.attrs)
      if (attr.choices.size() > 1) at_attribute(attr);
  }

  void at_launch() {
    Aim blocks{"block", {}}, grids{"grid", {}}, offsets{"offset", {}};
    for (const int block : variant_.blocks) add(blocks, [&](Case& c) { c.block = block; });
    if (variant_.any_grid)
      for (const int grid : {1, 2}) add(grids, [&](Case& c) { c.grid = grid; });
    for (const TensorSpec& tensor : contract_.tensors)
      add(offsets, [&](Case& c) { c.offset = Offset{1, tensor.name}; });
    keep(std::move(blocks)), keep(std::move(grids)), keep(std::move(offsets));
  }

  void at_data() {
    Aim aim{"fill", {}};
    for (const Fill& fill : fills())
      if (admits(narrow_, fill)) add(aim, [&](Case& c) { c.fill = fill.name; });
    keep(std::move(aim));
  }

  std::vector<Aim> take() { return std::move(aims_); }

 private:
  void at_dim(const DimSpec& dim, const std::set<int64_t>& values) {
    Aim aim{dim.name, {}};
    for (const int64_t value : values)
      if (admits(dim, value) && aim.cases.size() < kValuesOfDimMost) add_value(aim, std::to_string(value));
    keep(std::move(aim));
  }

  void at_attribute(const AttrSpec& attr) {
    Aim aim{attr.name, {}};
    for (const std::string& choice : attr.choices) add_value(aim, choice);
    keep(std::move(aim));
  }

  // Adds a case with this value of the aim's dim or attribute.
  void add_value(Aim& aim, const std::string& value) {
    Variant only = variant_;
    std::erase_if(only.domains, [&](const Domain& domain) { return domain.name == aim.at; });
    only.domains.push_back({aim.at, 0, 0, {value}});
    add(
        aim, only, [](Case&) {}, [&](const Case& c) { return c.text(aim.at) == value; });
  }
  void add(Aim& aim, const std::function<void(Case&)>& change) {
    add(aim, variant_, change, [](const Case&) { return true; });
  }

  // Adds a case that is as wanted and that the variant takes, if there is one.
  void add(Aim& aim, const Variant& generated, const std::function<void(Case&)>& change,
           const std::function<bool(const Case&)>& is_wanted) {
    for (int64_t i = 0; i < kTriesOfValue; ++i) {
      const DType dtype = dtypes_[static_cast<size_t>(made_++) % dtypes_.size()];
      Case c = generate_case(contract_, generated, dtype, seed_, made_, kLimits);
      change(c);
      if (!is_wanted(c) || refused_choice(contract_, variant_, c) || !fits(contract_, c, kLimits)) continue;
      if (variant_.unsupported && variant_.unsupported(c)) continue;
      aim.cases.push_back(std::move(c));
      return;
    }
  }
  void keep(Aim aim) {
    if (!aim.cases.empty()) aims_.push_back(std::move(aim));
  }

  const Contract& contract_;
  const Contract narrow_;  // what the variant takes of it
  const Variant& variant_;
  const uint64_t seed_;
  std::vector<DType> dtypes_;
  int64_t made_ = 0;
  std::vector<Aim> aims_;
};

}  // namespace

std::vector<Aim> aimed_cases(const Contract& contract, const Variant& variant, const std::vector<int64_t>& numbers,
                             uint64_t seed) {
  Aiming aiming(contract, variant, seed);
  aiming.at_dims(turning_points(numbers, variant.blocks));
  aiming.at_attributes();
  aiming.at_launch();
  aiming.at_data();
  return aiming.take();
}

}  // namespace assay
