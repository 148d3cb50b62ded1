// Counts what a kernel does to memory (statistics.h), in launches for which somebody asks.
#include <optional>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/statistics.h"

namespace assay::simt::checked {
namespace {

class AccessCounter : public Listener {
 public:
  using Listener::Listener;

  bool wants(const LaunchInfo& info) override { return info.statistics != nullptr; }

  void launch_begins(const LaunchInfo& info) override {
    const dim3& block = info.shape.block;
    statistics_.emplace(*info.statistics, info.kernel,
                        Statistics::Block{block.x * block.y * block.z, info.shape.shared_bytes});
  }
  void block_begins(uint64_t number) override { statistics_->begin_block(number); }
  void barrier(const void* resume) override { statistics_->barrier(resume); }
  void lanes_met(uint32_t warp, uint32_t lanes, bool all) override { statistics_->lanes_met(warp, lanes, all); }
  void every_access(const Now& now) override {
    statistics_->access(now.me, now.address, now.bytes, now.access, now.space == Space::shared, now.pc);
  }
  void launch_ends() override {
    statistics_->end_launch();
    statistics_.reset();
  }

 private:
  std::optional<Statistics> statistics_;
};

const Registered<AccessCounter> registered("access_counts", Kind::none);

}  // namespace
}  // namespace assay::simt::checked
