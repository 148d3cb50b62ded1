// Counts the instructions that warps issue (path_counts.h), in launches for which somebody asks and of kernels that
// tell of their basic blocks (include/ptx/passes.h).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "harness/simt/checked/access_statistics.h"
#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/path_counts.h"

namespace assay::simt::checked {
namespace {

constexpr uint32_t kLanes = 32;

class InstructionCounter : public Listener {
 public:
  using Listener::Listener;

  bool wants(const LaunchInfo& info) override { return info.statistics != nullptr; }

  void launch_begins(const LaunchInfo& info) override {
    const dim3& block = info.shape.block;
    threads_ = block.x * block.y * block.z;
    blocks_ = 0;
    kernel_ = info.kernel;
    result_ = info.statistics;
    paths_.emplace(threads_);
  }
  void block_begins(uint64_t) override {
    ++blocks_;
    paths_->begin_block();
  }
  void barrier(const void*) override { paths_->block_together(); }
  // Lanes that have returned, or that the operation does not name, may still be where others have been: whether they
  // were there before depends on the schedule.
  void lanes_met(uint32_t warp, uint32_t lanes, bool) override {
    const uint32_t present = std::min(kLanes, threads_ - warp * kLanes);
    if (static_cast<uint32_t>(std::popcount(lanes)) == present) paths_->warp_together(warp);
  }
  void function_entered(uint32_t thread, const char* program) override { paths_->enter(thread, program); }
  void block_passed(uint32_t thread, uint32_t block) override { paths_->pass(thread, block); }
  void function_left(uint32_t thread) override { paths_->leave(thread); }

  void launch_ends() override {
    const auto lines = paths_->by_line();
    if (!paths_->complete() && result_->incomplete.empty())
      result_->incomplete = fmt::format(
          "kernel {}: its warps take more ways between two barriers than there is memory to keep; take a smaller case",
          kernel_);
    paths_.reset();
    if (lines.empty()) return;
    KernelCounts& kernel = counts_of(*result_, kernel_);
    kernel.warps += blocks_ * ((threads_ + kLanes - 1) / kLanes);
    for (const auto& [place, counts] : lines) {
      kernel.instructions += counts;
      line_of(kernel, place).instructions += counts;
    }
    sort_lines(kernel);
  }

 private:
  std::optional<PathCounts> paths_;
  AccessStatistics* result_ = nullptr;
  const char* kernel_ = "";
  uint32_t threads_ = 0;
  int64_t blocks_ = 0;
};

const Registered<InstructionCounter> registered("instruction_counts", Kind::none);

}  // namespace
}  // namespace assay::simt::checked
