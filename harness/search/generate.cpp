// Generation by RapidCheck's generators. Every dimension of the search (dims, attributes, fill, block, schedule) is
// drawn alike; the contract's boundary values and the usual breaking points of kernels come first.
#include "harness/search/generate.h"
#include "harness/base/check.h"
#include "harness/base/rng.h"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "harness/op/launch_choice.h"
#include "harness/op/supported_case.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

// Sizes at which tiles, warps, blocks and vector loads begin and end, and primes between them.
constexpr int64_t kBoundaries[] = {0,   1,   2,   3,   4,   5,    7,    8,    9,    15,   16,  17,  31,
                                   32,  33,  37,  63,  64,  65,   96,   97,   127,  128,  129, 255, 256,
                                   257, 509, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049};

rc::Gen<int64_t> log_uniform(int64_t low, int64_t high) {
  return rc::gen::exec([=] {
    int bits_max = 0;
    while ((int64_t{1} << (bits_max + 1)) <= high - low + 1) ++bits_max;
    const int bits = *rc::gen::inRange(0, bits_max + 1);
    const int64_t offset = *rc::gen::inRange((int64_t{1} << bits) - 1, (int64_t{2} << bits) - 1);
    return std::min(low + offset, high);
  });
}

std::vector<int64_t> boundary_values(const DimSpec& dim, int64_t low, int64_t high) {
  std::vector<int64_t> special = dim.boundary;
  special.insert(special.end(), std::begin(kBoundaries), std::end(kBoundaries));
  std::erase_if(special, [&](int64_t value) { return value < low || value > high; });
  return special;
}

// The largest value of the dim's domain up to `value`, else its smallest.
int64_t snapped(const DimSpec& dim, int64_t value) {
  const auto after = std::upper_bound(dim.only.begin(), dim.only.end(), value);
  return std::max(dim.min, after == dim.only.begin() ? value : *std::prev(after));
}

rc::Gen<int64_t> dim_value(const DimSpec& dim, int64_t cap) {
  if (!dim.only.empty()) return rc::gen::elementOf(dim.only);
  const int64_t high = std::max(dim.min, std::min({dim.max, dim.usual_max, cap}));
  const std::vector<int64_t> special = boundary_values(dim, dim.min, high);
  if (special.empty()) return log_uniform(dim.min, high);
  return rc::gen::oneOf(rc::gen::elementOf(special), log_uniform(dim.min, high));
}

// About half of `value`: exactly, or one of the boundary values between that and half of it.
rc::Gen<int64_t> half_value(const DimSpec& dim, int64_t value) {
  const int64_t half = snapped(dim, value / 2);
  if (!dim.only.empty()) return rc::gen::just(half);
  const std::vector<int64_t> special = boundary_values(dim, std::max(dim.min, half / 2 + 1), half);
  if (special.empty()) return rc::gen::just(half);
  return rc::gen::oneOf(rc::gen::elementOf(special), rc::gen::just(half));
}

std::vector<std::string> admitted_fills(const Contract& contract) {
  std::vector<std::string> names;
  for (const Fill& fill : fills())
    if (admits(contract, fill) && !fill.for_exponentials) names.push_back(fill.name);
  return names;
}

// Data for ops with exponentials comes in turn, and in the place of what was drawn: none of a few cases may be left
// without it by chance, and all others stay what they were.
void take_fill_in_turn(const Contract& contract, std::optional<uint64_t> turn, Case& c) {
  constexpr uint64_t kEveryMany = 6;
  std::vector<std::string> names;
  for (const Fill& fill : fills())
    if (admits(contract, fill) && fill.for_exponentials) names.push_back(fill.name);
  if (!names.empty() && turn && *turn % kEveryMany == 0) c.fill = names[*turn / kEveryMany % names.size()];
}

// A row shorter than this costs the executor as much as one of this length: its kernels' loops, exponentials and warp
// operations are there all the same.
constexpr double kShortRow = 8;

