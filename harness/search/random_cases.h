// The random cases of one variant, dtype and device, made one by one as they are asked for.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "harness/search/generate.h"
#include "harness/search/task.h"

namespace assay {

class RandomCases {
 public:
  // `kind`: a task of theirs, whose case names variant and dtype. `seen`: case lines that are there already; what is
  // made is added.
  RandomCases(const Variant& variant, Task kind, uint64_t seed, int64_t wanted, const GenerateLimits& limits,
              std::shared_ptr<std::set<std::string>> seen);

  // The next one that is new, the first few with something to write; nothing when there are as many as were wanted, or
  // hardly any new ones to be found.
  std::optional<Task> next();

  int64_t size() const { return ended_ ? made_ : wanted_; }  // at most, until they have ended
  bool ended() const { return ended_; }
  double part_made() const { return static_cast<double>(made_) / static_cast<double>(wanted_); }
  const std::string& device() const { return kind_.device; }

 private:
  std::optional<Task> generated();  // or put off before; nothing where looking further is in vain

  const Variant* variant_;
  Task kind_;
  uint64_t seed_;
  int64_t wanted_;
  GenerateLimits limits_;
  std::shared_ptr<std::set<std::string>> seen_;
  int64_t index_ = 0, made_ = 0;
  std::deque<Task> empty_;  // cases that write nothing, put off
  bool ended_ = false;
};

}  // namespace assay
