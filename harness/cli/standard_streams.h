// The standard streams, in whatever state this program gets them: closed, full, or a pipe that nobody reads.
#pragma once

#include <optional>

#include "harness/base/error.h"

namespace assay {

// Gives a closed standard stream a place, so that no file that is opened later takes its number and receives what is
// printed; and turns the signals of a pipe without a reader and of a full file into errors of the writes.
void prepare_standard_streams();

// Whether standard output is a pipe that nobody reads any more, as in `assay list | head`.
bool output_is_unread();

// Why not all that was printed on standard output has arrived; nothing when it has.
std::optional<Error> lost_output();

}  // namespace assay
