// The text of a function's body.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <string>

#include "harness/reader/facts.h"

namespace assay::reader {

// The function to which another hands all its work: it ends with a call, whose arguments are names. Null for none.
struct Worker {
  const clang::FunctionDecl* function = nullptr;
  std::map<std::string, std::string> names = {};  // the arguments, by the parameters that have other names
};

Worker handed_to(const clang::FunctionDecl* function);

// With macros expanded, and the body of a function that it hands all its work to at the end, with its own names for
// what it passes. Of several functions that one macro makes, the body of this one.
std::string body_of(const clang::FunctionDecl* function, const ExpandedText& expanded);

}  // namespace assay::reader
