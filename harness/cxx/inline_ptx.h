// Inline PTX of kernels, translated as a PTX module's functions are (../ptx).
//
// asm("…" : "=r"(x) : "r"(y)) becomes inline_ptx_7(x, y), a function whose body is the text's. What the executor does
// not have is refused where a kernel reaches it, and not before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cxx {

struct PtxOperand {
  std::string constraint;  // "=r", "+f", "l"
  std::string_view value;  // as it stands in the source
};

struct PtxStatement {
  std::string text;  // of the instructions, as the compiler sees them
  std::vector<PtxOperand> outputs, inputs;
};

// The C++ of a function `inline_ptx_NUMBER` that does what the statement at `file`:`line` does; its parameters are the
// outputs, then those inputs that takes_value() says. Where that cannot be, one that the compiler refuses to call, with
// the reason; it has no parameters, and `is_understood` is false.
std::string inline_ptx_function(const PtxStatement& statement, size_t number, const std::string& file, int line,
                                bool& is_understood);

// Whether an input is a parameter of the function, and not part of its text as an "n" is.
bool takes_value(const PtxOperand& input);

// The characters of a string literal, with its quotes; "" where it is a raw one.
std::string unquoted(std::string_view literal);

}  // namespace assay::cxx
