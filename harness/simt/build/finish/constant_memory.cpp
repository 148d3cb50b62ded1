// Renames sections.
#include "harness/simt/build/finish/constant_memory.h"

namespace assay::simt::finish {

void gather_constants(Assembly& assembly) {
  for (Line& line : assembly.lines)
    if (line.operation == ".section" && line.operands.find(",\"awR\"") != std::string_view::npos)
      assembly.replace(line, "\t.section\tassay_constants,\"aw\",%progbits");
}

}  // namespace assay::simt::finish
