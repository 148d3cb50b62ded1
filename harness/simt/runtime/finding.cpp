// Names and order of findings.
#include "harness/simt/runtime/finding.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace assay::simt {

const char* name(Kind kind) {
  static constexpr std::array kNames{"NONE", "SKIPPED",       "LEAK",    "UNINITIALISED", "MISALIGNED",
                                     "RACE", "OUT_OF_BOUNDS", "BARRIER", "TIMEOUT",       "CRASH"};  // as in the enum
  static_assert(kNames.size() == static_cast<size_t>(Kind::crash) + 1);
  return kNames.at(static_cast<size_t>(kind));
}

Findings& Findings::operator+=(Findings other) {
  insert(end(), std::make_move_iterator(other.begin()), std::make_move_iterator(other.end()));
  return *this;
}

Kind worst(const Findings& findings) {
  Kind kind = Kind::none;
  for (const Finding& finding : findings) kind = std::max(kind, finding.kind);
  return kind;
}

}  // namespace assay::simt
