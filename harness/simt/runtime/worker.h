// The executor of the process: the ring of the block it runs, its stacks, and what it knows of the launch.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "harness/simt/include/simt/rng.h"
#include "harness/simt/runtime/async_copies.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/runtime/named_barriers.h"
#include "harness/simt/runtime/nonfinite.h"
#include "harness/simt/runtime/ring.h"
#include "harness/simt/runtime/split_kernels.h"
#include "harness/simt/runtime/stacks.h"
#include "harness/simt/runtime/waiting_blocks.h"

namespace assay::simt {

namespace checked {
class Monitor;
}

// The launch that runs now.
struct RunningLaunch {
  const Launch& shape;
  const Kernel& kernel;
  const Options& options;
  const char* kernel_name = "";
  size_t stack_bytes = 0;                // that a thread is proven to need at most; 0: not known
  NonfiniteOrigin* nonfinite = nullptr;  // to be filled in
  checked::Monitor* checker = nullptr;
  const regions::SplitKernel* split = nullptr;  // that one fiber runs for a whole block
  bool is_sieved = false;
  Findings findings = {};
};

// The state that the assembly of thread start and end reads and writes.
struct SwitchState {
  void* scheduler_sp = nullptr;
  void* scheduler_pc = nullptr;
  void* passing_stack = nullptr;  // the stack of records that are over; nothing is ever kept there
  void* closure = nullptr;
  void (*entry)(void*) = nullptr;
  Fiber* starts_over = nullptr;  // the first record if a complete barrier needs nothing but to start there
  int watch_returns = 0;         // the block has used a warp operation
  int keeps_record = 0;          // Kernel's
};
extern "C" constinit SwitchState assay_simt_state;

class Worker {
 public:
  Worker();

  void run(RunningLaunch& running_launch);  // all its blocks, or those up to a finding

  // Called on fibers.
  void note_return(Fiber* me);
  void watch_returns();  // from here on, this block's returning threads are reported to note_return()
  [[noreturn]] void stop_on_fiber(Kind kind, const std::string& what, const uint3* thread);
  bool stop_at_fault(void* signal_context, Kind kind, const std::string& what);  // fault.h
  void check_contradiction(const Warp& warp, size_t lane);
  [[noreturn]] void report_not_in_own_mask(const Warp& warp, size_t lane);
  [[noreturn]] void report_source_returned(const Warp& warp, size_t lane, uint32_t source);
  [[noreturn]] void report_part_of_warp(const Warp& warp, size_t lane, size_t missing);
  [[noreturn]] void report_waits_for_ever(const Warp& warp, size_t lane, size_t other);
  [[noreturn]] void report_two_calls(const Warp& warp, size_t lane, size_t other);
  void report_divergence(const Fiber& a, const Fiber& b);
  // The operation that all living lanes of a warp of a split kernel have come to; operands and results are in `state`.
  void split_collective(uint32_t warp, WarpOp op, regions::State& state, const void* caller);
  // Threads of a split kernel have stopped at different points; `lines` has the line of each.
  [[noreturn]] void report_split_divergence(const uint32_t* lines, uint32_t a, uint32_t b);
  // The thread of a split kernel that called a function of the executor; nullptr for one of fibers.
  const uint3* split_thread() const;

  Warp& warp_of(const Fiber& fiber) { return warps_[linear_index(fiber.thread_idx, block.block_dim) / kLanes]; }
  void ask_for_service(Warp& warp);  // when the ring comes to its end
  void withdraw_service(Warp& warp);
  const void* resume_pc(const Fiber& fiber) const;  // also of a parked thread
  uint32_t barrier_line(const Fiber& fiber) const;  // of a thread that waits at one
  const Fiber* first_living() const;                // nullptr when every thread has returned
  const Fiber* first_returned() const;              // nullptr when none has
  uint32_t living_lanes(uint32_t warp);             // that have not returned
  uint32_t living_warps();                          // with such a lane
  uint64_t block_number() const { return block_number_; }

