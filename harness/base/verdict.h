// The possible results of a case: findings (single observations) and the verdict (the worst of them).
//
// `Kind` is the only list of outcomes in the project; sinks, shrinking and exit codes all go through the functions
// below, so a new kind is one enumerator plus one line of the table in verdict.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class Kind : uint8_t {
  pass,
  // Failures, mildest first: Verdict::worst picks the one that explains the others.
  nondeterministic,
  property,
  mismatch,
  nonfinite,
  unwritten,
  input_changed,
  guard_broken,
  leak,  // of the device's heap
  uninitialised,
  misaligned,
  race,
  out_of_bounds,
  barrier,
  timeout,
  crash,
  judge_crash,  // of what judges the kernel: the op's reference or property, or the harness
  mistrusted,
  timing_suspect,  // a time that the hardware cannot reach: the work was not done, or not measured
  // These are neither failures nor passes.
  rejected,
  unsupported,
  skipped,
};

std::string_view name(Kind kind);                      // "PASS", "MISMATCH", …: as printed in every report
std::optional<Kind> kind_from(std::string_view name);  // the inverse of name(); nothing for an unknown word
bool is_failure(Kind kind);                            // true for the kinds that make a run exit with 1

// One observation about one run of a kernel. `detail` is a sentence for people: what, where, and a hint.
struct Finding {
  Kind kind = Kind::pass;
  std::string detail;
  std::string subject = {};  // the tensor, property or mutant that it is about; "": none, as of a line of the kernel
};

struct Findings : std::vector<Finding> {
  using std::vector<Finding>::vector;
  Findings& operator+=(Findings other);
};

// The decision about one case. `detail` carries every finding of the worst kind, joined by "; ".
struct Verdict {
  Kind kind = Kind::pass;
  std::string detail;

  static Verdict worst(const Findings& findings);  // PASS when there is none
};

}  // namespace assay
