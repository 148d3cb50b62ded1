// The text in which a translated function describes its basic blocks to the executor, so that instructions are counted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/ptx/flow.h"

namespace assay::ptx {

// The text that harness/simt/checked/path_counts.h reads, as a string literal of C++. `place_of`: "softmax.cu:31", the
// line that an instruction counts for.
std::string counted_program(const Function& function, const std::vector<BasicBlock>& flow,
                            const std::function<std::string(const Instruction&)>& place_of);

}  // namespace assay::ptx
