// Names that nothing declares, as those of headers that are missing: what is around them is still understood.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Scope.h>

#include <map>

namespace assay::reader {

// Declares each such name in a function's body as a variable of a type that is left open, so that a launch with it as
// an argument remains a launch, and its text stays as it is. A name like scalar_t, which macros of a missing header
// define, is a type: float, so that templates have an instance. A template with one instance is judged in every element
// type for which it compiles, so nothing hangs on that choice.
class Undeclared : public clang::ExternalSemaSource {
 public:
  explicit Undeclared(clang::ASTContext& context) : context_(context) {}

  bool LookupUnqualified(clang::LookupResult& found, clang::Scope* scope) override {
    const clang::SourceLocation at = found.getNameLoc();
    clang::IdentifierInfo* name = found.getLookupName().getAsIdentifierInfo();
    const bool is_use = found.getLookupKind() == clang::Sema::LookupOrdinaryName && !found.isForRedeclaration();
    if (!is_use || !name || !scope || !scope->getFnParent() || at.isInvalid() ||
        context_.getSourceManager().isInSystemHeader(at))
      return false;
    clang::NamedDecl*& declared = declared_[name];
    clang::DeclContext* outside = context_.getTranslationUnitDecl();
    if (!declared && name->getName().ends_with("_t"))
      declared = clang::TypedefDecl::Create(context_, outside, at, at, name,
                                            context_.getTrivialTypeSourceInfo(context_.FloatTy, at));
    if (!declared)
      declared =
          clang::VarDecl::Create(context_, outside, at, at, name, context_.DependentTy, nullptr, clang::SC_Extern);
    found.addDecl(declared);
    return true;
  }

 private:
  clang::ASTContext& context_;
  std::map<const clang::IdentifierInfo*, clang::NamedDecl*> declared_;
};

}  // namespace assay::reader
