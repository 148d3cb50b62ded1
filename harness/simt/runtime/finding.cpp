// Names and order of findings.
#include "harness/simt/runtime/finding.h"

#include <algorithm>
#include <iterator>

namespace assay::simt {

const char* name(Kind kind) {
  switch (kind) {
    case Kind::none:
      return "NONE";
    case Kind::skipped:
      return "SKIPPED";
    case Kind::leak:
      return "LEAK";
    case Kind::uninitialised:
      return "UNINITIALISED";
    case Kind::misaligned:
      return "MISALIGNED";
    case Kind::race:
      return "RACE";
    case Kind::out_of_bounds:
      return "OUT_OF_BOUNDS";
    case Kind::barrier:
      return "BARRIER";
    case Kind::timeout:
      return "TIMEOUT";
    case Kind::crash:
      return "CRASH";
  }
  return "";
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
