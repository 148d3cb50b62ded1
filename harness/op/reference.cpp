// The work of ReferenceIo that is done once for each case, for every scalar that references are run with.
#include "harness/op/reference.h"

#include <algorithm>
#include <set>

#include "harness/base/check.h"
#include "harness/base/fresh_memory.h"
#include "harness/base/parallel.h"
#include "harness/base/rng.h"
#include "harness/op/carried.h"

namespace assay {
namespace {

// Rows of a sample: the most, and the least where few of them take as long as the whole of a smaller case.
constexpr int64_t kSampledRows = 20, kSampledAtLeast = 4;

int64_t sampled_rows(double flops_of_row) {
  return std::clamp(static_cast<int64_t>(reference_flops_max / flops_of_row), kSampledAtLeast, kSampledRows);
}

template <class S>
S element(const Tensor& tensor, int64_t i) {
  if constexpr (std::is_same_v<S, Bits>)
    return Bits{tensor.bits(i)};
  else
    return static_cast<S>(tensor.at(i));
}

template <class S>
RefTensor<S> load(const Tensor& tensor) {
  RefTensor<S> loaded{tensor.name(), tensor.shape(), fresh_vector<S>(tensor.count())};
  if (tensor.role() == Role::output) return loaded;
  if (const std::vector<S>* carried = Carried<S>::find(tensor.name())) {
    loaded.values = *carried;
    return loaded;
  }
  in_parts(tensor.count(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) loaded[i] = element<S>(tensor, i);
  });
  if constexpr (std::is_same_v<S, Tracked>) {
    // Run on this thread, which alone knows the declared precision.
    const bool is_f32_range = tensor.dtype() == DType::f32 || tensor.dtype() == DType::bf16;
    for (int64_t i = 0; Tracked::ftz && is_f32_range && i < tensor.count(); ++i)
      loaded[i].c = Tracked::flushed(loaded[i].v);
  }
  return loaded;
}

// Sets the parts of a written tensor that are not the op's own, whatever a reference wrote there.
template <class S>
void respect_regions(const Tensor& given, RefTensor<S>& result) {
  for (const Regions::Run& run : given.regions().runs())
    for (int64_t i = run.begin; i < run.end; ++i)
      result[i] = run.region == Region::kept ? element<S>(given, i) : unknown<S>();
}

}  // namespace

template <class S>
ReferenceIo<S>::ReferenceIo(const Case& c, const Tensors& given) : case_(c), given_(given) {
  for (const Tensor& tensor : given) tensors_.push_back(load<S>(tensor));
  for (const Tensor& tensor : given) written_.push_back(is_written(tensor.role()));
}

template <class S>
std::vector<int64_t> ReferenceIo<S>::rows(int64_t count, double flops) {
  std::vector<int64_t> chosen;
  if (flops <= reference_flops_max || count <= kSampledRows) {
    for (int64_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  for (size_t t = 0; t < tensors_.size(); ++t) {
    if (!written_[t]) continue;
    std::vector<S>& values = tensors_[t].values;
    in_parts(std::ssize(values), [&](int64_t begin, int64_t end) {
      std::fill(values.begin() + begin, values.begin() + end, unknown<S>());
    });
  }
  Rng rng = Rng::stream(case_.seed, "sampled rows");
  std::set<int64_t> rows = {0, count - 1};
  const int64_t wanted = sampled_rows(flops / static_cast<double>(count));
  while (std::ssize(rows) < wanted) rows.insert(static_cast<int64_t>(rng.below(static_cast<uint64_t>(count))));
  return {rows.begin(), rows.end()};
}

template <class S>
std::vector<RefTensor<S>> ReferenceIo<S>::results() && {
  std::vector<RefTensor<S>> results;
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (written_[i]) {
      respect_regions(given_[i], tensors_[i]);
      results.push_back(std::move(tensors_[i]));
    }
  return results;
}

template <class S>
RefTensor<S>& ReferenceIo<S>::find(std::string_view name) {
  for (RefTensor<S>& tensor : tensors_)
    if (tensor.name == name) return tensor;
  ASSAY_CHECK(false, "the reference asks for a tensor '" + std::string(name) + "' that the contract does not have");
}

template class ReferenceIo<double>;
template class ReferenceIo<Tracked>;
template class ReferenceIo<long double>;
template class ReferenceIo<float>;
template class ReferenceIo<Bits>;

}  // namespace assay
