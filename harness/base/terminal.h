// The abilities of a stream's reader: how many columns it has, and whether colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "harness/base/verdict.h"

namespace assay {

enum class Tone : uint8_t { plain, good, bad, idle, strong };

struct Terminal {
  static constexpr size_t kColumnsMin = 40, kColumnsMax = 120;  // longer lines are hard to read

  size_t columns = 100;
  bool color = false;

  std::string in(Tone tone, std::string_view text) const;
  std::string verdict(Kind kind) const;  // its name, in the colour of what it means
};

// Sets colours for every terminal of this process: "always", "never" or "auto", which means where a terminal shows them
// and NO_COLOR (https://no-color.org) is not set.
void choose_color(std::string_view when);

// A terminal's own width; 100 columns for files and pipes, so that their text does not depend on who looks.
Terminal terminal_of(std::FILE* stream);

}  // namespace assay
