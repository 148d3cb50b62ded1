// The condition that failing cases of a bug share and passing ones do not: "cols % 4 != 0". It is what their author has
// to guess otherwise, and often an unwritten requirement.
//
// Conditions compare the parts of a case line: a dim, an attribute, the block, grid= and offset= with numbers and with
// each other, the dtype and the kind of data with words. A condition holds in every failing case. It is one comparison
// that few passing cases meet as well (a kernel that reads past its row is right where the row is empty), or else two,
// joined by && or ||, that no passing case meets.
//
// Chance is excluded by counting: of N cases any F are as likely to fail, if that has nothing to do with what their
// lines say, so a condition that T cases meet holds in all failing ones with probability C(T, F) / C(N, F). Times the
// number of conditions that were tried it must be below kChanceMax.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/row.h"

namespace assay {

inline constexpr double kChanceMax = 1e-6;
// This share of the cases that meet a condition must fail.
inline constexpr double kFailingShareMin = 0.75;

struct SharedCondition {
  std::string holds;     // "cols % 4 != 0"
  std::string adapter;   // what leaves such cases out: `requires = ["cols % 4 == 0"]`; "": an adapter cannot say it
  int64_t failing = 0;   // cases, all of which meet it
  int64_t passing = 0;   // cases
  int64_t met_also = 0;  // passing cases that meet it
};

// Cases of one variant; those that pass, but might have hidden it, only help to choose between conditions that all
// failing ones meet. Nothing where none is short and certain enough.
std::optional<SharedCondition> shared_condition(const std::vector<Case>& failing, const std::vector<Case>& passing,
                                                const std::vector<Case>& doubtful = {});

// The same as a sentence, for rows of one bug; "" where they share nothing. Passes are those of the same variant among
// `all`, on a device that shows the bug, and not of empty shapes: with ordinary data if that shows the bug (other data
// may hide it), or with any where those are too few.
std::string what_they_share(const std::vector<const ResultRow*>& failing, const std::vector<ResultRow>& all);

}  // namespace assay
