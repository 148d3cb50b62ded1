// Options for the compiler of the driver, which programs give when they load or link PTX.
#pragma once

namespace assay::program {

// Answers options that ask for something: nothing is compiled at that time, which takes none and leaves empty logs.
// The others change machine code, of which there is none here.
void answer_jit_options(unsigned count, const int* options, void** values);

}  // namespace assay::program
