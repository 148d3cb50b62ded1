// Compiling candidates in batches, trying them, and saying what came of it.
#include "harness/adapter/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/adapter/build.h"
#include "harness/adapter/compiled.h"
#include "harness/adapter/scratch.h"

namespace assay {
namespace {

using Candidates = std::vector<Inferred>;
constexpr size_t kFirstBatch = 12, kBatch = 30;   // compiled together; mostly one of the first is right
constexpr size_t kPart = 6;                       // compiled together where a batch does not compile
constexpr const char* kCandidate = "_candidate";  // and its number: the name of a variant that is only tried

class Trying {
 public:
  Trying(const Prepared& prepared, size_t number, const TryAdapters& try_adapters)
      : prepared_(prepared), number_(number), try_adapters_(try_adapters) {}

  // The first of `candidates` that passes.
  Result<std::optional<size_t>> first_right(const Candidates& candidates) {
    std::optional<Error> error;
    bool any_compiled = false;
    for (size_t begin = 0, end = 0; begin < candidates.size(); begin = end) {
      end = std::min(begin + (begin == 0 ? kFirstBatch : kBatch), candidates.size());
      std::vector<Adapter> batch;
      for (size_t i = begin; i < end; ++i) {
        batch.push_back(candidates[i].adapter);
        batch.back().aligned = prepared_.adapter.aligned;
        batch.back().dtypes.resize(std::min<size_t>(batch.back().dtypes.size(), 1));  // one shows how it is called
      }
      for (const std::vector<size_t>& part : parts(batch, error)) {
        any_compiled = true;
        std::vector<std::string> ids;
        for (const size_t i : part) ids.push_back(id_of(batch[i]));
        const Tried tried = try_adapters_(ids);
        tried_ += ids.size();
        if (why_not_.empty()) why_not_ = tried.why_not;
        if (tried.taken) return std::optional(begin + part[*tried.taken]);
      }
    }
    if (!any_compiled && error) return tl::unexpected(*error);
    return std::optional<size_t>();
  }

  size_t tried() const { return tried_; }
  const std::string& why_not() const { return why_not_; }

 private:
  static std::string id_of(const Adapter& adapter) { return adapter.op + "/" + adapter.name; }

  // The batch compiled and loaded: all of it together, or, where one of them does not compile, those of each entry. The
  // indices of what is loaded.
  std::vector<std::vector<size_t>> parts(std::vector<Adapter>& batch, std::optional<Error>& error) {
    for (Adapter& each : batch) each.name += fmt::format("{}{}", kCandidate, ++named_);
    std::vector<size_t> all;
    for (size_t i = 0; i < batch.size(); ++i) all.push_back(i);
    if (load(batch, all, error)) return {all};
    std::map<std::string, std::vector<size_t>> by_entry;
    for (const size_t i : all) by_entry[batch[i].launches[0].entry].push_back(i);
    std::vector<std::vector<size_t>> loaded;
    for (const auto& [entry, part] : by_entry)
      for (size_t begin = 0; begin < part.size(); begin += kPart) {
        const std::vector<size_t> few(part.begin() + static_cast<std::ptrdiff_t>(begin),
                                      part.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kPart, part.size())));
        if (load(batch, few, error)) loaded.push_back(few);
        if (loaded.empty() && begin >= kPart) break;
      }
    std::sort(loaded.begin(), loaded.end());
    return loaded;
  }

  bool load(const std::vector<Adapter>& batch, const std::vector<size_t>& which, std::optional<Error>& error) {
    std::vector<Adapter> adapters;
    for (const size_t i : which) adapters.push_back(batch[i]);
    const std::string stem = (scratch_folder() / fmt::format("kernel{}.candidates{}", number_, ++modules_)).string();
    const auto module = compiled_candidates(prepared_, adapters, stem);
    const auto loaded = module ? load_modules({*module}) : tl::unexpected(module.error());
    if (!loaded && !error) error = loaded.error();
    return loaded.has_value();
  }

  const Prepared& prepared_;
  size_t number_;
  const TryAdapters& try_adapters_;
  size_t named_ = 0, modules_ = 0, tried_ = 0;
  std::string why_not_;
};

// The same way without what it was only guessed to require.
Candidates relaxed(const Inferred& taken) {
  if (taken.adapter.requirements.empty() || taken.launch_guesses.empty()) return {};
  Inferred free = taken;
  free.adapter.requirements.clear();
  return {std::move(free)};
}

std::string sentence(const Inferred& taken) {
  std::vector<std::string> guesses = taken.guesses;
  guesses.insert(guesses.end(), taken.launch_guesses.begin(), taken.launch_guesses.end());
  return fmt::format("{}", fmt::join(guesses, ", "));
}

}  // namespace

Result<bool> decide(Prepared& prepared, size_t number, const TryAdapters& try_adapters) {
  Trying trying(prepared, number, try_adapters);
  const auto found = trying.first_right(prepared.candidates);
  if (!found) return tl::unexpected(found.error());
  const bool is_right = found->has_value(), is_first = prepared.first_unless_shown && found->value_or(0) == 0;
  Inferred taken = prepared.candidates[found->value_or(0)];
  if (is_right)
    if (const Candidates free = relaxed(taken); !free.empty())
      if (const auto right = trying.first_right(free); right && right->has_value()) taken = free[0];
  const std::string guessed = sentence(taken);
  CompileOptions compile = std::move(prepared.adapter.compile);
  const std::optional<int> aligned = prepared.adapter.aligned;
  prepared.adapter = taken.adapter;
  prepared.adapter.compile = std::move(compile);
  prepared.adapter.aligned = aligned;
  prepared.remarks = taken.remarks;
  prepared.candidates.clear();
  if (is_first) return true;  // what its names say
  prepared.adapter.guesses = taken.launch_guesses;
  if (is_right && !taken.adapter.requirements.empty() && !guessed.empty())
    prepared.remarks.push_back(fmt::format("Judged where {}.", fmt::join(taken.adapter.requirements, " and ")));
  if (!is_right) {
    prepared.adapter.guesses.insert(prepared.adapter.guesses.begin(), taken.guesses.begin(), taken.guesses.end());
    prepared.remarks.push_back(fmt::format("{}None of {} ways to call it is right in the cases that were tried ({}).",
                                           guessed.empty() ? "" : fmt::format("Guessed: {}. ", guessed), trying.tried(),
                                           trying.why_not()));
  } else if (guessed.empty()) {
    prepared.remarks.push_back("The way that a few cases say nothing against.");
  } else {
    prepared.remarks.push_back(fmt::format("Guessed, and right in the cases that were tried: {}.", guessed));
  }
  return is_right;
}

}  // namespace assay
