// Cuts the quotes in an error to a length that a reader takes in.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The text with the middle of every quoted part, and of every word, of more than some 200 bytes as "…"; and so with a
// line of more than some 1500, as quotes of quotes make it. Cuts lie between characters of UTF-8.
std::string without_long_quotes(std::string_view text);

}  // namespace assay
