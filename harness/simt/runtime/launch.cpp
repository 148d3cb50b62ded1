// A launch: its limits are checked, its blocks run in a seeded order, its findings come back.
#include "harness/simt/include/simt/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/include/simt/sync.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/device_heap.h"
#include "harness/simt/runtime/module_facts.h"
#include "harness/simt/runtime/shared_tail.h"
#include "harness/simt/runtime/worker.h"
#include "harness/simt/sieve/sieve.h"

namespace assay::simt {

// Declared for kernels by include/ptx/system.h.
__attribute__((visibility("default"))) uint64_t launch_number();

constinit Block block{};
constinit Fiber* running = nullptr;

namespace {

constinit Context* current_context = nullptr;
constinit Worker* worker_if_any = nullptr;

constexpr size_t kPassingStackBytes = 64 * 1024;

std::string refusal(const Launch& shape, const FunctionFacts& kernel) {
  const auto text = [](const char* what, const dim3& d, const std::string& limit) {
    return fmt::format("launch refused: {} ({},{},{}), but {}", what, d.x, d.y, d.z, limit);
  };
  const dim3 &grid = shape.grid, &dim = shape.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return text("grid", grid, "no dimension may be 0");
  if (dim.x == 0 || dim.y == 0 || dim.z == 0) return text("block", dim, "no dimension may be 0");
  if (grid.x > kGridXMax || grid.y > kGridYzMax || grid.z > kGridYzMax)
    return text("grid", grid, fmt::format("the limits are {}, {} and {}", kGridXMax, kGridYzMax, kGridYzMax));
  if (uint64_t{dim.x} * dim.y * dim.z > kThreadsMax || dim.z > kBlockZMax)
    return text("block", dim, fmt::format("a block has at most {} threads, and {} in z", kThreadsMax, kBlockZMax));
  if (kernel.threads_max != 0 && dim.x * dim.y * dim.z > kernel.threads_max)
    return text("block", dim, fmt::format("the kernel declares __launch_bounds__({})", kernel.threads_max));
  if (kernel.shared_bytes > kStaticSharedBytesMax)
    return fmt::format(
        "launch refused: {} bytes of static shared memory, but a kernel may declare {}; nvcc would not compile it. Use "
        "dynamic shared memory (extern __shared__), which cudaFuncAttributeMaxDynamicSharedMemorySize raises to {}",
        kernel.shared_bytes, kStaticSharedBytesMax, kSharedBytesMax);
  if (shape.shared_bytes > kSharedBytesMax)
    return fmt::format("launch refused: {} bytes of dynamic shared memory, but a block has {}", shape.shared_bytes,
                       kSharedBytesMax);
  if (shape.shared_bytes + kernel.shared_bytes > kSharedBytesMax)
    return fmt::format("launch refused: {} bytes of static and {} bytes of dynamic shared memory, but a block has {}",
                       kernel.shared_bytes, shape.shared_bytes, kSharedBytesMax);
  return "";
}

// "NaN first made by thread (1,0,0) of block (0,0,0) at rms.cu:31 (kernel rms_norm)"; "" if none was made.
std::string words(const NonfiniteOrigin& origin, const char* kernel_name, const void* kernel) {
  if (!origin.found) return "";
  const auto text = [](const uint3& i) { return fmt::format("({},{},{})", i.x, i.y, i.z); };
  // The innermost frame in the kernel's module that is not of our headers: what it calls, such as expf, lies elsewhere.
  const auto module = [](const void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
  };
  std::string line;
  for (size_t i = 0; i < origin.depth && line.empty(); ++i)
    if (module(origin.stack[i]) == module(kernel)) line = checked::line_outside_headers(origin.stack[i]);
  return fmt::format("{} first made by {}block {}{} (kernel {})", origin.nan ? "NaN" : "infinity",
                     origin.thread_known ? fmt::format("thread {} of ", text(origin.thread)) : "", text(origin.block),
                     line.empty() ? "" : " at " + line, kernel_name);
}

// A seeded permutation of [0, count) that needs no memory: i -> a i + b mod count, with a coprime to count.
//
// Split kernels run so fast that they wait for memory if neighbours in it do not follow each other. Of a large launch
// one block in eight runs in such an order, and then the others in ascending order from any one on.
class BlockOrder {
 public:
  BlockOrder(uint64_t count, uint64_t schedule, bool is_split) : count_(count), early_(count) {
    constexpr uint64_t kLarge = 1024;
    if (schedule == 0 || count < 2) return;
    if (is_split && count >= kLarge) early_ = count / (run_ = kRun);
    Rng rng = Rng::stream(schedule, "blocks");
    do factor_ = 1 + rng.below(early_ - 1);
    while (std::gcd(factor_, early_) != 1);
    offset_ = rng.below(early_);
    if (run_ != 1) begin_ = rng.below(count);
  }
  uint64_t operator[](uint64_t i) const {
    if (i >= early_) return (late(i - early_) + begin_) % count_;
    const auto product = static_cast<unsigned __int128>(factor_) * i + offset_;
    const auto run = static_cast<uint64_t>(product % early_);
    return (run * run_ + early_of(run) + begin_) % count_;
  }

