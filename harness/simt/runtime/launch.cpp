// A launch: its limits are checked, its blocks are dealt to OS threads in a seeded order, its findings come back.
#include "harness/simt/include/simt/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "harness/simt/checked/detector.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/include/simt/sync.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/thread_pool.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {

thread_local constinit Block block{};
thread_local constinit Fiber* running = nullptr;

// Where every `extern __shared__` name of every kernel module points (redirect_shared.cmake). As on a GPU, what a block
// finds there is what the last one left.
extern "C" {
alignas(1024)
    __attribute__((visibility("default"))) thread_local constinit char assay_simt_dynamic_shared[kSharedBytesMax]{};
}

namespace {

thread_local constinit Context* current_context = nullptr;
thread_local constinit Worker* worker_if_any = nullptr;

constexpr size_t kPassingStackBytes = 64 * 1024;

std::string refusal(const LaunchShape& shape, uint32_t threads_declared) {
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
  if (threads_declared != 0 && dim.x * dim.y * dim.z > threads_declared)
    return text("block", dim, fmt::format("the kernel declares __launch_bounds__({})", threads_declared));
  if (shape.shared_bytes > kSharedBytesMax)
    return fmt::format("launch refused: {} bytes of dynamic shared memory, but a block has {}", shape.shared_bytes,
                       kSharedBytesMax);
  return "";
}

// "NaN first made by thread (1,0,0) of block (0,0,0) at rms.cu:31 (kernel rms_norm)"; "" if none was made.
std::string words(const NonfiniteOrigin& origin, const char* kernel_name, const void* kernel) {
  if (!origin.found) return "";
  const auto text = [](const uint3& i) { return fmt::format("({},{},{})", i.x, i.y, i.z); };
  // The innermost frame in the kernel's module: what it calls, such as expf, lies elsewhere.
  const auto module = [](const void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
  };
  std::string line;
  for (size_t i = 0; i < origin.depth && line.empty(); ++i)
    if (module(origin.stack[i]) == module(kernel)) line = checked::source_line(origin.stack[i]);
  return fmt::format("{} first made by {}block {}{} (kernel {})", origin.nan ? "NaN" : "infinity",
                     origin.thread_known ? fmt::format("thread {} of ", text(origin.thread)) : "", text(origin.block),
                     line.empty() ? "" : " at " + line, kernel_name);
}

// A seeded permutation of [0, count) that needs no memory: i -> a i + b mod count, with a coprime to count.
class BlockOrder {
 public:
  BlockOrder(uint64_t count, uint64_t schedule) : count_(count) {
    if (schedule == 0 || count < 2) return;
    Rng rng = Rng::stream(schedule, "blocks");
    do factor_ = 1 + rng.below(count - 1);
    while (std::gcd(factor_, count) != 1);
    offset_ = rng.below(count);
  }
  uint64_t operator[](uint64_t i) const {
    const auto product = static_cast<unsigned __int128>(factor_) * i + offset_;
    return static_cast<uint64_t>(product % count_);
  }

 private:
  uint64_t count_, factor_ = 1, offset_ = 0;
};

}  // namespace

Worker* this_worker_if_any() { return worker_if_any; }

Worker& this_worker() {
  thread_local Worker worker;
  worker_if_any = &worker;
  return worker;
}

Worker::Worker()
    : ring_(new Ring), next_ring_(new Ring), image_(new Ring), passing_memory_(new char[kPassingStackBytes]) {
  const auto end = reinterpret_cast<uintptr_t>(passing_memory_.get() + kPassingStackBytes);
  assay_simt_state.passing_stack = reinterpret_cast<void*>(end & ~uintptr_t{63});
  abandon = {assay_simt_state.passing_stack, stub(assay_simt_to_scheduler), {}, kSiteBarrier};
}

Worker::~Worker() { worker_if_any = nullptr; }

