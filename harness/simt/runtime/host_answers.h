// Whether the host can write what a kernel waits for: a program that has memory which both see may do so once the
// launch has returned, and a kernel that waits for it is no dead end on a GPU.
#pragma once

namespace assay::simt {

__attribute__((visibility("default"))) extern bool host_may_answer;

}  // namespace assay::simt
