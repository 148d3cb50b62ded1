// Memory that a kernel may not touch: the guards around every tensor, its inputs, and what of its outputs is not its
// own.
#include <fmt/format.h>

#include <cstring>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

std::optional<Finding> broken_guard(const Tensor& tensor) {
  const int64_t at = tensor.guard_broken_at();
  if (at == 0) return std::nullopt;
  const auto element = static_cast<int64_t>(size_of(tensor.dtype()));
  const auto end = static_cast<int64_t>(tensor.bytes());
  const std::string where = at < 0 ? fmt::format("{} elements before its start", (-at + element - 1) / element)
                                   : fmt::format("{} elements past its end", (std::max(at, end) - end) / element + 1);
  return Finding{Kind::guard_broken,
                 fmt::format("memory of {} {} was written outside: {}; check the kernel's bounds", name(tensor.role()),
                             tensor.name(), where),
                 tensor.name()};
}

std::optional<Finding> changed_input(const Tensor& given, const Tensor& got) {
  if (is_written(given.role()) || std::memcmp(given.data(), got.data(), given.bytes()) == 0) return std::nullopt;
  int64_t first = 0, changed = 0;
  for (int64_t i = given.count(); i-- > 0;)
    if (given.bits(i) != got.bits(i)) first = i, ++changed;
  return Finding{
      Kind::input_changed,
      fmt::format("input {}{} was {:.9g} and is {:.9g} after the run ({} of {} elements changed)", given.name(),
                  index_text(given.shape(), first), given.at(first), got.at(first), changed, given.count()),
      given.name()};
}

// Elements that the op leaves alone, such as the other slots of a cache, have the bits that they had.
std::optional<Finding> changed_kept(const Tensor& given, const Tensor& got) {
  if (!is_written(given.role())) return std::nullopt;
  int64_t first = -1, changed = 0, kept = 0;
  for (const Regions::Run& run : given.regions().runs()) {
    if (run.region != Region::kept) continue;
    kept += run.end - run.begin;
    for (int64_t i = run.begin; i < run.end; ++i)
      if (given.bits(i) != got.bits(i) && changed++ == 0) first = i;
  }
  if (changed == 0) return std::nullopt;
  return Finding{
      Kind::input_changed,
      fmt::format("{}{} is none of the elements that the op writes, had bits {:#x} and has {:#x} after the "
                  "run ({} of {} such elements changed); check the kernel's offset and stride",
                  given.name(), index_text(given.shape(), first), given.bits(first), got.bits(first), changed, kept),
      given.name()};
}

}  // namespace

Findings memory(const Trial& trial) {
  Findings findings;
  for (size_t i = 0; i < trial.got.size(); ++i) {
    if (auto finding = broken_guard(trial.got[i])) findings.push_back(*finding);
    if (auto finding = changed_input(trial.given[i], trial.got[i])) findings.push_back(*finding);
    if (auto finding = changed_kept(trial.given[i], trial.got[i])) findings.push_back(*finding);
  }
  return findings;
}

}  // namespace assay::judge
