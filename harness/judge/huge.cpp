// Every element of a huge case has one of its base to be compared with. Which block may write which, ownership.h says.
#include "harness/judge/huge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/judge/sampled_blocks.h"
#include "harness/op/huge.h"

namespace assay::judge {
namespace {

// The wrong elements of one written tensor, by one formula of its op.
struct Tally {
  ExpectedTensor want;
  int64_t wrong = 0;
  bool wrong_class = false;
  double largest = 0;  // error over budget
  std::string first = {};
};

class Judged {
 public:
  explicit Judged(const VirtualTensor& tensor) : tensor_(tensor), ownership_(tensor) {}

  void expect(ExpectedTensor want) { tallies_.push_back({std::move(want)}); }

  void add(const Grid& grid, uint64_t block) {
    const auto changes = tensor_.changes();
    ownership_.add(grid, block, changes);
    for (Tally& tally : tallies_)
      for (const auto& change : changes) compare(tally, grid, block, change);
  }

  std::vector<uint64_t> suspected() const { return ownership_.suspected(); }

  Findings ownership() const { return ownership_.findings(); }
  bool is_wrong_and_shared() const { return fitting().wrong > 0 && ownership_.is_shared(); }

  Findings values() const {
    const Tally& tally = fitting();
    if (tally.wrong == 0) return {};
    return {{tally.wrong_class ? Kind::nonfinite : Kind::mismatch,
             fmt::format("{}: {} elements of sampled blocks are wrong, the first at {}", tensor_.base().name(),
                         tally.wrong, tally.first),
             tensor_.base().name()}};
  }

  double largest_error() const { return fitting().largest; }

 private:
  // By which formula all of the tensor is right, else the canonical one.
  const Tally& fitting() const {
    const auto right = std::ranges::find(tallies_, 0, &Tally::wrong);
    return right == tallies_.end() ? tallies_.front() : *right;
  }

  void compare(Tally& tally, const Grid& grid, uint64_t block, const VirtualTensor::Change& change) const {
    const int64_t i = tensor_.base_element(change.element);
    if (!tally.want.is_known(i)) return;
    const Comparison comparison = tally.want.compare(i, change.bits);
    if (!(comparison.error_over_budget <= tally.largest)) tally.largest = comparison.error_over_budget;
    if (comparison.error_over_budget <= 1) return;
    tally.wrong_class |= comparison.wrong_class;
    if (tally.wrong++ > 0) return;
    tally.first = fmt::format("{}, element {}, by block {}: got {:.9g}, want {:.9g} ± {:.3g}",
                              index_text(tensor_.shape(), change.element), change.element, grid.text(block),
                              to_double(tally.want.dtype, change.bits), tally.want.value[static_cast<size_t>(i)],
                              tally.want.budget[static_cast<size_t>(i)]);
  }

  const VirtualTensor& tensor_;
  Ownership ownership_;
  std::vector<Tally> tallies_;
};

// The tensors of a huge case under judgement.
class HugeTrial {
 public:
  HugeTrial(const Contract& contract, const Variant& variant, const Case& c, const Case& base)
      : contract_(contract),
        variant_(variant),
        c_(c),
        base_(base),
        given_(make_tensors(contract, base, variant.constants)) {}

  Result<void> reserve() {
    for (size_t i = 0; i < given_.size(); ++i)
      tensors_.push_back(ASSAY_TRY(VirtualTensor::reserve(given_[i], shape_of(contract_.tensors[i], c_))));
    if (const auto why = why_not_repeated(contract_, base_, given_))
      return fail("not sampled: the op does not repeat along " +
                  fmt::format("{}", fmt::join(contract_.repeats_along, ", ")) + ": " + *why);
    const ReferenceInFull in_full;
    const Oracle oracle{contract_, variant_, base_, given_};
    std::vector<Expected> expected = {oracle.expect()};
    for (const Formula& formula : oracle.other_formulas()) expected.push_back(oracle.expect(formula.name));
    for (const VirtualTensor& tensor : tensors_) {
      if (!is_written(tensor.base().role()) || !repeats(tensor)) continue;
      Judged& judged = judged_.emplace_back(tensor);
      for (const Expected& by_formula : expected)
        judged.expect(*std::ranges::find(by_formula, tensor.base().name(), &ExpectedTensor::name));
    }
    return {};
  }

