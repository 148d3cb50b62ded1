// The hint in the detail of wrong values: the declaration under which they would be within budget (diagnosis.cpp).
#pragma once

#include <string>
#include <vector>

namespace assay {

// "; within budget if it adds up in f16: if that is meant, put accumulate = "f16" into the adapter". Each of
// `declarations` would do.
std::string hint_of(const std::string& what, const std::vector<std::string>& declarations);

// The declarations that the hint in a detail names, in order; empty where it has none.
std::vector<std::string> hinted_declarations(const std::string& detail);

// The detail without its hint.
std::string without_hint(const std::string& detail);

}  // namespace assay