  RunningLaunch* launch = nullptr;  // nullptr between launches
  SplitBlock split_block;
  Stacks stacks;
  Fiber abandon{};  // jumping to this record gives the block up
  bool abandoned = false;
  std::unique_ptr<AsyncCopies> async_copies;      // nullptr until a kernel makes one
  std::unique_ptr<NamedBarriers> named_barriers;  // nullptr until a kernel comes to one

 private:
  void*& parked_pc(const Fiber* fiber) { return parked_pc_[static_cast<size_t>(fiber - ring_->begin())]; }

  // order.cpp
  void prepare();
  void order_ascending();
  void order_shuffled();
  void run_all();
  void run_sampled(BlockSample& sample);
  // scheduler.cpp
  void run_block(uint64_t index);
  void run_from(Fiber* first);
  void begin_block(uint64_t index);
  Fiber* service_warp(Warp& warp);
  Fiber* service_block();
  Fiber* service_waiting();
  Fiber* release_barrier();
  void check_same_barrier(const Fiber& front);
  void set_mixed(bool mixed);
  void unpark_all();
  // park.cpp
  void park_waiting();
  // spin.cpp
  Fiber* next_spin_round();
  Fiber* start_spinners();
  void end_spinning();
  bool others_may_run() const;
  bool all_wait_in_vain() const;
  void continue_waiting_block();
  // waiting_blocks.cpp
  void put_block_aside();
  void take_block_back();
  // warp.cpp
  void warp_lane_returned(Warp& warp);
  // Lets lanes that wait at one place for those that come there too go on. False: none waits so.
  static bool warp_release_converged(Warp& warp);
  // report.cpp
  void stop(Kind kind, const std::string& what, const uint3* thread, const Fiber* suspended = nullptr);
  void report_deadlock();
  void report_spinning(const Fiber& fiber);
  bool report_named_barrier(const Fiber& fiber);  // false: it waits at none
  void report_stack_overrun();

  using LaneOrder = std::array<uint8_t, kLanes>;
  static constexpr size_t kLaneOrders = 32;

  std::unique_ptr<Ring> ring_, next_ring_,
      image_;  // the running ring, the one to be made, the state of every block's start
  std::unique_ptr<char[]> passing_memory_;
  std::array<Warp, kWarpsMax> warps_;  // by warp, not by place in the ring
  uint32_t warp_count_ = 0;
  uint32_t fiber_count_ = 0;  // the threads of the block, or 1 that runs a split kernel
  Fiber* end_ = nullptr;
  std::array<void*, kThreadsMax> parked_pc_{};  // by place in the ring; nullptr: not parked
  bool mixed_ = false;                          // some warp has parked lanes
  std::array<LaneOrder, kLaneOrders> full_orders_{}, tail_orders_{};
  uint64_t block_number_ = 0;
  Rng rng_{0};
  int spin_rounds_ = 0;
  std::chrono::steady_clock::time_point spin_since_;
  std::deque<WaitingBlock> waiting_;  // the next to run first
  uint64_t blocks_to_begin_ = 0;
  bool gives_turn_ = false;  // the running block is to be put aside
  uint64_t vain_turns_ = 0;  // of waiting blocks, since something changed
  std::chrono::steady_clock::time_point vain_since_;
};

// Ends the interval of a __syncthreads_count() or its like: its votes are the result until the next has ended.
void count_votes();

Worker& this_worker();         // created at the first launch
Worker* this_worker_if_any();  // async-signal-safe

// Resumes `first`; returns with the record whose resume address is to_scheduler when the ring comes to one.
extern "C" Fiber* assay_simt_run_ring(Fiber* first);
// Leaves the running stack for good and resumes `next`.
extern "C" [[noreturn]] void assay_simt_leave_to(Fiber* next);
// Records a finding about the running thread and abandons its block; on a thread that runs no kernel, a failed check.
[[noreturn]] void stop_launch(Kind kind, const std::string& what);

// "softmax<float>", from the symbol table of the module that holds the function; "at 0x…" when it has none. The text
// lives as long as the program.
const char* symbol_name(const void* function);

// Atomics without effect that one block may execute in a row before the running thread gives way.
inline constexpr uint32_t kSpinBudget = 1u << 14;

}  // namespace assay::simt
