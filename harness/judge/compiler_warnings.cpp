// Quotes what the compiler warned of in a failing kernel's file, where that may be the reason.
//
// A variable without a value explains results that are wrong by chance. An index that is narrowed explains what is
// wrong in a case with more elements than the narrow type counts, and nothing in a smaller one. Other warnings are the
// author's business.
#include "harness/op/compiler_warnings.h"

#include <algorithm>
#include <array>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

constexpr size_t kQuotedMax = 3;

// Whether the kind is wrong by what a kernel computed, not by how its threads meet.
bool is_of_values(Kind kind) {
  constexpr std::array kKinds = {Kind::mismatch,         Kind::nonfinite,     Kind::unwritten,
                                 Kind::nondeterministic, Kind::property,      Kind::uninitialised,
                                 Kind::misaligned,       Kind::out_of_bounds, Kind::crash};
  return std::ranges::count(kKinds, kind) > 0;
}

// The largest number of the type that a value is narrowed to: "conversion from 'long int' to 'short int' may change
// value". Nothing for floating point, which rounds and does not wrap.
std::optional<int64_t> narrowed_to(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, int64_t>, 6> kTypes = {{{"unsigned int", UINT32_MAX},
                                                                           {"int", INT32_MAX},
                                                                           {"short unsigned int", UINT16_MAX},
                                                                           {"short int", INT16_MAX},
                                                                           {"unsigned char", UINT8_MAX},
                                                                           {"char", INT8_MAX}}};
  const size_t to = text.rfind("to '");
  if (to == std::string::npos) return std::nullopt;
  for (const auto& [type, largest] : kTypes)  // quoted, or as "{aka 'int'}"
    if (text.find("'" + std::string(type) + "'", to) != std::string::npos) return largest;
  return std::nullopt;
}

bool is_about(const CompilerWarning& warning, Kind kind, int64_t elements) {
  if (!is_of_values(kind)) return false;
  if (warning.option == "-Wuninitialized" || warning.option == "-Wmaybe-uninitialized") return true;
  if (warning.option == "-Warray-bounds") return kind != Kind::nondeterministic;
  const auto largest = warning.option == "-Wconversion" ? narrowed_to(warning.text) : std::nullopt;
  return largest && elements > *largest;
}

}  // namespace

void compiler_warnings(const Trial& trial, Findings& findings) {
  const std::vector<CompilerWarning>& warnings = assay::compiler_warnings(trial.variant);
  if (warnings.empty() || findings.empty()) return;
  const Kind worst = Verdict::worst(findings).kind;
  const auto finding = std::ranges::find(findings, worst, &Finding::kind);
  const int64_t elements = element_count(trial.contract, trial.c);
  size_t quoted = 0;
  for (const CompilerWarning& warning : warnings)
    if (is_about(warning, worst, elements) && ++quoted <= kQuotedMax)
      finding->detail += "; the compiler warns, " + warning.place + ": " + warning.text + " [" + warning.option + "]";
}

}  // namespace assay::judge
