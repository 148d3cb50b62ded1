// The values that the variables of a function stand for.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <set>
#include <vector>

namespace assay::reader {

using Variables = std::set<const clang::ValueDecl*>;

inline constexpr int kDefinitionsDeepMax = 12;  // of variables and calls in those of others

// The value of a local variable where it is named: its only one, or that of an assignment before. Null for others, and
// for parameters.
const clang::Expr* value_of(const clang::DeclRefExpr& name, const clang::FunctionDecl* function);

bool is_dim3(clang::QualType type);

// The constructor of a dim3 behind casts and variables.
const clang::CXXConstructExpr* made_dim3(const clang::Expr* e, const clang::FunctionDecl* function, int depth = 0);

// Whether an expression hangs on one of some variables, through the values of constants too.
bool hangs_on(const clang::Expr* e, const Variables& variables, const clang::FunctionDecl* function);

// The variables among the arguments of a call whose names say more than their values: numbers that a main() has chosen,
// as `int S = 1 << 6`, by themselves or as a part of an argument, and what an object says of itself, as x.size(1).
Variables named_numbers(llvm::ArrayRef<const clang::Expr*> arguments, const clang::FunctionDecl* function);

// Such numbers of a grid's extents that nothing in `passed` is in, where the function uses them for more than launches:
// R of <<<R, 256>>> beside cudaMalloc(&x, R * D), and not the 128 blocks that a kernel shares its elements out to.
Variables numbers_of_data(const clang::Expr& grid, const clang::FunctionDecl* function, const Variables& passed);

struct NamedFunction {
  const clang::FunctionDecl* function;
  const clang::Expr* assigned;  // the value of a variable that names it; null where the expression itself does
};

// The functions that an expression may name: &k<float>, or a variable that several were assigned to.
std::vector<NamedFunction> functions_named(const clang::Expr& expression, const clang::FunctionDecl* function);

// The value that is assigned to a member of a local variable, as config.gridDim = …; null for none, and for several.
const clang::Expr* member_value(const clang::ValueDecl& variable, llvm::StringRef member,
                                const clang::FunctionDecl* function);

}  // namespace assay::reader
