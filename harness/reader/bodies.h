// The text of a function's body.
#pragma once

#include <clang/AST/Decl.h>

#include <string>

#include "harness/reader/facts.h"

namespace assay::reader {

// With macros expanded, and the body of a function that it hands all its work to at the end, with its own names for
// what it passes. Of several functions that one macro makes, the body of this one.
std::string body_of(const clang::FunctionDecl* function, const ExpandedText& expanded);

}  // namespace assay::reader
