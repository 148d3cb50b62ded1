// Case lines of earlier versions: what a line leaves out because its op got it later means what the op did before.
#pragma once

#include <string>

#include "harness/op/contract.h"

namespace assay {

// The case with the dims and attributes that its op got later (DimSpec::before, AttrSpec::optional), at the end.
Case with_later_names(const Contract& contract, Case c);

// A case as this version writes it, so that a row, baseline or saved line of an earlier version has the key of today's.
// It stays as it is where the op is not known, or where it lacks what the op always had.
Case as_written_today(Case c);
std::string as_written_today(const std::string& line);

}  // namespace assay
