// The functions that count, and each of their statements before each kind of mutants.
#include "harness/reader/mutants.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <vector>

#include "harness/reader/mutant_sites.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

bool is_kernel(const Decl* declared) {
  const auto* function = dyn_cast_or_null<FunctionDecl>(declared);
  return function && function->hasAttr<CUDAGlobalAttr>();
}

// The function around lambdas.
const FunctionDecl* around_lambdas(const FunctionDecl* function) {
  for (;;) {
    const auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
    if (!method || !method->getParent()->isLambda()) return function;
    const DeclContext* outer = method->getParent()->getDeclContext();
    while (outer && !outer->isFunctionOrMethod()) outer = outer->getParent();
    function = dyn_cast_or_null<FunctionDecl>(outer);
  }
}

// Kernels and what launches them, or the functions of some names; instances of templates as well.
class Roots : public RecursiveASTVisitor<Roots> {
 public:
  Roots(ASTContext& context, const MutantsAsked& asked)
      : sources_(context.getSourceManager()), sites_(context, asked.folder), names_(asked.roots) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl* declared) {
    if (declared && !isa<TranslationUnitDecl>(declared) && declared->getLocation().isValid() &&
        sources_.isInSystemHeader(sources_.getExpansionLoc(declared->getLocation())) &&
        !sites_.counts(declared->getLocation()))
      return true;
    const FunctionDecl* before = function_;
    if (const auto* function = dyn_cast_or_null<FunctionDecl>(declared)) function_ = function;
    const bool goes_on = RecursiveASTVisitor::TraverseDecl(declared);
    function_ = before;
    return goes_on;
  }
  bool VisitFunctionDecl(FunctionDecl* function) {
    const bool is_root = names_.empty() ? is_kernel(function) : names_.count(function->getNameAsString()) != 0;
    if (is_root && function->doesThisDeclarationHaveABody()) all.push_back(function);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) { return note_launcher(name->getDecl()); }
  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr* open) {
    for (const NamedDecl* each : open->decls()) {
      const auto* made_from = dyn_cast<FunctionTemplateDecl>(each->getUnderlyingDecl());
      note_launcher(made_from ? made_from->getTemplatedDecl() : each->getUnderlyingDecl());
    }
    return true;
  }

  std::vector<const FunctionDecl*> all;

 private:
  bool note_launcher(const Decl* named) {
    const FunctionDecl* around = around_lambdas(function_);
    if (names_.empty() && is_kernel(named) && around && !is_kernel(around) && around->hasBody()) all.push_back(around);
    return true;
  }

  const SourceManager& sources_;
  const MutantSites sites_;
  const std::set<std::string>& names_;
  const FunctionDecl* function_ = nullptr;
};

// Goes from functions to those that they name, and shows each statement to the kinds.
class Planting : public RecursiveASTVisitor<Planting> {
 public:
  Planting(ASTContext& context, const MutantsAsked& asked) : sites(context, asked.folder) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseTypeLoc(TypeLoc) { return true; }  // sizes of arrays and arguments of templates are no code
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc&) { return true; }
  bool TraverseAttr(Attr*) { return true; }
  bool TraverseStaticAssertDecl(StaticAssertDecl*) { return true; }

  void run(const std::vector<const FunctionDecl*>& roots) {
    for (const FunctionDecl* root : roots) reach(root);
    while (!waiting_.empty()) {
      const FunctionDecl* function = waiting_.back();
      waiting_.pop_back();
      sites.enter(around_lambdas(function) ? around_lambdas(function)->getNameAsString() : "");
      if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function))
        for (const CXXCtorInitializer* each : constructor->inits()) TraverseStmt(each->getInit());
      TraverseStmt(function->getBody());
    }
  }

  bool VisitStmt(Stmt* node) {
    note_parts(node);
    for (const MutantKind& kind : mutant_kinds()) {
      sites.take_kind(kind.name);
      kind.plant(*node, sites);
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) { return reach(dyn_cast<FunctionDecl>(name->getDecl())); }
  bool VisitMemberExpr(MemberExpr* name) { return reach(dyn_cast<FunctionDecl>(name->getMemberDecl())); }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) { return reach(made->getConstructor()); }

  MutantSites sites;

 private:
  // Which of its parts are statements of their own.
  void note_parts(const Stmt* node) {
    if (const auto* block = dyn_cast<CompoundStmt>(node))
      for (const Stmt* part : block->body()) sites.note_unused(part);
    if (const auto* choice = dyn_cast<IfStmt>(node))
      sites.note_unused(choice->getThen()), sites.note_unused(choice->getElse());
    if (const auto* loop = dyn_cast<WhileStmt>(node)) sites.note_unused(loop->getBody());
    const auto* loop = dyn_cast<ForStmt>(node);
    if (loop) sites.note_unused(loop->getBody()), sites.note_loop_begin(loop->getInit());
  }

  bool reach(const FunctionDecl* function) {
    const FunctionDecl* defined = nullptr;
    if (function && function->hasBody(defined) && seen_.insert(defined).second) waiting_.push_back(defined);
    return true;
  }

  std::vector<const FunctionDecl*> waiting_;
  std::set<const FunctionDecl*> seen_;
};

}  // namespace

Object mutants_of(ASTContext& context, const MutantsAsked& asked) {
  Roots roots(context, asked);
  roots.TraverseDecl(context.getTranslationUnitDecl());
  Planting planting(context, asked);
  planting.run(roots.all);
  Array kinds, mutants;
  for (const MutantKind& kind : mutant_kinds()) kinds.push_back(kind.name);
  for (const auto& [edit, planted] : planting.sites.planted()) {
    const auto& [header, offset, length, replacement] = edit;
    mutants.push_back(Object{{"kind", planted.kind},
                             {"header", header},
                             {"offset", int64_t{offset}},
                             {"length", static_cast<int64_t>(length)},
                             {"replacement", replacement},
                             {"function", planted.function},
                             {"line", int64_t{planted.line}}});
  }
  return Object{{"kinds", std::move(kinds)}, {"mutants", std::move(mutants)}};
}

}  // namespace assay::reader
