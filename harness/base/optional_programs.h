// Programs that the project uses where they are: nvcc, gdb, a browser. ASSAY_WITHOUT="nvcc gdb" hides them, as if they
// were not installed.
#pragma once

#include <string>

namespace assay {

// Whether ASSAY_WITHOUT hides it. For programs that are looked up on PATH find_program asks.
bool is_hidden(const std::string& program);

// Says that what this process does may depend on the program. ctest gives a test that did so the program's name as a
// label, and runs those tests again where it is hidden (harness/optional_programs.cmake).
void depends_on(const std::string& program);

}  // namespace assay