  std::vector<VirtualTensor>& tensors() { return tensors_; }

  void block_ended(const Grid& grid, uint64_t block) {
    for (Judged& judged : judged_) judged.add(grid, block);
    for (const VirtualTensor& tensor : tensors_) look_at_memory(tensor, grid, block);
  }

  std::vector<uint64_t> suspects() const {
    std::vector<uint64_t> all;
    for (const Judged& judged : judged_)
      for (const uint64_t block : judged.suspected()) all.push_back(block);
    return all;
  }

  double largest_error() const {
    double largest = 0;
    for (const Judged& judged : judged_) largest = std::max(largest, judged.largest_error());
    return largest;
  }

  // Where each of several blocks adds its part to an element, what one of them leaves there says nothing.
  bool is_of_parts() const { return std::ranges::any_of(judged_, &Judged::is_wrong_and_shared); }

  Findings findings() const {
    Findings all = memory_;
    for (const Judged& judged : judged_) all += judged.values();
    for (const Judged& judged : judged_)  // the same blocks err in all tensors
      if (all.empty()) all += judged.ownership();
    return all;
  }

 private:
  // Whether the tensor has a dim along which the op repeats. Others, such as sums over it, are not judged.
  static bool repeats(const VirtualTensor& tensor) { return tensor.shape() != tensor.base().shape(); }

  void look_at_memory(const VirtualTensor& tensor, const Grid& grid, uint64_t block) {
    if (!memory_.empty()) return;
    const std::string& name = tensor.base().name();
    if (const int64_t at = tensor.guard_broken_at(); at != 0)
      memory_.push_back({Kind::guard_broken,
                         fmt::format("block {} wrote outside of {}, at byte {}", grid.text(block), name, at), name});
    if (is_written(tensor.base().role())) return;
    if (const auto changes = tensor.changes(); !changes.empty())
      memory_.push_back({Kind::input_changed,
                         fmt::format("block {} changed input {}{}", grid.text(block), name,
                                     index_text(tensor.shape(), changes.front().element)),
                         name});
  }

  const Contract& contract_;
  const Variant& variant_;
  const Case& c_;
  const Case& base_;
  const Tensors given_;  // of the base
  std::vector<VirtualTensor> tensors_;
  std::vector<Judged> judged_;  // the written ones
  Findings memory_;
};

}  // namespace

ResultRow huge_case(const Contract& contract, const Variant& variant, const Case& c, Device& device) {
  ResultRow row = row_for(c, variant.device);
  const auto refused = [&](const std::string& why) { return row_for(c, variant.device, Kind::unsupported, why); };
  const Result<Case> base = base_of(contract, c);
  if (!base) return refused(base.error().line());
  HugeTrial trial(contract, variant, c, *base);
  if (const auto reserved = trial.reserve(); !reserved) return refused(reserved.error().line());
  SampledBlocks sample(trial.tensors(), c.seed,
                       {.ended = [&](const Grid& grid, uint64_t block) { trial.block_ended(grid, block); },
                        .suspects = [&] { return trial.suspects(); }});
  std::optional<Findings> findings = device.run_sampled(variant, c, trial.tensors(), sample);
  if (!findings) return refused("not sampled: device " + device.name() + " runs all blocks; device cpu runs some");
  if (!sample.refusal().empty()) return refused(sample.refusal());
  if (trial.is_of_parts()) return refused("not sampled: several blocks write each element, as those that add to it do");
  if (findings->empty()) *findings += trial.findings();
  row.figures["error_over_budget"] = trial.largest_error();
  row.hints.push_back(fmt::format("{} of {} blocks ran, of a case of {} elements", sample.blocks(),
                                  sample.grid().count(), element_count(contract, c)));
  Verdict verdict = Verdict::worst(*findings);
  row.verdict = verdict.kind;
  row.detail = std::move(verdict.detail);
  row.findings = *std::move(findings);
  return row;
}

}  // namespace assay::judge
