// Lists of runs of elements, by block.
#include "harness/judge/ownership.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::judge {
namespace {

std::vector<ElementRange> runs_of(const std::vector<VirtualTensor::Change>& changes) {
  std::vector<ElementRange> runs;
  for (const auto& [element, bits] : changes) {
    if (runs.empty() || runs.back().end != element) runs.push_back({element, element});
    ++runs.back().end;
  }
  return runs;
}

// The first element that both have, or -1.
int64_t common_element(const std::vector<ElementRange>& a, const std::vector<ElementRange>& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t begin = std::max(a[i].begin, b[j].begin);
    if (begin < std::min(a[i].end, b[j].end)) return begin;
    ++(a[i].end < b[j].end ? i : j);
  }
  return -1;
}

}  // namespace

std::string Grid::text(uint64_t block) const {
  return fmt::format("({},{},{})", block % x, block / x % y, block / x / y);
}

void Ownership::add(const Grid& grid, uint64_t block, const std::vector<VirtualTensor::Change>& changes) {
  grid_ = grid;
  all_.push_back({block, std::ssize(changes), runs_of(changes)});
}

const Ownership::Writes* Ownership::of(uint64_t block) const {
  const auto found = std::ranges::find(all_, block, &Writes::block);
  return found == all_.end() || found->runs.empty() ? nullptr : &*found;
}

// The block whose first element is the last one up to `element`, if blocks write at equal distances along each axis of
// the grid, as the first ones do.
std::optional<uint64_t> Ownership::owner(int64_t element) const {
  struct Axis {
    int64_t stride = 0;
    uint64_t extent = 1, factor = 1;
  };
  const Writes* const origin = of(0);
  if (!origin) return std::nullopt;
  std::array<Axis, 3> axes{{{0, grid_.x, 1}, {0, grid_.y, grid_.x}, {0, grid_.z, grid_.x * grid_.y}}};
  for (Axis& axis : axes)
    if (const Writes* const next = axis.extent > 1 ? of(axis.factor) : nullptr)
      axis.stride = next->runs.front().begin - origin->runs.front().begin;
  std::ranges::sort(axes, std::greater(), &Axis::stride);
  int64_t rest = element - origin->runs.front().begin;
  uint64_t block = 0;
  for (const Axis& axis : axes) {
    if (axis.stride <= 0 || rest < 0) continue;
    const int64_t steps = std::min(rest / axis.stride, static_cast<int64_t>(axis.extent) - 1);
    rest -= steps * axis.stride;
    block += static_cast<uint64_t>(steps) * axis.factor;
  }
  return block;
}

std::vector<uint64_t> Ownership::suspected() const {
  std::vector<uint64_t> blocks;
  for (const Writes& writes : all_) {
    if (writes.runs.empty()) continue;
    const auto block = owner(writes.runs.front().begin);
    if (block && *block != writes.block && !of(*block)) blocks.push_back(*block);
  }
  return blocks;
}

// Along each axis. The last block of a kernel may begin a little earlier, so as to be as long as the others.
bool Ownership::neighbours(uint64_t a, uint64_t b) const {
  const auto near = [](uint64_t i, uint64_t j) { return std::max(i, j) - std::min(i, j) <= 2; };
  return near(a % grid_.x, b % grid_.x) && near(a / grid_.x % grid_.y, b / grid_.x % grid_.y) &&
         near(a / grid_.x / grid_.y, b / grid_.x / grid_.y);
}

bool Ownership::is_shared() const {
  for (size_t i = 0; i < all_.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (neighbours(all_[i].block, all_[j].block) && common_element(all_[i].runs, all_[j].runs) >= 0) return true;
  return false;
}

std::optional<Finding> Ownership::shared() const {
  for (size_t i = 0; i < all_.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const int64_t element = common_element(all_[i].runs, all_[j].runs);
      if (element < 0) continue;
      return Finding{
          Kind::out_of_bounds,
          fmt::format("{}{}, element {}, is written by block {} and by block {}, which are far from each other; is "
                      "an index computed in 32 bits?",
                      tensor_.base().name(), index_text(tensor_.shape(), element), element, grid_.text(all_[j].block),
                      grid_.text(all_[i].block)),
          tensor_.base().name()};
    }
  return std::nullopt;
}

std::optional<Finding> Ownership::missing() const {
  if (all_.empty() || !tensor_.base().regions().empty() || tensor_.base().role() != Role::output) return std::nullopt;
  const auto most = std::ranges::max_element(all_, {}, &Writes::count);
  const auto least = std::ranges::min_element(all_, {}, &Writes::count);
  const auto room = static_cast<__int128>(grid_.count()) * most->count;
  __int128 left_out = 0;
  for (const Writes& writes : all_) left_out += most->count - writes.count;
  const std::string name = tensor_.base().name();
  if (room < tensor_.count())
    return Finding{Kind::unwritten,
                   fmt::format("{} has {} elements, and none of the blocks that ran writes more than {} of them: {} "
                               "blocks leave some unwritten",
                               name, tensor_.count(), most->count, grid_.count()),
                   name};
  if (room - left_out >= tensor_.count()) return std::nullopt;
  return Finding{
      Kind::unwritten,
      fmt::format("{} has {} elements; block {} writes {} of them and none that ran more than {}, so that {} "
                  "blocks leave some unwritten",
                  name, tensor_.count(), grid_.text(least->block), least->count, most->count, grid_.count()),
      name};
}

Findings Ownership::findings() const {
  if (is_shared()) return {};
  if (auto finding = shared()) return {*finding};
  if (auto finding = missing()) return {*finding};
  return {};
}

}  // namespace assay::judge
