// Building a case's tensors: every one from its own stream of the seed, so that adding a tensor or shrinking one dim
// does not reshuffle the others' data.
#include <algorithm>
#include <cmath>

#include "harness/base/check.h"
#include "harness/base/parallel.h"
#include "harness/base/rng.h"
#include "harness/op/contract.h"
#include "harness/op/made_elsewhere.h"
#include "harness/tensor/counter.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

// Keeps the `keep` most telling elements and zeroes the rest: non-finite ones first, then in a random order, so that
// the elements kept for a smaller number are among those kept for a larger one.
void keep_only(int64_t keep, Rng rng, std::vector<double>& values) {
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t i = 0; i < values.size(); ++i)
    order.emplace_back((rng.next() >> 1) | (std::isfinite(values[i]) ? uint64_t{1} << 63 : 0), i);
  std::ranges::sort(order);
  for (size_t rank = 0; rank < order.size(); ++rank)
    if (static_cast<int64_t>(rank) >= keep) values[order[rank].second] = 0;
}

// Elements [begin, end) of a tensor that `fill`, one with draws of its own for each value, makes from `start`.
void fill_part(const Fill& fill, FillTarget target, const Rng& start, int64_t begin, int64_t end, Tensor& tensor) {
  target.count = end - begin;
  Rng rng = skipped(start, static_cast<uint64_t>(begin) * static_cast<uint64_t>(fill.draws));
  std::vector<double> values(static_cast<size_t>(target.count));
  fill.make(target, rng, values);
  for (int64_t i = begin; i < end; ++i) tensor.set(i, values[static_cast<size_t>(i - begin)]);
}

// The same bits as in one piece, whatever the number of threads.
void fill_in_parts(const Fill& fill, const FillTarget& target, Rng& rng, Tensor& tensor) {
  in_parts(target.count, [&](int64_t begin, int64_t end) { fill_part(fill, target, rng, begin, end, tensor); });
  rng = skipped(rng, static_cast<uint64_t>(target.count) * static_cast<uint64_t>(fill.draws));
}

// Fills an accumulated tensor before the run: with zeros, or values of the kind that keeps exact fills exact.
void fill_initial(const Case& c, Rng& rng, Tensor& tensor) {
  const bool zero = c.text("init") == "zero";
  const bool exact = find_fill(c.fill)->exact;
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.set(i, zero ? 0 : exact ? static_cast<double>(rng.between(-4, 4)) : normal(rng));
}

// NaN in every float type, and a large index.
void kill(Tensor& tensor, const Regions::Run& run) {
  for (int64_t i = run.begin; i < run.end; ++i) tensor.set_bits(i, ~uint64_t{0});
}

// Random bits, from a stream of their own: where they come from a fill, a kernel could write its zeros unnoticed.
void fill_kept(const Case& c, Tensor& tensor) {
  if (!tensor.regions().has(Region::kept)) return;
  Rng rng = Rng::stream(c.seed, tensor.name() + "/kept");
  for (const Regions::Run& run : tensor.regions().runs())
    for (int64_t i = run.begin; run.region == Region::kept && i < run.end; ++i) tensor.set_bits(i, rng.next());
}

// In one buffer with the input, kept elements of the written tensor have the input's bits.
void share_kept(const Alias& alias, Tensors& tensors) {
  const Tensor& input = tensors.get(alias.input);
  Tensor& written = tensors.get(alias.written);
  for (const Regions::Run& run : written.regions().runs())
    for (int64_t i = run.begin; run.region == Region::kept && i < run.end; ++i) written.set_bits(i, input.bits(i));
}

// Whether a GPU makes the tensor's data; notes the counter then.
bool is_made_elsewhere(const Case& c, const Rng& rng, const Tensor& tensor) {
  MadeElsewhere* const elsewhere = MadeElsewhere::current();
  if (!elsewhere || c.fill != kMadeElsewhere || c.nonzero) return false;
  if (!is_float(tensor.dtype()) || !tensor.regions().empty()) return false;
  elsewhere->counters.emplace(tensor.name(), counter_of(rng));
  return true;
}

void poison(Tensor& tensor) {
  MadeElsewhere* const elsewhere = MadeElsewhere::current();
  if (elsewhere && tensor.regions().empty())
    elsewhere->outputs.insert(tensor.name());
  else
    tensor.poison(Poison::first);
}

}  // namespace

void apply_fill(const Case& c, Rng& rng, double magnitude, Tensor& tensor) {
  const Fill* fill = find_fill(c.fill);
  ASSAY_CHECK(fill, "unknown fill '" + c.fill + "'");
  FillTarget target{.dtype = tensor.dtype(), .count = tensor.count(), .magnitude = max_finite(tensor.dtype())};
  if (magnitude > 0) target.magnitude = std::min(target.magnitude, magnitude);
  if (!tensor.shape().empty()) target.cols = std::max<int64_t>(1, tensor.shape().back());
  if (fill->draws > 0 && !c.nonzero) return fill_in_parts(*fill, target, rng, tensor);
  std::vector<double> values(static_cast<size_t>(tensor.count()));
  fill->make(target, rng, values);
  if (c.nonzero) keep_only(*c.nonzero, Rng::stream(c.seed, tensor.name() + "/nonzero"), values);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, values[static_cast<size_t>(i)]);
}

Tensors make_tensors(const Contract& contract, const Case& c, const std::vector<Constant>& constants) {
  Tensors tensors;
  for (const TensorSpec& spec : contract.tensors) {
    const Role role = role_of(spec, c);
    Tensor tensor(spec.name, dtype_of(spec, c), role, shape_of(spec, c), offset_bytes(spec, c));
    if (spec.absent && spec.absent(c)) tensor.set_absent();
    tensor.set_regions(regions_of(spec, c));
    Rng rng = Rng::stream(c.seed, spec.name);
    const auto constant = std::ranges::find(constants, spec.name, &Constant::tensor);
    if (constant != constants.end())
      for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, constant->value);
    else if (role == Role::output)
      poison(tensor);
    else if (spec.derive)
      spec.derive(c, tensors, tensor);
    else if (spec.make)
      spec.make(c, rng, tensor);
    else if (role == Role::accumulate)
      fill_initial(c, rng, tensor);
    else if (!is_made_elsewhere(c, rng, tensor))
      apply_fill(c, rng, spec.magnitude, tensor);
    fill_kept(c, tensor);
    for (const Regions::Run& run : tensor.regions().runs())
      if (run.region == Region::dead) kill(tensor, run);
    tensors.push_back(std::move(tensor));
  }
  for (const Alias& alias : aliases_of(c)) share_kept(alias, tensors);
  return tensors;
}

}  // namespace assay
