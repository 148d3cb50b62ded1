// Folders and files that a command reads or writes at its end, looked at before it compiles or runs anything.
#pragma once

#include "harness/base/error.h"
#include "harness/cli/cli.h"

namespace assay {

// Why a run with these options would end without its results: a folder that cannot be made or written to, or an earlier
// run that is not there. Leaves nothing behind.
Result<void> try_places(const CheckArguments& arguments);
Result<void> try_places(const MergeArguments& arguments);
Result<void> try_places(const NightlyArguments& arguments);
Result<void> try_places(const BenchArguments& arguments);

}  // namespace assay
