// Sorting and counting the addresses of a request. Most requests come in ascending order and need no sorting.
#include "harness/simt/checked/request_figures.h"

#include <algorithm>
#include <array>
#include <bit>

namespace assay::simt::checked {
namespace {

constexpr uintptr_t kSector = 32, kWord = 4, kBanks = 32;
constexpr uint32_t kLanesOfWarp = 32;

// How many lanes the banks can serve at once, by the size of an access.
uint32_t lanes_served(uint32_t bytes) { return bytes > 8 ? 8 : bytes > 4 ? 16 : kLanesOfWarp; }

template <class T, class Less>
void sort_if_needed(std::vector<T>& items, Less less) {
  if (!std::is_sorted(items.begin(), items.end(), less)) std::sort(items.begin(), items.end(), less);
}

}  // namespace

RequestFigures::Sectors RequestFigures::sectors(Request request) {
  pieces_.clear();
  for (const LaneAccess& access : request) {
    const uintptr_t end = access.address + access.bytes;
    for (uintptr_t sector = access.address / kSector; sector * kSector < end; ++sector) {
      const uintptr_t first = std::max(access.address, sector * kSector) % kSector;
      const uintptr_t count = std::min(end, (sector + 1) * kSector) - (sector * kSector + first);
      pieces_.push_back({sector, static_cast<uint32_t>(((uint64_t{1} << count) - 1) << first)});
    }
  }
  sort_if_needed(pieces_, [](const Piece& a, const Piece& b) { return a.sector < b.sector; });
  int64_t touched = 0, bytes = 0;
  for (size_t i = 0; i < pieces_.size(); ++touched) {
    uint32_t mask = 0;
    for (const uintptr_t sector = pieces_[i].sector; i < pieces_.size() && pieces_[i].sector == sector; ++i)
      mask |= pieces_[i].bytes;
    bytes += std::popcount(mask);
  }
  return {touched, (bytes + static_cast<int64_t>(kSector) - 1) / static_cast<int64_t>(kSector)};
}

int64_t RequestFigures::bank_conflict_degree(Request request) {
  int64_t worst = 0;
  for (size_t i = 0; i < request.size();) {
    const uint32_t together = lanes_served(request[i].bytes), part = request[i].lane / together;
    words_.clear();
    for (; i < request.size() && request[i].lane / together == part; ++i) {
      const uintptr_t end = request[i].address + request[i].bytes;
      for (uintptr_t word = request[i].address / kWord; word * kWord < end; ++word) words_.push_back(word);
    }
    worst = std::max(worst, degree_of_words());
  }
  return worst;
}

int64_t RequestFigures::degree_of_words() {
  sort_if_needed(words_, std::less<>());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  std::array<int64_t, kBanks> in_bank{};
  for (const uintptr_t word : words_) ++in_bank[word % kBanks];
  return *std::max_element(in_bank.begin(), in_bank.end());
}

int64_t RequestFigures::contention(Request request) {
  words_.clear();
  for (const LaneAccess& access : request) words_.push_back(access.address);
  sort_if_needed(words_, std::less<>());
  int64_t most = 0;
  for (auto at = words_.begin(); at != words_.end();) {
    const auto next = std::upper_bound(at, words_.end(), *at);
    most = std::max<int64_t>(most, next - at);
    at = next;
  }
  return most;
}

}  // namespace assay::simt::checked
