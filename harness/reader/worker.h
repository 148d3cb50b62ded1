// The function that does another's work.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <string>

namespace assay::reader {

// The function to which another hands all its work: it ends with a call, whose arguments are names. Null for none.
struct Worker {
  const clang::FunctionDecl* function = nullptr;
  std::map<std::string, std::string> names = {};  // the arguments, by the parameters that have other names
};

Worker handed_to(const clang::FunctionDecl* function);

}  // namespace assay::reader