constexpr int kGridMax = 33;         // of a case with a grid of its own
constexpr int kEveryMany = 4;        // one case in so many keeps its batches and heads as it does its other dims
constexpr int kEveryKept = 3;        // one case in so many of an op with such dims keeps a boundary value of another
constexpr int kEveryOffset = 4;      // one case in so many has an offset
constexpr int64_t kOffsetUsual = 8;  // elements; 16-byte accesses begin at multiples of 4 or 8

int64_t rows_of(const std::vector<int64_t>& shape) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    if (__builtin_mul_overflow(rows, shape[i], &rows)) return std::numeric_limits<int64_t>::max();
  return rows;
}

// Arithmetic operations of a case, as if none of its rows were short.
double work_of(const Contract& contract, const Case& c) {
  double shortest = kShortRow;
  for (const TensorSpec& spec : contract.tensors)
    if (const auto shape = shape_of(spec, c); shape.size() > 1 && shape.back() > 0)
      shortest = std::min(shortest, static_cast<double>(shape.back()));
  return contract.flops(c) * kShortRow / shortest;
}

// How far a case is beyond the limit that it exceeds most; at most 1 where it fits.
double excess(const Contract& contract, const Case& c, const GenerateLimits& limits) {
  const auto over = [](auto cost, int64_t most) {
    return static_cast<double>(cost) / static_cast<double>(std::max<int64_t>(most, 1));
  };
  const double most = std::max(over(element_count(contract, c), limits.elements_max),
                               over(estimated_threads(contract, c), limits.threads_max));
  return contract.flops ? std::max(most, over(work_of(contract, c), limits.flops_max)) : most;
}

// Halves dims at random until the case fits, but only dims whose halving helps: the others keep their values. Where
// none helps alone, as with a square and its transpose, any of them is a step on the way. Dims that repeat, such as
// heads, come first in most cases: one long head of several tiles shows more than many of one token. `kept` keeps its
// value if the others can make room.
void fit(const Contract& contract, const Variant& variant, Case& c, const GenerateLimits& limits,
         const std::vector<const DimSpec*>& kept = {}) {
  constexpr int kHalvings = 300;  // more than any case needs, unless adjusting takes every halving back
  const auto with = [&](const DimSpec& dim, int64_t value) {
    Case smaller = c;
    smaller.set(dim.name, std::to_string(value));
    suit_both(contract, variant, smaller);
    return smaller;
  };
  suit_both(contract, variant, c);
  const bool repeats_first = *rc::gen::inRange(0, kEveryMany) != 0;
  for (int halving = 0; halving < kHalvings; ++halving) {
    const double now = excess(contract, c, limits);
    if (now <= 1) return;
    std::vector<const DimSpec*> large, helpful, repeats;
    for (const DimSpec& dim : contract.dims) {
      const int64_t value = c.dim(dim.name);
      if (std::ranges::find(kept, &dim) != kept.end() || value <= std::max<int64_t>(dim.min, 1)) continue;
      large.push_back(&dim);
      if (excess(contract, with(dim, snapped(dim, value / 2)), limits) < now)
        (repeats_first && dim.repeats ? repeats : helpful).push_back(&dim);
    }
    if (large.empty()) return !kept.empty() ? fit(contract, variant, c, limits) : void();
    const DimSpec& dim = **rc::gen::elementOf(!repeats.empty() ? repeats : helpful.empty() ? large : helpful);
    c = with(dim, *half_value(dim, c.dim(dim.name)));
  }
  if (!kept.empty()) fit(contract, variant, c, limits);  // whole blocks take halvings of the others back
}

// The blocks with which a case of these dims fits, else the smallest.
std::vector<int> fitting_blocks(const Contract& contract, const Variant& variant, Case c,
                                const GenerateLimits& limits) {
  std::vector<int> blocks = variant.blocks;
  std::erase_if(blocks, [&](int block) {
    c.block = block;
    return estimated_threads(contract, c) > limits.threads_max;
  });
  if (blocks.empty()) blocks.push_back(*std::ranges::min_element(variant.blocks));
  return blocks;
}