 private:
  static constexpr uint64_t kRun = 8;
  uint64_t late(uint64_t i) const {
    const uint64_t run = i / (run_ - 1), number = i % (run_ - 1);
    return run < early_ ? run * run_ + number + (number < early_of(run) ? 0 : 1) : i + early_;
  }
  // Which block of a run is its early one.
  uint64_t early_of(uint64_t run) const { return ((run + offset_ + 1) * 0x9e3779b97f4a7c15) >> 32 & (run_ - 1); }

  uint64_t count_, early_, run_ = 1, factor_ = 1, offset_ = 0, begin_ = 0;
};

uint64_t launches_begun = 0;

}  // namespace

Worker* this_worker_if_any() { return worker_if_any; }

Worker& this_worker() {
  static Worker& worker = *new Worker;  // never destroyed: a kernel that calls exit() runs on its stacks
  worker_if_any = &worker;
  return worker;
}

uint64_t launch_number() { return launches_begun; }

bool reserve_stacks() { return this_worker().stacks.reserve(); }

Worker::Worker()
    : ring_(new Ring), next_ring_(new Ring), image_(new Ring), passing_memory_(new char[kPassingStackBytes]) {
  const auto end = reinterpret_cast<uintptr_t>(passing_memory_.get() + kPassingStackBytes);
  assay_simt_state.passing_stack = reinterpret_cast<void*>(end & ~uintptr_t{63});
  abandon = {assay_simt_state.passing_stack, stub(assay_simt_to_scheduler), {}, kSiteBarrier};
}

void Worker::run(RunningLaunch& running_launch) {
  launch = &running_launch;
  ++launches_begun;
  assay_simt_state.entry = launch->kernel.entry;
  assay_simt_state.closure = launch->kernel.closure;
  assay_simt_state.keeps_record = launch->kernel.keeps_record;
  if (launch->split != nullptr) *static_cast<const void**>(launch->kernel.closure) = launch->split->split;
  prepare();
  const uint64_t seed = launch->options.approximation;
  block.approximation = seed == 0 ? 0 : Rng::stream(seed, "approximate functions").next() | 1;
  std::optional<NonfiniteWatch> watch;
  if (launch->nonfinite != nullptr) watch.emplace(*this, *launch->nonfinite);
  if (launch->options.sample != nullptr)
    run_sampled(*launch->options.sample);
  else
    run_all();
  if (launch->split != nullptr) *static_cast<const void**>(launch->kernel.closure) = launch->kernel.address;
  waiting_.clear();
  if (!stacks.intact()) report_stack_overrun();
  block.approximation = 0;  // host code's functions are the host's
  launch = nullptr;
}

void Worker::run_all() {
  const dim3& grid = launch->shape.grid;
  const uint64_t count = uint64_t{grid.x} * grid.y * grid.z;
  const BlockOrder order(count, launch->options.schedule, launch->split != nullptr);
  const size_t resident = resident_blocks(warp_count_ * kLanes);
  blocks_to_begin_ = count;
  while ((blocks_to_begin_ > 0 || !waiting_.empty()) && launch->findings.empty()) {
    if (blocks_to_begin_ > 0 && waiting_.size() < resident)
      run_block(order[count - blocks_to_begin_--]);
    else
      continue_waiting_block();
  }
}

void Worker::run_sampled(BlockSample& sample) {
  blocks_to_begin_ = 1;  // those that do not run count as such: a block that waits for them is put aside
  while (launch->findings.empty() && waiting_.empty()) {
    const std::optional<uint64_t> number = sample.next(launch->shape);
    if (!number) return;
    run_block(*number);
  }
  if (launch->findings.empty())
    stop(Kind::skipped, "not sampled: the block waits for others, which are not among those that run", nullptr);
}

namespace {

// The launch itself; one at a time.
Findings run(const Launch& shape, const Kernel& kernel, const Options& options) {
  const char* const name = kernel.name != nullptr      ? kernel.name
                           : kernel.address == nullptr ? "(unnamed)"
                                                       : symbol_name(kernel.address);
  FunctionFacts facts = facts_of(kernel.module, kernel.address);
  if (const regions::SplitKernel* const split = split_kernel(kernel.address)) facts.threads_max = split->threads_max;
  if (const std::string why = refusal(shape, facts); !why.empty()) {
    if (options.sample != nullptr) options.sample->refused(shape);
    return {{Kind::crash, fmt::format("kernel {}: {}", name, why)}};
  }
  const uint64_t entry_bytes = facts_of(kernel.module, reinterpret_cast<const void*>(kernel.entry)).stack_bytes;
  const bool is_proven = entry_bytes != 0 && facts.stack_bytes != 0;
  RunningLaunch launch{.shape = shape, .kernel = kernel, .options = options, .kernel_name = name};
  launch.split = split_for(shape, kernel, options);
  launch.stack_bytes = is_proven && launch.split == nullptr ? entry_bytes + facts.stack_bytes : 0;
  std::optional<NonfiniteHandlers> handlers;
  NonfiniteOrigin origin;
  if (options.first_nonfinite != nullptr && options.first_nonfinite->empty()) {
    launch.nonfinite = &origin;
    handlers.emplace();
  }
  launch.is_sieved = options.sieve;
  if (options.sieve && launch.split == nullptr)
    return {{Kind::skipped, fmt::format("not proven: kernel {} is not split for this launch", name)}};
  if (options.sieve && !sieve::begin_launch(shape, kernel.module, options.checker->monitor().arena))
    return {{Kind::skipped, "not proven: memory that the checks do not follow"}};
  if (options.checker != nullptr && !options.sieve) {
    launch.checker = &options.checker->monitor();
    launch.checker->begin_launch(shape, kernel.module, name, options.schedule, options.statistics);
  }
  std::optional<SharedTail> tail;  // the checked build looks at every access
  if (options.checker == nullptr && kernel.module.dynamic != nullptr) tail.emplace(kernel.module, shape.shared_bytes);
  this_worker().run(launch);
  if (tail && launch.findings.empty()) launch.findings += tail->findings(name);
  if (launch.checker != nullptr) launch.findings += launch.checker->end_launch();
  if (launch.nonfinite != nullptr) *options.first_nonfinite = words(origin, name, kernel.address);
  return std::move(launch.findings);
}

// Host code may launch from several OS threads; a device runs launches too in the order in which they come.
std::mutex launching;

}  // namespace

Findings launch(const Launch& shape, const Kernel& kernel, const Options& options) {
  const std::lock_guard lock(launching);
  return run(shape, kernel, options);
}

void launch_in_context(const Launch& shape, const Kernel& kernel) {
  const std::lock_guard lock(launching);
  Context* const context = current_context;
  if (context == nullptr) {
    const Findings findings = run(shape, kernel, {});
    SIMT_CHECK(findings.empty(), findings.empty() ? "" : findings.front().detail);
    return;
  }
  if (!context->findings.empty()) return;
  context->findings += run(shape, kernel, context->options);
}

Context* active_context() { return current_context; }
Checker* current_checker() { return current_context == nullptr ? nullptr : current_context->options.checker; }

ContextScope::ContextScope(Context& context) : previous_(current_context) { current_context = &context; }
ContextScope::~ContextScope() {
  if (previous_ == nullptr && device_heap().region() != 0) {
    Findings& findings = current_context->findings;
    if (Checker* const checker = current_checker(); checker != nullptr && findings.empty())
      checker->monitor().end_context(findings);
    device_heap().reset();
  }
  end_device_memory(*current_context);
  current_context = previous_;
}

void stop_launch(Kind kind, const std::string& what) {
  Worker* const worker = this_worker_if_any();
  if (worker == nullptr || worker->launch == nullptr) check_failed(__FILE__, __LINE__, "a kernel is running", what);
  const int stack = worker->stacks.holding(__builtin_frame_address(0));
  const uint3* const split = worker->split_thread();
  worker->stop_on_fiber(kind, what, split != nullptr ? split : stack < 0 ? nullptr : &worker->stacks.label(stack));
}

void assertion_failed(const char* condition, const char* file, unsigned line) {
  if (const Worker* const worker = this_worker_if_any(); worker == nullptr || worker->launch == nullptr) {
    std::fprintf(stderr, "%s:%u: assertion of the host's failed: %s\n", file, line, condition);
    std::abort();
  }
  stop_launch(Kind::crash, fmt::format("assertion failed: {} ({}:{})", condition, file, line));
}

void trapped(unsigned line) {
  const std::string at = checked::line_outside_headers(__builtin_return_address(0));
  stop_launch(Kind::crash, at.empty() ? fmt::format("__trap() in line {}", line) : "__trap() at " + at);
}

}  // namespace assay::simt
