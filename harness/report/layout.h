// Text in columns: how wide it is, cut or wrapped to fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// The columns that UTF-8 text takes, counting every code point as one.
size_t width(std::string_view text);

// The text, at most `columns` wide; a text that was cut ends with "…".
std::string cut(std::string_view text, size_t columns);

// Breaks text at blanks (anywhere, when a word is too long) and indents every line. It keeps at most `lines_max` lines,
// then "…".
std::string wrapped(std::string_view text, size_t indent, size_t columns, size_t lines_max = 12);

}  // namespace assay
