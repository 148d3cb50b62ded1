// Hashing what launches read, where that takes less time than the launch.
#include "harness/program/repeated_launches.h"

#include <bit>
#include <cstring>

namespace assay::program {
namespace {

constexpr double kWorth_s = 0.02;  // launches that take less are run
constexpr double kHashShare = 4;   // a launch takes so many times as long as the hash, or it is run

uint64_t mixed(uint64_t hash, uint64_t word) { return std::rotl((hash ^ word) * 0x9fb21c651e98df25u, 29); }

}  // namespace

uint64_t hash_of(const void* begin, size_t bytes, uint64_t from) {
  constexpr size_t kLanes = 4;  // independent of each other, so that the processor overlaps them
  uint64_t lanes[kLanes] = {from, from + 1, from + 2, from + 3};
  const auto* const data = static_cast<const char*>(begin);
  size_t at = 0;
  for (; at + kLanes * sizeof(uint64_t) <= bytes; at += kLanes * sizeof(uint64_t))
    for (size_t lane = 0; lane < kLanes; ++lane) {
      uint64_t word = 0;
      std::memcpy(&word, data + at + lane * sizeof word, sizeof word);
      lanes[lane] = mixed(lanes[lane], word);
    }
  for (; at < bytes; ++at) lanes[0] = mixed(lanes[0], static_cast<unsigned char>(data[at]));
  uint64_t hash = mixed(from, bytes);
  for (const uint64_t lane : lanes) hash = mixed(hash, lane);
  return hash;
}

double RepeatedLaunches::seconds_of(const std::function<void()>& body) const {
  const double begin = clock_();
  body();
  return clock_() - begin;
}

bool RepeatedLaunches::is_settled(const std::string& key) const {
  const auto found = known_.find(key);
  return found != known_.end() && found->second.settled.has_value();
}

bool RepeatedLaunches::run(const std::string& key, const std::function<uint64_t()>& state,
                           const std::function<void()>& launch) {
  Known& known = known_[key];
  if (known.seconds < kWorth_s) {
    known.seconds = seconds_of(launch);
    return true;
  }
  uint64_t before = 0;
  const double hashing = seconds_of([&] { before = state(); });
  if (known.settled == before) {
    ++left_out_;
    return false;
  }
  known.seconds = seconds_of(launch);
  if (hashing * kHashShare > known.seconds) known.seconds = 0;  // not worth it
  if (state() == before) known.settled = before;
  return true;
}

}  // namespace assay::program
