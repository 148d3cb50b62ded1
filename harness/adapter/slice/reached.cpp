// A walk over the names of declarations.
#include "harness/adapter/slice/reached.h"

#include <algorithm>
#include <map>
#include <vector>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/slice/declarations.h"

namespace assay {
namespace {

class Walk {
 public:
  Walk(std::string_view code, const Macros& macros, const std::vector<Declaration>& all)
      : code_(code), macros_(macros), all_(all), reached_(all.size(), false) {
    for (size_t i = 0; i < all.size(); ++i)
      for (const std::string& name : all[i].names) by_name_[name].push_back(i);
  }

  std::vector<bool> from(const std::set<std::string>& roots, const std::set<std::string>& launchers) && {
    for (size_t i = 0; i < all_.size(); ++i)
      if (all_[i].stays) reach(i);
    for (const std::string& root : roots) {
      const auto named = by_name_.find(root);
      if (named == by_name_.end()) continue;
      const bool means_kernel = !launchers.contains(root) && std::any_of(named->second.begin(), named->second.end(),
                                                                         [&](size_t i) { return all_[i].is_kernel; });
      for (const size_t i : named->second)
        if (!means_kernel || all_[i].is_kernel) reach(i);
    }
    do go_on();
    while (reach_nameless());
    return std::move(reached_);
  }

 private:
  void reach(size_t i) {
    if (reached_[i]) return;
    reached_[i] = true;
    open_.push_back(i);
  }
  void go_on() {
    while (!open_.empty()) {
      const Declaration& d = all_[open_.back()];
      open_.pop_back();
      for (const std::string& word : macros_.words_of(code_.substr(d.begin, d.end - d.begin))) {
        const auto named = by_name_.find(word);
        const bool own = d.is_kernel && std::find(d.names.begin(), d.names.end(), word) != d.names.end();
        if (named == by_name_.end() || own) continue;
        for (const size_t i : named->second) reach(i);
      }
    }
  }
  // Operators and assertions of which everything that they mention is reached.
  bool reach_nameless() {
    for (size_t i = 0; i < all_.size(); ++i) {
      const Declaration& d = all_[i];
      if (reached_[i] || !d.has_no_name) continue;
      const auto words = macros_.words_of(code_.substr(d.begin, d.signature_end - d.begin));
      if (std::all_of(words.begin(), words.end(), [&](const std::string& word) { return is_reached(word); })) reach(i);
    }
    return !open_.empty();
  }
  bool is_reached(const std::string& word) const {
    const auto named = by_name_.find(word);
    return named == by_name_.end() ||
           std::any_of(named->second.begin(), named->second.end(), [&](size_t i) { return reached_[i]; });
  }

  std::string_view code_;
  const Macros& macros_;
  const std::vector<Declaration>& all_;
  std::map<std::string, std::vector<size_t>> by_name_;
  std::vector<bool> reached_;
  std::vector<size_t> open_;  // reached, their own words not yet looked at
};

// Blanks a declaration except the directives among its lines; a #pragma goes with its loop.
void blank_declaration(std::string& text, std::string_view code, const Declaration& d) {
  for (size_t begin = code.rfind('\n', d.begin) + 1; begin < d.end;) {
    const size_t end = end_of_logical_line(code, begin);
    const std::string_view directive = directive_of(code.substr(begin, end - begin));
    if (directive.empty() || directive == "pragma") blank(text, std::max(begin, d.begin), std::min(end, d.end));
    begin = end + 1;
  }
}

}  // namespace

std::string only_reached(std::string_view text, const std::set<std::string>& roots,
                         const std::set<std::string>& launchers) {
  const auto code = without_comments(text);
  if (!code) return std::string(text);  // a compiler reports better what is wrong with it
  const Macros macros = Macros::of(*code);
  const std::vector<Declaration> all = declarations_of(*code, macros);
  const std::vector<bool> reached = Walk(*code, macros, all).from(roots, launchers);
  std::string sliced(text);
  for (size_t i = 0; i < all.size(); ++i)
    if (!reached[i]) blank_declaration(sliced, *code, all[i]);
  return sliced;
}

}  // namespace assay
