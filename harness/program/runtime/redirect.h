// Programs that have the CUDA runtime linked in: their own copies of its functions are made to jump to ours.
#pragma once

namespace assay::program {

// Redirects the functions of every file of the process that has symbols for them. A stripped program has none, and its
// runtime then looks for a driver.
void redirect_linked_runtimes();

}  // namespace assay::program
