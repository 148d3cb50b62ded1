// A visitor that notes every name, and casts and calls that say more.
#include "harness/reader/references.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

namespace {

constexpr int kWarpBits = 5;  // of the number of a lane

class References : public RecursiveASTVisitor<References> {
 public:
  References(const Decl& declared, ASTContext& context) : context_(context) {
    TraverseDecl(const_cast<Decl*>(&declared));
  }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitDeclRefExpr(DeclRefExpr* e) {
    const IdentifierInfo* name = e->getDecl()->getIdentifier();
    if (name && name->getName().ends_with("_VECTORIZE")) all.traits.insert("vectors");  // CUB's
    return note(e->getDecl()), note(e->getFoundDecl());
  }
  bool VisitCallExpr(CallExpr* e) {
    const std::string name = name_called(*e);
    if (name.starts_with("__shfl") || name.starts_with("__reduce_") || name == "tiled_partition")
      all.traits.insert("warps");
    if (name.find("memcpy_async") != name.npos || name.find("_matrix_sync") != name.npos ||
        name == "__builtin_assume_aligned")
      all.traits.insert("vectors");
    // rsqrtf is one function, whatever a kernel is compiled with.
    if (const FunctionDecl* callee = e->getDirectCallee(); callee && name != "rsqrtf" && is_approximation(*callee))
      all.traits.insert("approximations");
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* e) {
    const auto* size = dyn_cast<MemberExpr>(e->getLHS()->IgnoreParenCasts());
    const auto* of = size ? dyn_cast<DeclRefExpr>(size->getBase()->IgnoreParenCasts()) : nullptr;
    const bool divides = (e->getOpcode() == BO_Div && whole_value(*e->getRHS(), context_) == 1 << kWarpBits) ||
                         (e->getOpcode() == BO_Shr && whole_value(*e->getRHS(), context_) == kWarpBits);
    if (divides && of && of->getDecl()->getNameAsString() == "blockDim") all.traits.insert("warps");
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt* statement) {
    if (all.assembly.isInvalid()) all.assembly = context_.getSourceManager().getSpellingLoc(statement->getBeginLoc());
    all.traits.insert("vectors");
    const llvm::StringRef text = statement->getAsmString()->getString();
    if (text.contains("mma"))
      for (const auto& [type, operands] :
           {std::pair(".tf32.", "tf32"), {".bf16.", "bf16_operands"}, {".f16.f16.f32", "f16_operands"}})
        if (text.contains(type)) all.traits.insert(operands);
    return true;
  }
  bool VisitExplicitCastExpr(ExplicitCastExpr* e) {
    const QualType to = e->getTypeAsWritten(), from = e->getSubExpr()->getType();
    if (to->isIntegerType() && from->isPointerType()) all.traits.insert("addresses");
    const auto* name = dyn_cast<DeclRefExpr>(e->getSubExpr()->IgnoreParenCasts());
    if (name && name->getDecl()->hasAttr<CUDASharedAttr>()) return true;
    if (to->isPointerType() && from->isPointerType()) note_access(to->getPointeeType(), from->getPointeeType());
    if (to->isReferenceType() && e->getCastKind() == CK_LValueBitCast) note_access(to.getNonReferenceType(), from);
    return true;
  }
  bool VisitParmVarDecl(ParmVarDecl* parameter) {
    if (parameter->getType()->isPointerType()) note_access(parameter->getType()->getPointeeType(), context_.VoidTy);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* e) { return note(e->getMemberDecl()); }
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr* e) {  // the x of a half2 that a template calls V
    const std::string lane = e->getMember().getAsString();
    if (lane.size() == 1 && lane.find_first_of("xyzw") == 0 && !e->isImplicitAccess() &&
        e->getBaseType()->isTemplateTypeParmType())
      all.traits.insert("vectors");
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* e) { return note(e->getConstructor()); }
  bool VisitOverloadExpr(OverloadExpr* e) {
    // An operator in a template may be that of numbers, whatever else is declared.
    const bool is_certain = e->getNumDecls() == 1 && e->getName().getNameKind() != DeclarationName::CXXOperatorName;
    for (const NamedDecl* each : e->decls())
      (is_certain ? all.declarations : all.overloads).push_back(each->getUnderlyingDecl());
    return true;
  }
  bool VisitTypeLoc(TypeLoc at) {
    const Type* type = at.getTypePtr();
    if (const auto* tag = dyn_cast<TagType>(type)) note(tag->getDecl());
    if (const auto* alias = dyn_cast<TypedefType>(type)) note(alias->getDecl());
    if (const auto* used = dyn_cast<UsingType>(type))
      note(used->getFoundDecl()), note(used->getFoundDecl()->getTargetDecl());
    if (const auto* made = dyn_cast<TemplateSpecializationType>(type)) {
      note(made->getTemplateName().getAsTemplateDecl());
      if (const auto* record = made->getAsRecordDecl()) note(record);
      note_fragment(*made);
    }
    if (const auto* self = dyn_cast<InjectedClassNameType>(type)) note(self->getDecl());
    return true;
  }
  bool VisitExpr(Expr* e) {
    if (const auto* record = e->getType().isNull() ? nullptr : e->getType()->getAsCXXRecordDecl()) note(record);
    return true;
  }
  bool VisitFriendDecl(FriendDecl* e) {
    if (const NamedDecl* declared = e->getFriendDecl())
      for (const Decl* again : declared->redecls()) note(again);
    return true;
  }
  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc at) {
    for (NestedNameSpecifierLoc part = at; part; part = part.getPrefix())
      note(part.getNestedNameSpecifier()->getAsNamespaceAlias()), note(part.getNestedNameSpecifier()->getAsNamespace());
    return RecursiveASTVisitor::TraverseNestedNameSpecifierLoc(at);
  }
  bool VisitTemplateName(const TemplateDecl* named) { return note(named); }
  bool VisitConceptReference(ConceptReference* named) { return note(named->getNamedConcept()); }
  bool TraverseTemplateName(TemplateName name) {
    note(name.getAsTemplateDecl());
    return RecursiveASTVisitor::TraverseTemplateName(name);
  }

  Named all;

 private:
  bool note(const Decl* declared) {
    if (declared) all.declarations.push_back(declared);
    return true;
  }

  // The executor's fast intrinsics stand in one header.
  bool is_approximation(const FunctionDecl& callee) const {
    const SourceManager& sources = context_.getSourceManager();
    return sources.getFilename(sources.getExpansionLoc(callee.getLocation())).ends_with("/simt/fast_math.h");
  }

  // fragment<matrix_a, m, n, k, type, …>
  void note_fragment(const TemplateSpecializationType& made) {
    constexpr size_t kType = 4;
    const TemplateDecl* named = made.getTemplateName().getAsTemplateDecl();
    const auto arguments = made.template_arguments();
    if (!named || named->getName() != "fragment" || arguments.size() <= kType) return;
    for (const size_t i : {size_t{0}, kType})
      if (arguments[i].getKind() != TemplateArgument::Type) return;
    if (arguments[0].getAsType().getAsString().find("matrix_") == std::string::npos) return;
    const std::string type = arguments[kType].getAsType().getAsString();
    const llvm::StringRef text(type);
    if (text.contains("tf32")) all.traits.insert("tf32");
    if (text.contains("bfloat16")) all.traits.insert("bf16_operands");
    if (text.contains("half")) all.traits.insert("f16_operands");
  }

  // Classes of more than 16 bits, and larger numbers than those that are there, are vectors.
  void note_access(QualType accessed, QualType from) {
    const auto bytes = [&](QualType type) {
      const bool is_known = !type->isDependentType() && !type->isIncompleteType() && !type->isFunctionType();
      return is_known ? context_.getTypeSizeInChars(type).getQuantity() : 0;
    };
    const bool is_class = accessed->isRecordType() ? bytes(accessed) > 2
                                                   : accessed->isDependentType() && !accessed->isTemplateTypeParmType();
    if (is_class || (bytes(from) > 0 && bytes(accessed) > bytes(from))) all.traits.insert("vectors");
  }

  ASTContext& context_;
};

}  // namespace

Named named_in(const Decl& declared, ASTContext& context) { return References(declared, context).all; }

}  // namespace assay::reader
