// The functions of a file that are kernels or launch one, and the code that these reach.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace assay::reader {

// The code that is asked about.
struct CodeAsked {
  std::set<std::string> roots;  // functions; empty: those of the main file that are kernels or reach one
  std::string folder;           // headers below it count like the main file; "": none does
};

// The functions of these names; where there are none, those of the main file that are kernels or reach one, as of a
// file that launches its kernels itself. Instances of templates are functions of their own.
std::vector<const clang::FunctionDecl*> roots_of(clang::ASTContext& context, const std::set<std::string>& names);

using SeeFunction = std::function<void(const clang::FunctionDecl&)>;
using SeeStatement = std::function<void(const clang::Stmt&)>;

// Goes through the roots and all functions that they name, each once: `enter` sees the function, then `show` its
// statements and expressions, the outer ones first.
void visit_reached(const std::vector<const clang::FunctionDecl*>& roots, const SeeFunction& enter,
                   const SeeStatement& show);

}  // namespace assay::reader
