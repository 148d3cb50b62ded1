// The lines of times and cycles, which are decided together: how much runs differ by themselves, and how many
// differences are chance, is seen in the whole table only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/compare.h"

namespace assay::comparison {

class Times {
 public:
  explicit Times(const CompareOptions& options) : options_(options) {}

  // Fills in the medians of `line`, which will be lines[index] when decide() is called. Too few samples are decided at
  // once. Lines of the same code are SAME, and part of what decide() sees runs differ by.
  void add(Line& line, size_t index, const Series& before, const Series& after);

  // Decides all lines that were added; returns what there is to note of them together.
  std::vector<std::string> decide(std::vector<Line>& lines);

 private:
  struct Sampled {
    size_t index;
    Shift shift;
    double rank_p;
    size_t samples;
    std::optional<size_t> leader;  // the index of the row's other line, if that is known better
  };

  void find_leaders(const std::vector<Line>& lines);

  void decide(Line& line, const Shift& shift, double p) const;
  void hold_back_clocks(std::vector<Line>& lines);
  void hold_back(Line& time, Line& cycles) const;

  const CompareOptions& options_;
  std::map<std::string, std::vector<Sampled>> sampled_;  // by metric
};

}  // namespace assay::comparison
