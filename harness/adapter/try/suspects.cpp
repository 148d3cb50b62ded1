// Intersects the choices of candidates that fail alike.
#include "harness/adapter/try/suspects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

constexpr int kSuspicion = 4;     // in units of cost, for each finding that a candidate would end in again
constexpr int kWorn = 2;          // for each choice that all that failed have made
constexpr size_t kAlikeMin = 3;   // fewer candidates share much by chance
constexpr size_t kAlikeMore = 4;  // so many more make it one dearer

}  // namespace

std::string gist(const std::string& finding) {
  const size_t name = finding.find(".cu"), line = name == std::string::npos ? name : finding.find(':', name);
  if (line == std::string::npos) {
    std::string words;
    for (const char c : finding)
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) words += c;
    return words.substr(0, words.find('['));
  }
  return finding.substr(0, finding.find(':')) +
         finding.substr(line, finding.find_first_not_of("0123456789", line + 1) - line);
}

// Lists are one choice each: a candidate that asks for more than another has made another choice.
Suspects::Choices Suspects::choices_of(const Inferred& candidate) {
  const Adapter& adapter = candidate.adapter;
  Choices all;
  for (const AdapterLaunch& launch : adapter.launches) {
    for (size_t i = 0; i < launch.args.size(); ++i)
      all.insert(fmt::format("{} arg {} is {}", kernel_of(launch.entry), i, launch.args[i]));
    all.insert("entry is " + launch.entry);
    all.insert(fmt::format("grid is {}", fmt::join(launch.grid, " by ")));
    all.insert(fmt::format("block is {}", fmt::join(launch.block, " by ")));
    all.insert("shared is " + launch.shared);
  }
  std::string fixed;
  for (const Fixed& each : adapter.fixed) fixed += each.name + " = " + each.value + ", ";
  all.insert("fixed is " + fixed);
  all.insert(fmt::format("requires is {}", fmt::join(adapter.requirements, ", ")));
  all.insert(fmt::format("zero is {}", fmt::join(adapter.zero, ", ")));
  all.insert(fmt::format("in place is {}", fmt::join(adapter.in_place, ", ")));
  all.insert(fmt::format("blocks are {}", fmt::join(adapter.blocks, ", ")));
  return all;
}

Suspects::Suspects(const std::vector<Inferred>& candidates) {
  for (const Inferred& each : candidates) {
    costs_.push_back(each.cost);
    requires_.push_back(fmt::format("{}", fmt::join(each.adapter.requirements, ", ")));
    choices_.push_back(choices_of(each));
    left_.push_back(left_.size());
  }
}

int Suspects::suspicion(size_t candidate) const {
  int found = 0;
  for (const auto& [finding, shared] : shared_)
    if (shared.count >= kAlikeMin && std::ranges::includes(choices_[candidate], shared.choices))
      found += kSuspicion + static_cast<int>(shared.count / kAlikeMore);
  const auto wear = wear_.find(requires_[candidate]);
  if (wear == wear_.end()) return found;
  size_t fails = 0;
  for (const std::string& choice : choices_[candidate])
    if (const auto known = wear->second.fails.find(choice); known != wear->second.fails.end()) fails += known->second;
  return found + kWorn * static_cast<int>(fails) / static_cast<int>(wear->second.failed);
}

std::vector<size_t> Suspects::next(size_t count_max) {
  if (!shared_.empty()) {
    std::map<size_t, int> costs;
    for (const size_t each : left_) costs[each] = costs_[each] + suspicion(each);
    std::ranges::stable_sort(left_, {},
                             [&](size_t each) { return std::pair(!preferred_.contains(each), costs.at(each)); });
  }
  const size_t count = std::min(count_max, left_.size());
  const auto end = left_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<size_t> given(left_.begin(), end);
  left_.erase(left_.begin(), end);
  return given;
}

void Suspects::failed(size_t candidate, const std::string& finding) {
  Wear& wear = wear_[requires_[candidate]];
  ++wear.failed;
  for (const std::string& choice : choices_[candidate]) ++wear.fails[choice];
  Shared& shared = shared_[gist(finding)];
  if (++shared.count == 1) {
    shared.choices = choices_[candidate];
    return;
  }
  std::erase_if(shared.choices, [&](const std::string& each) { return !choices_[candidate].contains(each); });
}

}  // namespace assay