bool has_optional_attributes(const Contract& contract) {
  return std::ranges::any_of(contract.attrs,
                             [](const AttrSpec& attr) { return attr.optional && attr.choices.size() > 1; });
}

// Half of the time the variant's own; else few blocks, so that each strides several times.
rc::Gen<std::optional<int>> grid_value() {
  return rc::gen::exec([]() -> std::optional<int> {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *rc::gen::oneOf(rc::gen::elementOf(std::vector<int>{1, 2, 3}), rc::gen::inRange(1, kGridMax + 1));
  });
}

// All tensors as slices of larger ones, or one alone: a kernel that asks for the alignment of one and takes it for that
// of the others is wrong in that case only.
void choose_offset(const Contract& contract, const Variant& variant, Case& c) {
  Offset offset{*rc::gen::oneOf(rc::gen::just(int64_t{1}), rc::gen::inRange<int64_t>(1, kOffsetUsual + 1)), {}};
  if (*rc::gen::arbitrary<bool>()) {
    const auto tensors = static_cast<int>(contract.tensors.size());
    offset.tensor = contract.tensors[static_cast<size_t>(*rc::gen::inRange(0, tensors))].name;
  }
  Case moved = c;
  moved.offset = offset;
  if (!refused_choice(contract, variant, moved)) c = std::move(moved);
}

// In an op that does the same for each head, say, now and then a dim whose breaking points the contract knows has one
// of them and keeps it: the sizes of real heads meet several tiles of tokens then, which give way otherwise.
const DimSpec* keep_boundary(const Contract& contract, Case& c, const GenerateLimits& limits) {
  const auto repeats = [](const DimSpec& dim) { return dim.repeats; };
  if (std::ranges::none_of(contract.dims, repeats) || *rc::gen::inRange(0, kEveryKept) != 0) return nullptr;
  for (const DimSpec& dim : contract.dims) {
    std::vector<int64_t> values = dim.boundary;
    std::erase_if(values, [&](int64_t value) {
      return !admits(dim, value) || value > std::min(dim.usual_max, limits.elements_max);
    });
    if (dim.repeats || values.empty()) continue;
    c.set(dim.name, std::to_string(*rc::gen::elementOf(values)));
    return &dim;
  }
  return nullptr;
}

// Heads in several groups of several, in two cases of three: where a group is all heads, or one, h / r and h mod HK are
// the same. `fewest`: another dim keeps its value, and leaves little room. Returns the dims that are to keep theirs.
std::vector<const DimSpec*> take_groups_in_turn(const Contract& contract, std::optional<uint64_t> turn, bool fewest,
                                                Case& c) {
  if (!contract.groups_heads || !turn || (*turn + *turn / 6) % 3 == 0) return {};
  const auto dim = [&](const char* name) { return &*std::ranges::find(contract.dims, name, &DimSpec::name); };
  const auto groups = static_cast<int64_t>(fewest ? 2 : 2 + *turn / 3 % 2);
  const auto heads = groups * static_cast<int64_t>(fewest ? 2 : 2 + *turn / 7 % 2);
  if (!admits(*dim("HK"), groups) || !admits(*dim("H"), heads)) return {};
  c.set("HK", std::to_string(groups));
  c.set("H", std::to_string(heads));
  return {dim("H"), dim("HK")};
}

// More elements where each row has many: what a case costs beside its operations is its rows.
GenerateLimits with_room_for(int64_t row, GenerateLimits limits) {
  constexpr int64_t kUsualRow = 16;
  limits.elements_max *= std::clamp<int64_t>(row / kUsualRow, 1, kMoreElements);
  return limits;
}

// Dims as small as the variant takes them. `adjust` knows the variant's demands beyond their domains.
Case smallest_case(const Contract& contract, const Variant& variant, DType dtype) {
  Case c;
  c.op = contract.name;
  c.variant = variant.name;
  c.dtype = dtype;
  for (const DimSpec& dim : contract.dims) c.set(dim.name, std::to_string(nearest(dim, std::max<int64_t>(dim.min, 1))));
  for (const AttrSpec& attr : contract.attrs) c.set(attr.name, attr.choices.front());
  if (!variant.blocks.empty()) c.block = *std::ranges::min_element(variant.blocks);
  suit_both(contract, variant, c);
  return c;
}

