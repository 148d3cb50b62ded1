// Drawing mutants, and the files that are kept of them.
#include "harness/cli/mutate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "harness/base/rng.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResults = "mutants.jsonl";

bool is_shown(const MutantResult& result) { return result.fate == Fate::survived || result.fate == Fate::equal_bits; }

}  // namespace

// A partial shuffle: the first `count` of a random order, put back into the order of places.
std::vector<Drawn> draw(std::vector<Drawn> all, int64_t count, uint64_t seed) {
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t s = 0; s < all.size(); ++s)
    for (size_t m = 0; m < all[s].mutants.size(); ++m) places.emplace_back(s, m);
  Rng rng = Rng::stream(seed, "mutants");
  const size_t wanted = std::min(places.size(), static_cast<size_t>(count));
  for (size_t i = 0; i < wanted; ++i) std::swap(places[i], places[i + rng.below(places.size() - i)]);
  places.resize(wanted);
  std::ranges::sort(places);
  std::vector<Drawn> drawn;
  for (size_t s = 0, at = 0; s < all.size(); ++s) {
    std::vector<KernelMutant> mutants;
    for (; at < places.size() && places[at].first == s; ++at)
      mutants.push_back(std::move(all[s].mutants[places[at].second]));
    if (!mutants.empty()) drawn.push_back({std::move(all[s].subject), std::move(mutants)});
  }
  return drawn;
}

std::string key_of(const Subject& subject, const std::string& plan, const KernelMutant& mutant) {
  const std::string what =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", subject.id, plan, subject.text, text_of_file(subject, mutant).value_or(""),
                  mutant.kind, mutant.offset, mutant.length, mutant.replacement);
  return fmt::format("{:016x}", Rng::stream(0, what).next());
}

std::map<std::string, MutantResult> read_results(const std::string& folder) {
  std::map<std::string, MutantResult> results;
  std::ifstream in(fs::path(folder) / kResults);
  for (std::string line; std::getline(in, line);) {
    std::string key;
    if (auto result = result_from_line(line, key))
      results[key] = *std::move(result);  // a killed process leaves half a line
  }
  return results;
}

Result<void> keep_result(const std::string& folder, const MutantResult& result, const std::string& key) {
  const fs::path path = fs::path(folder) / kResults;
  std::ofstream out(path, std::ios::app);
  out << to_line(result, key) << "\n";
  out.flush();
  return out ? Result<void>() : tl::unexpected(write_error(path, errno));
}

Result<void> write_score(const std::string& folder, const std::vector<MutantResult>& results) {
  const fs::path survivors = fs::path(folder) / "survivors";
  std::error_code error;
  fs::remove_all(survivors, error);
  fs::create_directories(survivors, error);
  if (error) return tl::unexpected(write_error(survivors, error.value()));
  size_t number = 0;
  for (const MutantResult& result : results)
    if (is_shown(result))
      ASSAY_TRY(
          write_file(survivors / fmt::format("{:03}_{}.diff", ++number, result.mutant.kind), survivor_text(result)));
  return write_file(fs::path(folder) / "score.txt", score_text(results));
}

}  // namespace assay
