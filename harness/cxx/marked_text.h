// Preprocessed text, whose lines belong to the files that markers (# 12 "file.cu") name.
#pragma once

#include <string>
#include <string_view>

namespace assay::cxx {

// "FILE:LINE" of an offset.
std::string place_of(std::string_view text, size_t at);

// A text that goes leaves its lines, and the markers that say whose they are.
std::string emptied(std::string_view text);

// A text on one line, without markers.
std::string on_one_line(std::string_view text);

}  // namespace assay::cxx
