// Compiling a prepared kernel: all that its launches need of its file, and a wrapper around that.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/adapter/build/build.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/steering.h"

namespace assay {

// The modules of one kernel, the file `number` of `count`, for the builds that it is for. Adds what was left out to its
// remarks.
Result<std::vector<std::string>> compiled(Prepared& prepared, size_t number, size_t count);

// The module `stem`.so of another text of the same file, such as a mutant, with the adapter of the sound kernel:
// nothing is inferred anew. Errors: the compiler's words.
Result<std::string> compiled_text(const Prepared& sound, const std::string& text, KernelBuild build,
                                  const std::string& stem);

// One module, of the build that sees most or of the one that sees values only, in which every adapter is a variant
// under its own name.
enum class Sees { most, values };
Result<std::string> compiled_candidates(const Prepared& prepared, const std::vector<Adapter>& adapters,
                                        const std::string& stem, Sees sees = Sees::most);

// Code that nvcc has unrolled is long: megabytes of C++ for tensor cores, half of one for a file of a dozen instances.
// -O1 takes the host compiler 0.6 of the time of -O2 for it, in both builds, and optimisers have been over it before.
// The user's flags come behind it.
void take_less_time(KernelFile& file, const std::string& translated);

// The compiler's first complaint, or the first line: one line says why.
std::string first_error_of(const std::string& text);

// The words of what adapters launch, from which a file's text is reached.
AdapterWords words_of_launches(const std::vector<Adapter>& adapters);

// The pieces of a file that the launches of adapters need; no text where nobody knows them.
ReachedPieces pieces_for(const Prepared& prepared, const std::vector<Adapter>& adapters);

// The path from the root; "" of "".
std::string absolute_path(const std::string& path);

}  // namespace assay
