// The shrink loop: take the first simpler case that fails in the same way, and start over from it.
//
// RapidCheck's own loop has no time limit, and a case that hangs or crashes costs far more than one that passes; here
// the budget bounds the whole, and whatever was reached by then is the answer.
#include "harness/search/shrink.h"

#include <set>

#include "harness/op/huge.h"

namespace assay {
namespace {

using Candidates = std::function<std::vector<Case>(const Case&)>;

class Shrinker {
 public:
  Shrinker(const IsSame& same, const RunCase& run, const ShrinkBudget& budget)
      : same_(same), run_(run), budget_(budget) {}

  void descend(Case& current, const Candidates& candidates) {
    for (bool simpler = true; simpler;) {
      simpler = false;
      for (const Case& candidate : candidates(current)) {
        if (spent()) return;
        if (!tried_.insert(print(candidate)).second) continue;
        ResultRow row = run_(candidate);
        if (!same_(row)) continue;
        current = candidate;
        best = std::move(row);
        simpler = true;
        break;
      }
    }
  }

  std::optional<ResultRow> best;

 private:
  bool spent() const {
    return std::chrono::steady_clock::now() >= budget_.deadline || (budget_.stopped && budget_.stopped());
  }

  const IsSame& same_;
  const RunCase& run_;
  const ShrinkBudget& budget_;
  std::set<std::string> tried_;
};

}  // namespace

std::optional<ResultRow> shrink(const Contract& contract, const Variant& variant, const Case& original,
                                const IsSame& same, const RunCase& run, const ShrinkBudget& budget) {
  Shrinker shrinker(same, run, budget);
  Case current = original;
  // A case that is just not huge would run all its blocks, which takes minutes.
  const bool huge = is_huge(contract, original);
  shrinker.descend(current, [&](const Case& c) {
    std::vector<Case> simpler = simpler_cases(contract, variant, c);
    if (huge) std::erase_if(simpler, [&](const Case& each) { return !is_huge(contract, each); });
    return simpler;
  });
  if (!huge) shrinker.descend(current, [&](const Case& c) { return simpler_data(contract, c); });
  if (shrinker.best) shrinker.best->shrunk_from = print(original);
  return shrinker.best;
}

}  // namespace assay
