// Parts of sizes, as the rows / 4 of a grid: whether it says that there are whole fours.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay {

// "(rows * cols) " of (rows * cols) / 4, without what is around it, and 4.
struct Quotient {
  std::string whole, size, divisor;
};

// The quotient by a number that an expression is; nothing for others.
std::optional<Quotient> quotient_of(const std::string& expression);

// Whether a kernel compares its indices with a size, or with each factor of one: `guarded` has the expressions of the
// sizes that it does so with.
bool is_guarded(const std::string& size, const std::set<std::string>& guarded);

// The conditions that a grid of rows / 4, or cols / 2 as an argument, makes: "rows % 4 == 0". It is its author's word
// that there are whole fours or pairs; (rows + 3) / 4 is rounded up. A size that is guarded may have a part left,
// whatever the grid forgets.
std::vector<std::string> whole_parts_of(const std::vector<std::string>& numbers, const std::set<std::string>& guarded);

}  // namespace assay
