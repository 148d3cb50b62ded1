// cuda::pipeline of libcu++: a thread's own groups of asynchronous copies, or stages that threads of a block fill and
// empty, with two mbarriers each.
#pragma once

#include "harness/simt/include/simt/cuda_barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope scope, uint8_t stages_count>
class pipeline_shared_state {
 public:
  pipeline_shared_state() = default;
  alignas(8) uint64_t full[stages_count], empty[stages_count];
  unsigned producers;
  static constexpr unsigned kStages = stages_count;
};

template <thread_scope scope>
class pipeline;

template <>
class pipeline<thread_scope_thread> {
 public:
  ASSAY_SIMT_INLINE void producer_acquire() {}
  ASSAY_SIMT_INLINE void producer_commit() {
    ::assay::simt::cp_async_commit_group();
    ++committed_;
  }
  // Waits for the oldest stage that it has not waited for.
  ASSAY_SIMT_INLINE void consumer_wait() {
    ++awaited_;
    ::assay::simt::async_wait(::assay::simt::current(), committed_ < awaited_ ? 0 : committed_ - awaited_);
  }
  ASSAY_SIMT_INLINE void consumer_release() {}
  ASSAY_SIMT_INLINE bool quit() { return true; }

 private:
  size_t committed_ = 0, awaited_ = 0;
};
ASSAY_SIMT_INLINE pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <>
class pipeline<thread_scope_block> {
 public:
  ASSAY_SIMT_INLINE pipeline(uint64_t* full, uint64_t* empty, unsigned stages)
      : full_(full), empty_(empty), stages_(stages) {}

  // A stage begins empty: the phase before the first counts as complete.
  ASSAY_SIMT_INLINE void producer_acquire() { wait(empty_ + head_, is_second_round_of_head_ ? 0 : 1); }
  ASSAY_SIMT_INLINE void producer_commit() {
    const auto at = reinterpret_cast<uint64_t>(full_ + head_);
    ::assay::ptx::cp_async_mbarrier_arrive(at, false);
    ::assay::ptx::mbarrier_update(at, 1, 0, 0);
    advance(head_, is_second_round_of_head_);
  }
  ASSAY_SIMT_INLINE void consumer_wait() { wait(full_ + tail_, is_second_round_of_tail_ ? 1 : 0); }
  ASSAY_SIMT_INLINE void consumer_release() {
    ::assay::ptx::mbarrier_update(reinterpret_cast<uint64_t>(empty_ + tail_), 1, 0, 0);
    advance(tail_, is_second_round_of_tail_);
  }

 private:
  ASSAY_SIMT_INLINE static void wait(const uint64_t* at, uint32_t parity) {
    while (!::assay::ptx::mbarrier_try_wait(reinterpret_cast<uint64_t>(at), parity)) {
    }
    __threadfence_block();
  }
  ASSAY_SIMT_INLINE void advance(unsigned& stage, bool& is_second_round) const {
    if (++stage < stages_) return;
    stage = 0;
    is_second_round = !is_second_round;
  }

  uint64_t *full_, *empty_;
  unsigned stages_, head_ = 0, tail_ = 0;
  bool is_second_round_of_head_ = false, is_second_round_of_tail_ = false;
};

}  // namespace cuda

namespace assay::simt {

// All threads of the group come here.
template <class Group, ::cuda::thread_scope scope, uint8_t stages>
ASSAY_SIMT_INLINE ::cuda::pipeline<::cuda::thread_scope_block> begun_pipeline(
    const Group& group, ::cuda::pipeline_shared_state<scope, stages>* state, unsigned producers, unsigned consumers) {
  if (group.thread_rank() == 0)
    for (unsigned i = 0; i < stages; ++i) {
      ptx::mbarrier_init(reinterpret_cast<uint64_t>(state->full + i), producers);
      ptx::mbarrier_init(reinterpret_cast<uint64_t>(state->empty + i), consumers);
    }
  group.sync();
  return {state->full, state->empty, stages};
}

}  // namespace assay::simt

namespace cuda {

// Every thread produces and consumes.
template <class Group, thread_scope scope, uint8_t stages>
ASSAY_SIMT_INLINE pipeline<thread_scope_block> make_pipeline(const Group& group,
                                                             pipeline_shared_state<scope, stages>* state) {
  const auto all = static_cast<unsigned>(group.size());
  return ::assay::simt::begun_pipeline(group, state, all, all);
}
// The first threads of the group produce.
template <class Group, thread_scope scope, uint8_t stages>
ASSAY_SIMT_INLINE pipeline<thread_scope_block> make_pipeline(const Group& group,
                                                             pipeline_shared_state<scope, stages>* state,
                                                             size_t producers) {
  const auto count = static_cast<unsigned>(producers);
  return ::assay::simt::begun_pipeline(group, state, count, static_cast<unsigned>(group.size()) - count);
}
// Every thread says which it does.
template <class Group, thread_scope scope, uint8_t stages>
ASSAY_SIMT_INLINE pipeline<thread_scope_block> make_pipeline(const Group& group,
                                                             pipeline_shared_state<scope, stages>* state,
                                                             pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = 0;
  group.sync();
  if (role == pipeline_role::producer) atomicAdd(&state->producers, 1u);
  group.sync();
  const unsigned producers = state->producers;
  return ::assay::simt::begun_pipeline(group, state, producers, static_cast<unsigned>(group.size()) - producers);
}

template <uint8_t left>
ASSAY_SIMT_INLINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  ::assay::simt::async_wait(::assay::simt::current(), left);
}

// They are part of the stage that the thread commits next.
template <class Size, thread_scope scope>
ASSAY_SIMT_INLINE void memcpy_async(void* to, const void* from, Size bytes, pipeline<scope>&) {
  ::assay::simt::begin_copy_of_group(to, from, static_cast<size_t>(bytes), 0, 1);
}
template <class Group, class Size, thread_scope scope>
ASSAY_SIMT_INLINE void memcpy_async(const Group& group, void* to, const void* from, Size bytes, pipeline<scope>&) {
  ::assay::simt::begin_copy_of_group(to, from, static_cast<size_t>(bytes), static_cast<unsigned>(group.thread_rank()),
                                     static_cast<unsigned>(group.size()));
}

}  // namespace cuda
