// Generation by RapidCheck's generators. Every dimension of the search (dims, attributes, fill, block, schedule) is
// drawn alike; the contract's boundary values and the usual breaking points of kernels come first.
#include "harness/search/generate.h"
#include "harness/base/check.h"
#include "harness/base/rng.h"

#include <rapidcheck.h>

#include <algorithm>

#include "harness/tensor/fill.h"

namespace assay {
namespace {

// Where tiles, warps, blocks and vector loads begin and end, and primes between them.
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

rc::Gen<int64_t> dim_value(const DimSpec& dim, int64_t cap) {
  const int64_t high = std::max(dim.min, std::min({dim.max, dim.usual_max, cap}));
  std::vector<int64_t> special = dim.boundary;
  special.insert(special.end(), std::begin(kBoundaries), std::end(kBoundaries));
  std::erase_if(special, [&](int64_t value) { return value < dim.min || value > high; });
  if (special.empty()) return log_uniform(dim.min, high);
  return rc::gen::oneOf(rc::gen::elementOf(special), log_uniform(dim.min, high));
}

std::vector<std::string> admitted_fills(const Contract& contract) {
  std::vector<std::string> names;
  for (const Fill& fill : fills())
    if (admits(contract, fill)) names.push_back(fill.name);
  return names;
}

void adjust(const Contract& contract, const Variant& variant, Case& c) {
  if (contract.adjust) contract.adjust(c);
  if (variant.adjust) variant.adjust(c);
}

// Halves dims at random until the case fits; the boundary values of the others survive.
void fit(const Contract& contract, const Variant& variant, Case& c, const GenerateLimits& limits) {
  constexpr int kHalvings = 300;  // more than any case needs, unless adjusting takes every halving back
  adjust(contract, variant, c);
  for (int halving = 0; halving < kHalvings && !fits(contract, c, limits); ++halving) {
    std::vector<const DimSpec*> large;
    for (const DimSpec& dim : contract.dims)
      if (c.dim(dim.name) > std::max<int64_t>(dim.min, 1)) large.push_back(&dim);
    if (large.empty()) return;
    const DimSpec* dim = *rc::gen::elementOf(large);
    c.set(dim->name, std::to_string(std::max(dim->min, c.dim(dim->name) / 2)));
    adjust(contract, variant, c);
  }
}

// A block for every row of a tall matrix is what many kernels launch; with the largest block size that is millions of
// threads with nothing to do, which only cost time. So block sizes stay below this many threads for the largest dim.
constexpr int64_t kThreadsMax = int64_t{1} << 19;

std::vector<int> sensible_blocks(const Contract& contract, const Variant& variant, const Case& c) {
  int64_t largest = 1;
  for (const DimSpec& dim : contract.dims) largest = std::max(largest, c.dim(dim.name));
  std::vector<int> blocks = variant.blocks;
  std::erase_if(blocks, [&](int block) { return block * largest > kThreadsMax; });
  if (blocks.empty()) blocks.push_back(*std::min_element(variant.blocks.begin(), variant.blocks.end()));
  return blocks;
}

Case draw(const Contract& contract, const Variant& variant, DType dtype, const GenerateLimits& limits) {
  Case c;
  c.op = contract.name;
  c.variant = variant.name;
  c.dtype = dtype;
  for (const DimSpec& dim : contract.dims) c.set(dim.name, std::to_string(*dim_value(dim, limits.elements_max)));
  for (const AttrSpec& attr : contract.attrs) c.set(attr.name, *rc::gen::elementOf(attr.choices));
  fit(contract, variant, c, limits);
  c.fill = *rc::gen::elementOf(admitted_fills(contract));
  c.seed = static_cast<uint64_t>(*rc::gen::inRange(0, 1 << 16));
  if (!variant.blocks.empty()) c.block = *rc::gen::elementOf(sensible_blocks(contract, variant, c));
  c.schedule = static_cast<uint64_t>(*rc::gen::oneOf(rc::gen::just(0), rc::gen::inRange(1, 1 << 16)));
  return c;
}

}  // namespace

bool fits(const Contract& contract, const Case& c, const GenerateLimits& limits) {
  if (element_count(contract, c) > limits.elements_max) return false;
  return !contract.flops || contract.flops(c) <= static_cast<double>(limits.flops_max);
}

Case generate_case(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed, int64_t index,
                   const GenerateLimits& limits) {
  constexpr int kTries = 100;
  const std::string stream = variant.op + "/" + variant.name + "/" + std::string(name(dtype));
  Rng rng = Rng::stream(seed + static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15u, stream);
  Case c;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto gen = rc::gen::exec([&] { return draw(contract, variant, dtype, limits); });
    c = gen(rc::Random(rng.next()), rc::kNominalSize).value();
    const bool admitted = !contract.constraint || !contract.constraint(c);
    if (admitted && (!variant.unsupported || !variant.unsupported(c))) return c;
  }
  ASSAY_CHECK(!contract.constraint || !contract.constraint(c),
              "no case of " + contract.name + " keeps its constraint; give its dims boundary values that do");
  return c;  // the variant supports none of them: the run will say UNSUPPORTED and why
}

}  // namespace assay
