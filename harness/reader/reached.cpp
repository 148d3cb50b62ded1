// Going through the syntax tree for the functions that count, and from these to what they name.
#include "harness/reader/reached.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

namespace {

// Functions of the main file, or those of some names; instances of templates as well.
class Functions : public RecursiveASTVisitor<Functions> {
 public:
  Functions(ASTContext& context, const std::set<std::string>& names)
      : sources_(context.getSourceManager()), names_(names) {
    TraverseDecl(context.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl* declared) {
    if (declared && !isa<TranslationUnitDecl>(declared) && is_in_system(declared->getLocation(), sources_)) return true;
    return RecursiveASTVisitor::TraverseDecl(declared);
  }
  bool VisitFunctionDecl(FunctionDecl* function) {
    const bool is_wanted = names_.empty() ? is_in_main_file(function->getLocation(), sources_)
                                          : names_.count(function->getNameAsString()) != 0;
    if (is_wanted && function->doesThisDeclarationHaveABody()) all.push_back(function);
    return true;
  }

  std::vector<const FunctionDecl*> all;

 private:
  const SourceManager& sources_;
  const std::set<std::string>& names_;
};

// Goes from functions to those that they name.
class Reached : public RecursiveASTVisitor<Reached> {
 public:
  Reached(const std::vector<const FunctionDecl*>& roots, const SeeFunction& enter, SeeStatement show)
      : show_(std::move(show)) {
    for (const FunctionDecl* root : roots) reach(root);
    while (!waiting_.empty()) {
      const FunctionDecl* function = waiting_.back();
      waiting_.pop_back();
      enter(*function);
      if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function))
        for (const CXXCtorInitializer* each : constructor->inits()) TraverseStmt(each->getInit());
      TraverseStmt(function->getBody());
    }
  }

  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseTypeLoc(TypeLoc) { return true; }  // sizes of arrays and arguments of templates are no code
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc&) { return true; }
  bool TraverseAttr(Attr*) { return true; }
  bool TraverseStaticAssertDecl(StaticAssertDecl*) { return true; }

  bool VisitStmt(Stmt* node) {
    show_(*node);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) { return reach(dyn_cast<FunctionDecl>(name->getDecl())); }
  bool VisitMemberExpr(MemberExpr* name) { return reach(dyn_cast<FunctionDecl>(name->getMemberDecl())); }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) { return reach(made->getConstructor()); }

 private:
  bool reach(const FunctionDecl* function) {
    const FunctionDecl* defined = nullptr;
    if (function && function->hasBody(defined) && seen_.insert(defined).second) waiting_.push_back(defined);
    return true;
  }

  const SeeStatement show_;
  std::vector<const FunctionDecl*> waiting_;
  std::set<const FunctionDecl*> seen_;
};

bool reaches_kernel(const FunctionDecl* function) {
  bool found = false;
  const Reached all(
      {function}, [&](const FunctionDecl& each) { found |= each.hasAttr<CUDAGlobalAttr>(); }, [](const Stmt&) {});
  return found;
}

}  // namespace

std::vector<const FunctionDecl*> roots_of(ASTContext& context, const std::set<std::string>& names) {
  std::vector<const FunctionDecl*> roots = Functions(context, names).all;
  if (names.empty()) llvm::erase_if(roots, [](const FunctionDecl* each) { return !reaches_kernel(each); });
  return roots;
}

void visit_reached(const std::vector<const FunctionDecl*>& roots, const SeeFunction& enter, const SeeStatement& show) {
  const Reached all(roots, enter, show);
}

}  // namespace assay::reader
