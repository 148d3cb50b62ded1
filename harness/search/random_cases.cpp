// Draws random cases, each only once.
#include "harness/search/random_cases.h"

#include <algorithm>

#include "harness/op/registry.h"

namespace assay {
namespace {

// A kernel passes every case in which it has nothing to do, so a short run must not consist of these.
constexpr int64_t kFull = 4;

bool writes_nothing(const Contract& contract, const Case& c) {
  return std::ranges::any_of(contract.tensors, [&](const TensorSpec& spec) {
    if (spec.absent && spec.absent(c)) return false;  // the others are written all the same
    const std::vector<int64_t> shape = shape_of(spec, c);
    return spec.role != Role::input && std::ranges::find(shape, 0) != shape.end();
  });
}

}  // namespace

RandomCases::RandomCases(const Variant& variant, Task kind, uint64_t seed, int64_t wanted, const GenerateLimits& limits,
                         std::shared_ptr<std::set<std::string>> seen)
    : variant_(&variant),
      kind_(std::move(kind)),
      seed_(seed),
      wanted_(wanted),
      limits_(limits),
      seen_(std::move(seen)),
      ended_(wanted == 0) {}

std::optional<Task> RandomCases::next() {
  while (made_ < wanted_) {
    auto task = generated();
    if (!task) break;
    if (!seen_->insert(print(task->c)).second) continue;
    ended_ = ++made_ == wanted_;
    return task;
  }
  ended_ = true;
  return std::nullopt;
}

std::optional<Task> RandomCases::generated() {
  const Contract& contract = *find_op(variant_->op);
  const auto put_off = [&] {
    Task task = std::move(empty_.front());
    empty_.pop_front();
    return task;
  };
  if (made_ >= kFull && !empty_.empty()) return put_off();
  // Small domains repeat themselves; look a few times further for cases that are new.
  while (index_ < 4 * wanted_ + 16) {
    Task task = kind_;
    task.c = generate_case(contract, *variant_, kind_.c.dtype, seed_, index_++, limits_);
    if (made_ >= kFull || !writes_nothing(contract, task.c)) return task;
    empty_.push_back(std::move(task));
  }
  if (empty_.empty()) return std::nullopt;
  return put_off();
}

}  // namespace assay