// Room for every dim to be thrice its smallest, and for all of it twice. A kernel of large tiles takes nothing that
// fits: all cases would be the one smallest shape, and a kernel that is right with one tile alone would pass.
GenerateLimits with_room_to_vary(const Contract& contract, const Variant& variant, DType dtype, GenerateLimits limits) {
  constexpr int64_t kElementsMost = 1 << 23, kFlopsMost = 1 << 30;
  const auto make_room = [&](const Case& c, int64_t times) {
    const auto room = [&](int64_t limit, double cost, int64_t most) {
      const double wanted = std::min(cost * static_cast<double>(times), static_cast<double>(most));
      return std::max(limit, static_cast<int64_t>(wanted));
    };
    limits.elements_max = room(limits.elements_max, static_cast<double>(element_count(contract, c)), kElementsMost);
    limits.threads_max = room(limits.threads_max, static_cast<double>(estimated_threads(contract, c)), kThreadsMax);
    if (contract.flops) limits.flops_max = room(limits.flops_max, work_of(contract, c), kFlopsMost);
  };
  const Case smallest = smallest_case(contract, variant, dtype);
  make_room(smallest, 2);
  for (const DimSpec& dim : contract.dims) {
    Case longer = smallest;
    longer.set(dim.name, std::to_string(nearest(dim, 3 * smallest.dim(dim.name))));
    suit_both(contract, variant, longer);
    make_room(longer, 1);
  }
  return limits;
}

// A choice of an attribute whose choices go in turn where it is `turn`'s, else any.
std::string choice(const AttrSpec& attr, std::optional<uint64_t> turn) {
  if (attr.in_turn && turn) return attr.choices[*turn % attr.choices.size()];
  return *rc::gen::elementOf(attr.choices);
}

Case draw(const Contract& contract, const Variant& variant, DType dtype, const GenerateLimits& limits,
          std::optional<uint64_t> turn) {
  Case c;
  c.op = contract.name;
  c.variant = variant.name;
  c.dtype = dtype;
  for (const DimSpec& dim : contract.dims) c.set(dim.name, std::to_string(*dim_value(dim, limits.elements_max)));
  // Half of the cases are what the op had before it got optional attributes: six formats of weights, say, are hardly
  // ever all the first, and what they ask of dims would leave nothing small or odd.
  const bool as_before = has_optional_attributes(contract) && *rc::gen::arbitrary<bool>();
  for (const AttrSpec& attr : contract.attrs)
    c.set(attr.name, as_before && attr.optional ? attr.choices.front() : choice(attr, turn));
  const DimSpec* const of_boundary = keep_boundary(contract, c, limits);
  GenerateLimits roomy = of_boundary ? with_room_for(c.dim(of_boundary->name), limits) : limits;
  std::vector<const DimSpec*> kept = take_groups_in_turn(contract, turn, of_boundary != nullptr, c);
  if (of_boundary && !kept.empty()) roomy.elements_max = kMoreElements * limits.elements_max;
  if (of_boundary) kept.push_back(of_boundary);
  if (!variant.blocks.empty()) {  // half of the time dims give way to the block, else the block to the dims
    c.block = *rc::gen::elementOf(variant.blocks);
    if (*rc::gen::arbitrary<bool>()) c.block = *rc::gen::elementOf(fitting_blocks(contract, variant, c, limits));
  }
  fit(contract, variant, c, roomy, kept);
  c.fill = *rc::gen::elementOf(admitted_fills(contract));
  take_fill_in_turn(contract, turn, c);
  c.seed = static_cast<uint64_t>(*rc::gen::inRange(0, 1 << 16));
  c.schedule = static_cast<uint64_t>(*rc::gen::oneOf(rc::gen::just(0), rc::gen::inRange(1, 1 << 16)));
  if (variant.any_grid) c.grid = *grid_value();
  if (*rc::gen::inRange(0, kEveryOffset) == 0) choose_offset(contract, variant, c);
  return c;
}

}  // namespace

