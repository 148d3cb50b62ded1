// Numbers that a CUDA file spells as sums and products of others: "256 / 4".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

// The value of whole numbers with + - * / and brackets between them, division as in C++. Nothing for any other text, a
// number of more than nine digits, and a division by 0.
std::optional<int64_t> number_value(std::string_view text);

// Whether a quotient is rounded up: ceil_div(n, 32), (n + 31) / 32.
bool is_rounded_up(std::string_view text);

}  // namespace assay
