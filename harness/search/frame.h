// Rows on their way out of a process in which a kernel runs: framed, so that what a kernel writes into the same
// descriptor differs from a row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

// `last`: the process will run no further case.
std::string frame(std::string_view row, bool last);

struct Unframed {
  enum class State : uint8_t { incomplete, whole, foreign };  // foreign: no frame, or one with more or less in it
  State state = State::incomplete;
  bool last = false;
  std::string_view row = {};  // into what was received
};

// Reads the frame in all that was received since the row before.
Unframed unframe(std::string_view received);

}  // namespace assay
