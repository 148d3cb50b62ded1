// Sets of tensors on the GPU, and timed regions over them.
#include "harness/bench/candidate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/device/aliasing.h"

namespace assay::bench {
int sets_for(double run_us, double set_bytes, double l2_bytes, bool cold) {
  const double wanted = std::min<double>(kSetsMax, std::ceil(kRegionUs / run_us));
  const double fitting = cold ? kSetsMax : std::floor(l2_bytes / 2 / set_bytes);
  return static_cast<int>(std::max(1.0, std::min(wanted, fitting)));
}

void GpuMemory::release() {
  for (void* memory : held_) runtime_.release(memory);
  held_.clear();
}

GpuStatus GpuMemory::allocate(size_t bytes, void** memory, size_t offset) {
  if (GpuStatus error = runtime_.allocate(std::max<size_t>(offset + bytes, 1), memory)) return error;
  held_.push_back(*memory);
  *memory = static_cast<std::byte*>(*memory) + offset;
  return std::nullopt;
}

GpuStatus SharedTensors::add_set() {
  std::vector<void*> inputs(given_.size());
  const bool first = inputs_.empty();
  if (first) initial_.resize(given_.size());
  for (size_t t = 0; t < given_.size(); ++t) {
    const Tensor& tensor = given_[t];
    if (is_written(tensor.role()) && !first) continue;
    void** const memory = is_written(tensor.role()) ? &initial_[t] : &inputs[t];
    if (auto error = memory_.allocate(tensor.bytes(), memory, tensor.offset())) return error;
    if (const GpuStatus error = fill(tensor, *memory)) return error;
  }
  inputs_.push_back(std::move(inputs));
  return std::nullopt;
}

GpuStatus SharedTensors::fill(const Tensor& tensor, void* memory) {
  if (poisoned_there_.contains(tensor.name())) return runtime_.poison(memory, tensor.bytes());
  const auto made = made_there_.find(tensor.name());
  if (made == made_there_.end()) return runtime_.upload(memory, tensor.data(), tensor.bytes());
  return runtime_.fill_normal(memory, tensor.count(), tensor.dtype(), made->second);
}

Candidate::Candidate(const Variant& variant, Case c, const SharedTensors& shared, GpuRuntime& runtime, GpuTimer& timer,
                     std::function<void()> begins)
    : variant_(variant),
      case_(std::move(c)),
      shared_(shared),
      runtime_(runtime),
      timer_(timer),
      begins_(std::move(begins)),
      memory_(runtime),
      workspace_bytes_(variant.workspace_bytes ? static_cast<size_t>(variant.workspace_bytes(case_)) : 0) {}

GpuStatus Candidate::add_set() {
  Set set;
  const Tensors& given = shared_.given();
  for (size_t t = 0; t < given.size(); ++t) {
    void* memory = shared_.input(sets_.size(), t);
    if (!memory)
      if (auto error = memory_.allocate(given[t].bytes(), &memory, given[t].offset())) return error;
    set.buffers.push_back({given[t].name(), memory, static_cast<int64_t>(given[t].bytes()), given[t].shape()});
  }
  for (size_t t = 0; t < given.size(); ++t)
    set.buffers[t].data = given[t].absent() ? nullptr : set.buffers[memory_of(case_, given, t)].data;
  if (workspace_bytes_ > 0)
    if (auto error = memory_.allocate(workspace_bytes_, &set.workspace)) return error;
  sets_.push_back(std::move(set));
  return std::nullopt;
}

size_t Candidate::set_bytes() const {
  size_t bytes = workspace_bytes_;
  for (const Tensor& tensor : shared_.given())
    if (is_written(tensor.role())) bytes += tensor.bytes();
  return bytes;
}

void Candidate::release() {
  work_.reset();
  sets_.clear();
  memory_.release();
}

// A launch that CUDA refused did no work, and nothing else reports it.
Result<void> Candidate::none_refused() {
  auto refused = take_refusal();
  refusal_ = refused ? std::optional(refused->kind) : std::nullopt;
  if (!refused) return {};
  return fail(std::move(refused->why));
}

Result<void> Candidate::prepare() {
  work_.reset();
  ASSAY_TRY(begin());
  GpuWork work;
  for (const Set& set : sets_)
    work.runs.push_back([this, call = Call(case_, set.buffers, set.workspace)]() mutable {
      const StreamScope scope(runtime_.stream());
      variant_.run(call);
    });
  work.memory = spans();
  auto prepared = timer_.prepare(std::move(work));
  ASSAY_TRY(none_refused());
  if (!prepared) return tl::unexpected(prepared.error());
  work_ = std::move(*prepared);
  return {};
}

Result<TimingSample> Candidate::time(bool cold) {
  ASSAY_TRY(begin());
  auto sample = work_->time(cold);
  ASSAY_TRY(none_refused());
  return sample;
}

Result<TimingSample> Candidate::time_and_fetch(bool cold, size_t set, Tensors* written) {
  auto sample = time(cold);
  if (!sample) return sample;
  ASSAY_TRY(fetch(set, *written));
  return sample;
}

Result<void> Candidate::begin() {
  begins_();
  take_refusal();  // of a candidate that failed before this one
  for (const Set& set : sets_) {
    for (size_t t = 0; t < set.buffers.size(); ++t) {
      const Call::Buffer& buffer = set.buffers[t];
      if (!is_written(shared_.given()[t].role()) || !buffer.data) continue;
      auto copied = timer_.copy(buffer.data, initial(t), static_cast<size_t>(buffer.bytes));
      if (!copied) return copied;
    }
    if (workspace_bytes_ == 0) continue;
    if (const GpuStatus error = runtime_.poison(set.workspace, workspace_bytes_))
      return fail("the workspace is not poisoned: " + error->text);
  }
  return {};
}

const void* Candidate::initial(size_t tensor) const {
  for (size_t t = 0; t < shared_.given().size(); ++t)
    if (t != tensor && memory_of(case_, shared_.given(), t) == tensor) return shared_.input(0, t);
  return shared_.initial(tensor);
}

Result<void> Candidate::fetch(size_t set, Tensors& written) {
  const bool has_memory = !written.empty();
  for (size_t t = 0, next = 0; t < shared_.given().size(); ++t) {
    const Tensor& given = shared_.given()[t];
    if (!is_written(given.role())) continue;
    if (!has_memory) {
      written.emplace_back(given.name(), given.dtype(), given.role(), given.shape(), given.offset());
      written.back().set_regions(given.regions());
      if (given.absent()) written.back().set_absent();
    }
    Tensor& tensor = written[next++];
    const void* const memory = sets_[set].buffers[t].data;
    if (auto error = memory ? runtime_.download(tensor.data(), memory, tensor.bytes()) : std::nullopt)
      return fail("the GPU failed: " + error->text, "replay the case under memcheck");
  }
  return {};
}

std::vector<GpuSpan> Candidate::spans() const {
  std::vector<GpuSpan> spans;
  for (const Set& set : sets_)
    for (const Call::Buffer& buffer : set.buffers) spans.push_back({buffer.data, static_cast<size_t>(buffer.bytes)});
  return spans;
}

}  // namespace assay::bench
