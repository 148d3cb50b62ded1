// Bindings with which a kernel passed every case of a run. When the kernel is changed later and no candidate is right
// any more, or one for fewer cases alone, it is judged by the one that is known: its failures are its own then, and no
// wrong guess.
//
// They are kept as adapters in the user's cache folder, for a file, an op and what the command line fixed, and hold as
// long as the kernel or launcher declares the parameters that it had.
#pragma once

#include <string>

#include "harness/adapter/prepared.h"

namespace assay {

// Its binding of an earlier run, in the place of the candidates; false where there is none for these parameters, and
// where `prepared` has one that is right, gives it the same and asks for no more. A remark says which it is. Its launch
// is the one that the file makes now, where one of `candidates` is that with these arguments.
bool take_known_binding(const UserKernel& wanted, Prepared& prepared, bool is_right,
                        const std::vector<Inferred>& candidates = {});

// Says what variant `id` was loaded with, for keep_binding(). Nothing is kept of an adapter that the user wrote.
void remember_binding(const std::string& id, const UserKernel& wanted, const Prepared& prepared);

// Keeps the binding of a loaded variant, which passed every case of a run.
void keep_binding(const std::string& id);

}  // namespace assay
