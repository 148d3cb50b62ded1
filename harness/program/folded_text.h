// Findings that differ only in numbers, which are printed once.
#pragma once

#include <cctype>
#include <string>

namespace assay {

// A finding without the numbers that differ between threads and launches: those that are no part of a word or line.
inline std::string without_numbers(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const char last = kept.empty() ? ' ' : kept.back();
    const bool in_word = std::isalnum(static_cast<unsigned char>(last)) != 0 || last == '_' || last == ':';
    if (!is_digit || in_word) kept += c;
  }
  return kept;
}

}  // namespace assay
