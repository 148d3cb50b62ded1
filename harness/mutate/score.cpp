// Tallies and texts.
#include "harness/mutate/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using nlohmann::json;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "3, 41": the median and the largest.
std::string cases_text(std::vector<int64_t> cases) {
  if (cases.empty()) return "";
  std::ranges::sort(cases);
  return fmt::format("{}, {}", cases[cases.size() / 2], cases.back());
}

std::string row_text(std::string_view name, const Tally& tally) {
  return fmt::format("{:<10}{:>8}{:>8}{:>10}{:>12}{:>12}{:>17}{:>18}\n", name, tally.planted(), tally.of(Fate::killed),
                     tally.of(Fate::survived), tally.of(Fate::equal_bits), tally.of(Fate::equal_code),
                     tally.of(Fate::not_compiled), cases_text(tally.cases));
}

}  // namespace

int64_t Tally::of(Fate fate) const {
  const auto found = fates.find(fate);
  return found == fates.end() ? 0 : found->second;
}

int64_t Tally::planted() const {
  int64_t all = 0;
  for (const auto& [fate, count] : fates) all += count;
  return all;
}

int64_t Tally::told_apart(bool equal_bits_are_equivalent) const {
  return of(Fate::killed) + of(Fate::survived) + (equal_bits_are_equivalent ? 0 : of(Fate::equal_bits));
}

double Tally::score(bool equal_bits_are_equivalent) const {
  const int64_t all = told_apart(equal_bits_are_equivalent);
  return all == 0 ? 1 : static_cast<double>(of(Fate::killed)) / static_cast<double>(all);
}

Tally tally_of(const std::vector<MutantResult>& results) {
  Tally tally;
  for (const MutantResult& result : results) {
    ++tally.fates[result.fate];
    if (result.fate == Fate::killed) tally.cases.push_back(result.cases);
  }
  return tally;
}

std::string score_line(const std::vector<MutantResult>& results) {
  const Tally all = tally_of(results);
  if (all.told_apart(false) == 0) return "No mutant was judged that is not known to be equivalent.";
  std::string text = fmt::format("Killed: {} of {} that are not known to be equivalent, {}", all.of(Fate::killed),
                                 all.told_apart(false), percent(all.score(false)));
  if (all.of(Fate::equal_bits) > 0)
    text += fmt::format("; {} of {}, {}, if those with equal bits are", all.of(Fate::killed), all.told_apart(true),
                        percent(all.score(true)));
  return text + ".";
}

std::string score_text(const std::vector<MutantResult>& results) {
  std::map<std::string, std::vector<MutantResult>> by_kind;
  for (const MutantResult& result : results) by_kind[result.mutant.kind].push_back(result);
  std::string text = fmt::format("{:<10}{:>8}{:>8}{:>10}{:>12}{:>12}{:>17}{:>18}\n", "kind", "planted", "killed",
                                 "survived", "equal bits", "equal code", "did not compile", "cases (med, max)");
  for (const auto& [kind, of_kind] : by_kind) text += row_text(kind, tally_of(of_kind));
  return text + row_text("all", tally_of(results)) + score_line(results) + "\n";
}

std::string survivor_text(const MutantResult& result) {
  std::string text = fmt::format("{}  {} ({}): {}\n", result.fate == Fate::survived ? "SURVIVED" : "EQUAL BITS",
                                 title(result.mutant), result.subject, result.reason);
  if (!result.line.empty()) text += fmt::format("  most in {}\n", result.line);
  return text + result.diff;
}

std::string to_line(const MutantResult& result, const std::string& key) {
  const KernelMutant& mutant = result.mutant;
  return json{{"key", key},
              {"subject", result.subject},
              {"kind", mutant.kind},
              {"file", mutant.file},
              {"line", mutant.line},
              {"function", mutant.function},
              {"offset", mutant.offset},
              {"length", mutant.length},
              {"replacement", mutant.replacement},
              {"fate", name(result.fate)},
              {"cases", result.cases},
              {"verdict", result.verdict},
              {"case", result.line},
              {"reason", result.reason},
              {"seconds", result.seconds},
              {"diff", result.diff}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<MutantResult> result_from_line(const std::string& line, std::string& key) {
  const json in = json::parse(line, nullptr, false);
  if (in.is_discarded()) return fail("no JSON: " + line.substr(0, 40));
  try {
    key = in.at("key");
    const auto fate = fate_from(in.at("fate").get<std::string>());
    if (!fate) return fail("no result of a mutant: " + in.at("fate").dump());
    return MutantResult{in.at("subject"),
                        {in.at("kind"), in.at("file"), in.at("offset"), in.at("length"), in.at("replacement"),
                         in.at("function"), in.at("line")},
                        *fate,
                        in.at("cases"),
                        in.at("verdict"),
                        in.at("case"),
                        in.at("reason"),
                        in.at("diff"),
                        in.at("seconds")};
  } catch (const json::exception& error) {
    return fail(std::string("no result of a mutant: ") + error.what());
  }
}

}  // namespace assay
