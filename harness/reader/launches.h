// The launches of kernels in the bodies of functions, however they are written.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/Support/JSON.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::reader {

// Keeps a fact for each launch: "kernel", "template_arguments", "line", "file", "in_main_file", "is_dependent",
// "extents", "shared", "arguments", "values", "conditions", "function" and "function_line", as facts.h says.
class Launches {
 public:
  explicit Launches(clang::ASTContext& context) : context_(context) {}

  // kernel<<<grid, block, shared>>>(arguments…) in the body of `around`, where `conditions` hold.
  void add_chevrons(const clang::CUDAKernelCallExpr& call, const clang::FunctionDecl* around,
                    const std::vector<std::string>& conditions);
  // Any other call: of cudaLaunchKernel and cudaLaunchKernelEx those that say what they launch are kept.
  void add_call(const clang::CallExpr& call, const clang::FunctionDecl* around,
                const std::vector<std::string>& conditions);

  // A value that is assigned where `conditions` hold; a launch of what it names is one where they do.
  void note_value(const clang::Expr* value, const std::vector<std::string>& conditions) {
    if (!conditions.empty()) assigned_where_[value] = conditions;
  }

  // In the order in which they were added, each with the function that it is in.
  std::vector<std::pair<const clang::FunctionDecl*, llvm::json::Object>> take() { return std::move(launches_); }

 private:
  struct Launch;
  void add(const Launch& made);

  clang::ASTContext& context_;
  std::map<const clang::Expr*, std::vector<std::string>> assigned_where_;
  std::vector<std::pair<const clang::FunctionDecl*, llvm::json::Object>> launches_;
};

}  // namespace assay::reader