void Worker::run(Launch& shared) {
  launch = &shared;
  assay_simt_state.entry = shared.entry;
  assay_simt_state.closure = shared.closure;
  assay_simt_state.keeps_record = shared.keeps_record;
  prepare();
  const dim3& grid = shared.shape.grid;
  const uint64_t count = uint64_t{grid.x} * grid.y * grid.z;
  const BlockOrder order(count, shared.options.schedule);
  block.sole_worker = shared.options.threads <= 1;
  std::optional<NonfiniteWatch> watch;
  if (shared.nonfinite != nullptr) watch.emplace(*this, *shared.nonfinite);
  ++shared.active;
  for (uint64_t next; !shared.stopped && (next = shared.next_block++) < count;) run_block(order[next]);
  --shared.active;
  if (!stacks.intact()) report_stack_overrun();
  launch = nullptr;
}

Findings launch(const LaunchShape& shape, void (*thread_entry)(void*), void* closure, const Options& options,
                const KernelInfo& kernel) {
  const char* const name = kernel.address == nullptr ? "(unnamed)" : symbol_name(kernel.address);
  if (const std::string why = refusal(shape, kernel.threads_declared); !why.empty())
    return {{Kind::crash, fmt::format("kernel {}: {}", name, why)}};
  Launch shared;
  shared.shape = shape;
  shared.options = options;
  shared.entry = thread_entry;
  shared.closure = closure;
  shared.kernel_name = name;
  shared.stack_bytes = kernel.stack_bytes;
  shared.keeps_record = kernel.keeps_record;
  const uint64_t blocks = uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  if (blocks < shared.options.threads) shared.options.threads = static_cast<unsigned>(blocks);
  std::optional<NonfiniteHandlers> handlers;
  NonfiniteOrigin origin;
  if (options.first_nonfinite != nullptr && options.first_nonfinite->empty()) {
    shared.options.threads = 1;
    shared.nonfinite = &origin;
    handlers.emplace();
  }
  if (options.checker != nullptr) {
    shared.options.threads = 1;
    shared.checker = &options.checker->detector();
    shared.checker->begin_launch(shape, name, options.schedule, options.statistics);
  }
  on_threads(shared.options.threads, [&] { this_worker().run(shared); });
  if (shared.checker != nullptr) shared.findings += shared.checker->end_launch();
  if (shared.nonfinite != nullptr) *options.first_nonfinite = words(origin, name, kernel.address);
  return std::move(shared.findings);
}

void launch_in_context(const LaunchShape& shape, void (*thread_entry)(void*), void* closure, const KernelInfo& kernel) {
  Context* const context = current_context;
  if (context == nullptr) {
    const Findings findings = launch(shape, thread_entry, closure, {}, kernel);
    SIMT_CHECK(findings.empty(), findings.empty() ? "" : findings.front().detail);
    return;
  }
  if (!context->findings.empty()) return;
  context->findings += launch(shape, thread_entry, closure, context->options, kernel);
}

Checker* current_checker() { return current_context == nullptr ? nullptr : current_context->options.checker; }

ContextScope::ContextScope(Context& context) : previous_(current_context) { current_context = &context; }
ContextScope::~ContextScope() { current_context = previous_; }

void stop_launch(Kind kind, const std::string& what) {
  Worker* const worker = this_worker_if_any();
  if (worker == nullptr || worker->launch == nullptr) check_failed(__FILE__, __LINE__, "a kernel is running", what);
  const int stack = worker->stacks.holding(__builtin_frame_address(0));
  worker->stop_on_fiber(kind, what, stack < 0 ? nullptr : &worker->stacks.label(stack));
}

void assertion_failed(const char* condition, const char* file, unsigned line) {
  stop_launch(Kind::crash, fmt::format("assertion failed: {} ({}:{})", condition, file, line));
}

void trapped(unsigned line) { stop_launch(Kind::crash, fmt::format("__trap() in line {}", line)); }

}  // namespace assay::simt