Variant any_variant(const Contract& op) {
  Variant variant;
  variant.op = op.name;
  variant.name = "any";
  variant.dtypes = op.dtypes;
  return variant;
}

Contract narrowed(Contract contract, const Variant& variant) {
  for (AttrSpec& attr : contract.attrs) attr.choices = choices_taken(attr, variant);
  for (DimSpec& dim : contract.dims)
    if (takes_only_before(dim, variant)) dim.only = {*dim.before}, dim.min = dim.max = *dim.before;
  for (const Fill& fill : fills())
    if (!takes_fill(variant, fill.name)) contract.skip_fills.push_back(fill.name);
  for (const Domain& domain : variant.domains)
    for (DimSpec& dim : contract.dims) {
      if (dim.name != domain.name) continue;
      for (const std::string& value : domain.values) dim.only.push_back(std::stoll(value));
      std::ranges::sort(dim.only);
      dim.min = dim.only.empty() ? domain.min : dim.only.front();
      dim.max = dim.only.empty() ? domain.max : dim.only.back();
      dim.usual_max = std::max(dim.usual_max, dim.min);
      dim.boundary.insert(dim.boundary.end(), {dim.min, dim.max});
    }
  return contract;
}

int64_t estimated_threads(const Contract& contract, const Case& c) {
  int64_t rows = 1, threads = 0;
  for (const TensorSpec& spec : contract.tensors) rows = std::max(rows, rows_of(shape_of(spec, c)));
  if (__builtin_mul_overflow(rows, c.block.value_or(0), &threads)) return std::numeric_limits<int64_t>::max();
  return threads;
}

bool fits(const Contract& contract, const Case& c, const GenerateLimits& limits) {
  return excess(contract, c, limits) <= 1;
}

Case generate_case(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed, int64_t index,
                   GenerateLimits limits) {
  if (index % kEveryTall == kEveryTall - 1) limits.threads_max = std::max(limits.threads_max, kThreadsMax);
  constexpr int kTriesToAdmit = 100;
  const int tries_in_turn = limits.tries / 2;  // then any choice: this one may be what the variant takes in no case
  constexpr int kVainMoves = 64;
  const Contract narrow = narrowed(contract, variant);
  const MovesInVain moves(kVainMoves);
  limits = with_room_to_vary(narrow, variant, dtype, limits);
  const std::string stream = variant.op + "/" + variant.name + "/" + std::string(name(dtype));
  Rng rng = Rng::stream(seed + static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15u, stream);
  const uint64_t turn = Rng::stream(seed, stream).next() / 2 + static_cast<uint64_t>(index);
  Case c;
  for (int attempt = 0; attempt < limits.tries; ++attempt) {
    const auto gen = rc::gen::exec([&] {
      return draw(narrow, variant, dtype, limits, attempt < tries_in_turn ? std::optional(turn) : std::nullopt);
    });
    c = gen(rc::Random(rng.next()), rc::kNominalSize).value();
    const bool admitted = !contract.constraint || !contract.constraint(c);
    if (admitted && (!variant.unsupported || !variant.unsupported(c))) return c;
  }
  if (contract.constraint && contract.constraint(c)) {  // what the variant takes is none of the op's
    Variant unsteered = variant;
    unsteered.adjust = nullptr;
    const auto gen = rc::gen::exec([&] { return draw(contract, unsteered, dtype, limits, {}); });
    for (int attempt = 0; attempt < kTriesToAdmit && contract.constraint(c); ++attempt)
      c = gen(rc::Random(rng.next()), rc::kNominalSize).value();
  }
  ASSAY_CHECK(!contract.constraint || !contract.constraint(c),
              "no case of " + contract.name + " keeps its constraint; give its dims boundary values that do");
  return c;  // the variant supports none of them: the run will report UNSUPPORTED and why
}

}  // namespace assay
