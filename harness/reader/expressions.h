// Prints expressions and types of an AST in terms that a caller knows.
#pragma once

#include <clang/AST/Expr.h>

#include <string>
#include <vector>

#include "harness/reader/values.h"

namespace assay::reader {

// The text of an expression of `function`'s body over its parameters: local variables that have one value stand for it,
// constants are numbers, macros are expanded, casts are left out, and calls of functions that only return something
// stand for that. A name that has no such value stays as it is, and so do the variables of `kept`.
std::string text_of(const clang::Expr& expression, const clang::FunctionDecl* function, clang::ASTContext& context,
                    const Variables& kept = {});

// The extents of a dim3 that is made of expressions: one to three texts. One text for anything else.
std::vector<std::string> extents_of(const clang::Expr& expression, const clang::FunctionDecl* function,
                                    clang::ASTContext& context, const Variables& kept = {});

// A type without const and __restrict__: aliases are followed to a built-in type or a class, as __half is one. A
// template parameter is its name.
std::string type_name(clang::QualType type, clang::ASTContext& context);

// Arguments of a template, as an adapter writes them.
std::vector<std::string> argument_texts(llvm::ArrayRef<clang::TemplateArgument> arguments, clang::ASTContext& context);

}  // namespace assay::reader
