// A help page, read from its markdown, for a terminal of any width and as a manual page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/terminal.h"

namespace assay {

struct HelpPart {
  enum class Kind : uint8_t { heading, paragraph, definition, example };
  Kind kind = Kind::paragraph;
  std::string term;  // of a definition: "--seed S"
  std::string text;  // of an example as it stands, of others without line ends
};

// Definitions are the indented lines in which two blanks or more follow the term; lines indented further go on with
// them. Other indented lines are examples.
std::vector<HelpPart> read_help(std::string_view markdown);

std::string help_text(std::string_view markdown, const Terminal& terminal);

// In the language of man(1). `name` is the command's: "check", or "" for the program's own page.
std::string manual_page(std::string_view markdown, const std::string& name);

}  // namespace assay
