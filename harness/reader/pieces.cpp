// A closure over references between declarations, and the text at each declaration's place.
#include "harness/reader/pieces.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>

#include <algorithm>

#include "harness/reader/places.h"
#include "harness/reader/references.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

// The declaration that a template's instance is made from, and a template for its pattern.
const Decl* as_written(const Decl* declared) {
  if (const auto* function = dyn_cast<FunctionDecl>(declared)) {
    if (const FunctionDecl* pattern = function->getTemplateInstantiationPattern()) declared = function = pattern;
    if (const auto* made_from = function->getDescribedFunctionTemplate()) return made_from;
  }
  if (const auto* record = dyn_cast<CXXRecordDecl>(declared)) {
    if (const CXXRecordDecl* pattern = record->getTemplateInstantiationPattern()) declared = record = pattern;
    if (const auto* made_from = record->getDescribedClassTemplate()) return made_from;
  }
  if (const auto* variable = dyn_cast<VarDecl>(declared)) {
    if (const VarDecl* pattern = variable->getTemplateInstantiationPattern()) declared = variable = pattern;
    if (const auto* made_from = variable->getDescribedVarTemplate()) return made_from;
  }
  if (const auto* alias = dyn_cast<TypeAliasDecl>(declared))
    if (const auto* made_from = alias->getDescribedAliasTemplate()) return made_from;
  return declared;
}

bool is_scope(const DeclContext* context) {
  return context->isTranslationUnit() || context->isNamespace() || isa<LinkageSpecDecl>(context);
}

// The declaration at a namespace's scope that another one is in; null for what is in none.
const Decl* outermost_of(const Decl* declared) {
  declared = as_written(declared);
  for (;;) {
    const DeclContext* around = declared->getLexicalDeclContext();
    if (!around || is_scope(around)) return around ? as_written(declared) : nullptr;
    declared = as_written(cast<Decl>(around));
  }
}

class KeptPieces : public Pieces {
 public:
  KeptPieces(ASTContext& context, Preprocessor& preprocessor)
      : context_(context), sources_(context.getSourceManager()), preprocessor_(preprocessor) {
    always(context.getTraversalScope());
  }

  int64_t keep(const Decl* declared) override {
    const auto number = number_of(declared);
    while (!open_.empty()) {
      const Decl* next = open_.back();
      open_.pop_back();
      follow(next);
    }
    return number;
  }

  Object keep_named(const std::set<std::string>& names) override {
    std::map<std::string, Array> found;
    find_named(context_.getTraversalScope(), names, found);
    Object all;
    for (auto& [name, numbers] : found) all[name] = std::move(numbers);
    return all;
  }

  Array take(ArrayRef<SourceLocation> errors) override {
    choose_overloads(errors);
    std::vector<size_t> order(pieces_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return sources_.isBeforeInTranslationUnit(pieces_[a].begin, pieces_[b].begin);
    });
    std::vector<Object> facts;
    for (Piece& piece : pieces_) facts.push_back(fact_of(piece));
    for (size_t i = 0; i < order.size(); ++i) facts[order[i]]["order"] = static_cast<int64_t>(i);
    Array all;
    for (Object& each : facts) all.push_back(std::move(each));
    return all;
  }

 private:
  struct Piece {
    SourceLocation begin, end;  // in a file; end is behind it
    const Decl* first = nullptr;
    std::set<size_t> needs, overloads;
    std::set<std::string> includes, traits;
    SourceLocation assembly = {};
    bool always = false;
  };

  template <class Decls>
  void find_named(const Decls& all, const std::set<std::string>& names, std::map<std::string, Array>& found) {
    for (const Decl* declared : all) {
      if (isa<NamespaceDecl>(declared) || isa<LinkageSpecDecl>(declared) || isa<EnumDecl>(declared))
        find_named(cast<DeclContext>(declared)->decls(), names, found);
      const auto* one = dyn_cast<NamedDecl>(declared);
      if (!one || !one->getIdentifier() || !names.contains(one->getName().str())) continue;
      if (const int64_t number = keep(one); number >= 0) found[one->getName().str()].push_back(number);
    }
  }

  // using namespace and aliases of namespaces hold for what follows, whoever names them.
  template <class Decls>
  void always(const Decls& all) {
    for (const Decl* declared : all) {
      if (const auto* inner = dyn_cast<NamespaceDecl>(declared)) always(inner->decls());
      if (const auto* inner = dyn_cast<LinkageSpecDecl>(declared)) always(inner->decls());
      if (declared->isImplicit() || declared->isInvalidDecl()) continue;
      if (!isa<UsingDirectiveDecl>(declared) && !isa<NamespaceAliasDecl>(declared)) continue;
      if (const int64_t number = number_of(declared); number >= 0) pieces_[static_cast<size_t>(number)].always = true;
    }
  }

  int64_t number_of(const Decl* declared) {
    const Decl* outermost = declared ? outermost_of(declared) : nullptr;
    if (!outermost || isa<NamespaceDecl>(outermost) || isa<TranslationUnitDecl>(outermost)) return -1;
    if (outermost->isImplicit() && isa<VarDecl, TypedefDecl>(outermost)) return -1;  // as of Undeclared
    const auto known = numbers_.find(outermost);
    if (known != numbers_.end()) return known->second;
    const SourceLocation at = sources_.getExpansionLoc(outermost->getLocation());
    if (at.isInvalid() || is_in_system(at, sources_) || sources_.isWrittenInBuiltinFile(at)) {
      if (at.isValid()) headers_[outermost] = header_of(at);
      return numbers_[outermost] = -1;
    }
    Piece piece;
    std::tie(piece.begin, piece.end) = place_of(outermost);
    if (sources_.getPresumedLoc(piece.begin).isInvalid()) return numbers_[outermost] = -1;  // around errors
    piece.first = outermost;
    const auto [same, is_new] = by_place_.try_emplace(piece.begin, pieces_.size());
    if (is_new) pieces_.push_back(piece);
    if (!is_new && sources_.isBeforeInTranslationUnit(pieces_[same->second].end, piece.end))
      pieces_[same->second].end = piece.end;
    numbers_[outermost] = static_cast<int64_t>(same->second);
    open_.push_back(outermost);
    return numbers_[outermost];
  }

  // A namespace of the system's must be there to be named.
  void note_header(const Decl* by, const NamespaceDecl* named) {
    const SourceLocation at = sources_.getExpansionLoc(named->getCanonicalDecl()->getLocation());
    const std::string header = sources_.isInSystemHeader(at) ? header_of(at) : "";
    if (!header.empty()) pieces_[static_cast<size_t>(numbers_.at(by))].includes.insert(header);
  }

  void need(const Decl* by, const Decl* declared, bool is_overload = false) {
    if (const auto* scope = dyn_cast<NamespaceDecl>(declared))
      return scope->isStdNamespace() ? void() : note_header(by, scope);
    const int64_t number = number_of(declared);
    Piece& piece = pieces_[static_cast<size_t>(numbers_.at(by))];
    if (number >= 0) (is_overload ? piece.overloads : piece.needs).insert(static_cast<size_t>(number));
    const auto header = number < 0 ? headers_.find(outermost_of(declared)) : headers_.end();
    if (header != headers_.end() && !header->second.empty()) piece.includes.insert(header->second);
  }

  // The header of the system, as a file of the user's or the shim includes it, by which a place of it is reached; ""
  // for what every kernel file has without.
  std::string header_of(SourceLocation at) const {
    for (FileID file = sources_.getFileID(at); file.isValid();) {
      const SourceLocation included = sources_.getIncludeLoc(file);
      if (included.isInvalid() || sources_.isWrittenInBuiltinFile(included)) return "";
      const bool in_shim = sources_.getFilename(included).contains("harness/reader/");
      if (in_shim || !sources_.isInSystemHeader(included)) {
        const StringRef rest =
            sources_.getBufferOrFake(sources_.getFileID(included)).getBuffer().substr(sources_.getFileOffset(included));
        const size_t end = rest.find_first_of(">\"", 1);
        if (end == StringRef::npos || rest.substr(1, end - 1).ends_with("prelude.h")) return "";
        return "<" + rest.substr(1, end - 1).str() + ">";
      }
      file = sources_.getFileID(included);
    }
    return "";
  }

  // Whether the place of an error is in a piece, or in one that it needs whatever else is there.
  std::vector<bool> broken_by(ArrayRef<SourceLocation> errors) const {
    std::vector<bool> broken(pieces_.size());
    for (const SourceLocation each : errors) {
      const SourceLocation at = sources_.getExpansionLoc(each);
      for (size_t i = 0; i < pieces_.size(); ++i)
        if (sources_.isPointWithin(at, pieces_[i].begin, pieces_[i].end)) broken[i] = true;
    }
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < pieces_.size(); ++i)
        if (!broken[i] && llvm::any_of(pieces_[i].needs, [&](size_t need) { return broken[need]; }))
          broken[i] = more = true;
    }
    return broken;
  }

  void choose_overloads(ArrayRef<SourceLocation> errors) {
    const std::vector<bool> broken = broken_by(errors);
    for (Piece& piece : pieces_)
      for (const size_t each : piece.overloads)
        if (!broken[each]) piece.needs.insert(each);
  }

  void follow(const Decl* declared) {
    Named named = named_in(*declared, context_);
    for (const Decl* each : named.overloads) need(declared, each, true);
    Piece& piece = pieces_[static_cast<size_t>(numbers_.at(declared))];
    piece.traits.merge(named.traits);
    if (piece.assembly.isInvalid()) piece.assembly = named.assembly;
    std::vector<const Decl*>& found = named.declarations;
    for (const Decl* again : declared->redecls()) found.push_back(again);
    if (const auto* alias = dyn_cast<NamespaceAliasDecl>(declared)) note_header(declared, alias->getNamespace());
    if (const auto* opened = dyn_cast<UsingDirectiveDecl>(declared))
      note_header(declared, opened->getNominatedNamespace());
    if (const auto* made_from = dyn_cast<ClassTemplateDecl>(declared)) {
      for (const auto* special : made_from->specializations()) specialised(special, found);
      SmallVector<ClassTemplatePartialSpecializationDecl*, 4> partial;
      const_cast<ClassTemplateDecl*>(made_from)->getPartialSpecializations(partial);
      found.insert(found.end(), partial.begin(), partial.end());
    }
    if (const auto* made_from = dyn_cast<FunctionTemplateDecl>(declared))
      for (const auto* special : made_from->specializations())
        if (special->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) found.push_back(special);
    if (const auto* special = dyn_cast<FunctionDecl>(declared))
      if (const auto* made_from = special->getPrimaryTemplate()) found.push_back(made_from);
    if (const auto* special = dyn_cast<ClassTemplateSpecializationDecl>(declared))
      found.push_back(special->getSpecializedTemplate());
    if (const auto* record = dyn_cast<CXXRecordDecl>(declared)) members_of(record, found);
    if (const auto* made_from = dyn_cast<ClassTemplateDecl>(declared)) members_of(made_from->getTemplatedDecl(), found);
    for (const Decl* each : found) need(declared, each);
  }

  // Members that are defined outside of their class.
  static void members_of(const CXXRecordDecl* record, std::vector<const Decl*>& found) {
    if (!record->hasDefinition()) return;
    for (const Decl* member : record->getDefinition()->decls())
      for (const Decl* again : member->redecls()) found.push_back(again);
  }

  static void specialised(const ClassTemplateSpecializationDecl* special, std::vector<const Decl*>& found) {
    if (special->getSpecializationKind() == TSK_ExplicitSpecialization) found.push_back(special);
  }

  // From behind what stands before the declaration, so that attributes are with it, to its ; or }.
  std::pair<SourceLocation, SourceLocation> place_of(const Decl* declared) const {
    const SourceRange range = sources_.getExpansionRange(declared->getSourceRange()).getAsRange();
    const SourceLocation at = range.getBegin();
    const FileID file = sources_.getFileID(at);
    const std::vector<Token>& tokens = tokens_of(file);
    const unsigned begin = sources_.getFileOffset(at);
    const unsigned end = sources_.getFileOffset(range.getEnd());
    size_t first = 0;
    while (first + 1 < tokens.size() && offset(tokens[first + 1]) <= begin) ++first;
    const bool is_macro = declared->getBeginLoc().isMacroID() && !sources_.isMacroArgExpansion(declared->getBeginLoc());
    const auto is_apart = [&](const Token& before) {  // the end of another macro, perhaps
      return ends_declaration(before) || (is_macro && before.is(tok::r_paren));
    };
    while (first > 0 && !is_apart(tokens[first - 1])) --first;
    size_t last = first;
    while (last + 1 < tokens.size() && offset(tokens[last]) < end) ++last;
    const bool has_body = tokens[last].is(tok::r_brace);
    const bool is_function = isa<FunctionDecl>(declared) || isa<FunctionTemplateDecl>(declared);
    if (!(has_body && is_function) && !(is_macro && !is_followed_by_end(tokens, last)))
      while (last + 1 < tokens.size() && tokens[last].isNot(tok::semi)) ++last;
    const SourceLocation start = sources_.getLocForStartOfFile(file);
    return {start.getLocWithOffset(static_cast<int>(offset(tokens[first]))),
            start.getLocWithOffset(static_cast<int>(offset(tokens[last]) + tokens[last].getLength()))};
  }

  static bool is_followed_by_end(const std::vector<Token>& tokens, size_t last) {
    return last + 1 < tokens.size() && tokens[last + 1].is(tok::semi);
  }

  static bool ends_declaration(const Token& token) {
    return token.isOneOf(tok::semi, tok::l_brace, tok::r_brace, tok::eof, tok::hash);
  }

  unsigned offset(const Token& token) const { return sources_.getFileOffset(token.getLocation()); }

  // The tokens of a file as they are written; each directive is one #, which ends what stands before it.
  const std::vector<Token>& tokens_of(FileID file) const {
    std::vector<Token>& tokens = tokens_[file];
    if (!tokens.empty()) return tokens;
    Lexer lexer(file, sources_.getBufferOrFake(file), sources_, context_.getLangOpts());
    Token token;
    bool in_directive = false;
    for (bool is_end = false; !is_end;) {
      is_end = lexer.LexFromRawLexer(token);
      if (token.isAtStartOfLine()) in_directive = token.is(tok::hash);
      if (!in_directive || token.is(tok::hash)) tokens.push_back(token);
    }
    return tokens;
  }

  Object fact_of(Piece& piece) const {
    const PresumedLoc place = sources_.getPresumedLoc(piece.begin);
    std::vector<std::string> scopes;
    bool is_c = false;
    for (const DeclContext* around = piece.first->getLexicalDeclContext(); around && !around->isTranslationUnit();
         around = around->getLexicalParent()) {
      if (const auto* scope = dyn_cast<NamespaceDecl>(around)) scopes.push_back(scope->getNameAsString());
      if (const auto* scope = dyn_cast<LinkageSpecDecl>(around))
        is_c = is_c || (scope->hasBraces() && scope->getLanguage() == LinkageSpecLanguageIDs::C);
    }
    std::reverse(scopes.begin(), scopes.end());
    const auto* opened = dyn_cast<UsingDirectiveDecl>(piece.first);
    Array needs, defines = defines_of(piece);  // which adds to its headers
    for (const size_t each : piece.needs) needs.push_back(static_cast<int64_t>(each));
    const PresumedLoc assembly = sources_.getPresumedLoc(piece.assembly);
    return Object{
        {"text", without_outer_branches(text_of(piece.begin, piece.end))},
        {"opens", opened ? empty(*opened->getNominatedNamespace()) : ""},
        {"file", std::string(place.getFilename())},
        {"line", place.getLine()},
        {"scopes", texts(scopes)},
        {"is_c", is_c},
        {"defines", std::move(defines)},
        {"includes", texts(piece.includes)},
        {"needs", std::move(needs)},
        {"traits", texts(piece.traits)},
        {"assembly", assembly.isValid() ? assembly.getFilename() + (":" + std::to_string(assembly.getLine())) : ""},
        {"always", piece.always}};
  }

  // The namespace without anything in it; "" for one without a name.
  static std::string empty(const NamespaceDecl& wanted) {
    std::string text = "{}";
    for (const DeclContext* at = &wanted; !at->isTranslationUnit(); at = at->getParent()) {
      const auto* scope = dyn_cast<NamespaceDecl>(at);
      if (!scope) continue;
      if (scope->isAnonymousNamespace()) return "";
      const std::string inner = text == "{}" ? text : "{ " + text + " }";
      text = (scope->isInline() ? "inline namespace " : "namespace ") + scope->getNameAsString() + " " + inner;
    }
    return text;
  }

  std::string text_of(SourceLocation begin, SourceLocation end) const {
    return Lexer::getSourceText(CharSourceRange::getCharRange(begin, end), sources_, context_.getLangOpts()).str();
  }

  // The macros of the user's files that a piece names, and those that these name, as they are defined at its place.
  Array defines_of(Piece& piece) const {
    std::vector<std::string> texts;
    std::set<const MacroInfo*> seen;
    Lexer lexer(piece.begin, context_.getLangOpts(), sources_.getCharacterData(piece.begin),
                sources_.getCharacterData(piece.begin), sources_.getCharacterData(piece.end));
    std::vector<StringRef> open = words_of(lexer);
    Array defines;
    while (!open.empty()) {
      IdentifierInfo* name = preprocessor_.getIdentifierInfo(open.back());
      open.pop_back();
      const MacroDirective* history = preprocessor_.getLocalMacroDirectiveHistory(name);
      const MacroDirective::DefInfo defined =
          history ? history->findDirectiveAtLoc(piece.end, sources_) : MacroDirective::DefInfo();
      const MacroInfo* macro = defined ? defined.getMacroInfo() : nullptr;
      if (!macro || macro->isBuiltinMacro() || !seen.insert(macro).second) continue;
      const SourceLocation at = macro->getDefinitionLoc();
      if (sources_.isWrittenInBuiltinFile(at) || sources_.isWrittenInCommandLineFile(at)) continue;
      if (sources_.isInSystemHeader(at)) {
        if (const std::string header = header_of(at); !header.empty()) piece.includes.insert(header);
        continue;
      }
      const SourceLocation end =
          Lexer::getLocForEndOfToken(macro->getDefinitionEndLoc(), 0, sources_, context_.getLangOpts());
      defines.push_back("#define " + text_of(at, end));
      for (const Token& token : macro->tokens())
        if (const IdentifierInfo* word = token.getIdentifierInfo()) open.push_back(word->getName());
    }
    return defines;
  }

  std::vector<StringRef> words_of(Lexer& lexer) const {
    std::vector<StringRef> words;
    Token token;
    for (bool is_end = false; !is_end;) {
      is_end = lexer.LexFromRawLexer(token);
      if (token.is(tok::raw_identifier)) words.push_back(token.getRawIdentifier());
    }
    return words;
  }

  ASTContext& context_;
  const SourceManager& sources_;
  Preprocessor& preprocessor_;
  std::vector<Piece> pieces_;
  std::map<const Decl*, int64_t> numbers_;
  std::map<const Decl*, std::string> headers_;  // of the system, that bring a declaration
  std::map<SourceLocation, size_t> by_place_;
  std::vector<const Decl*> open_;
  mutable std::map<FileID, std::vector<Token>> tokens_;
};

}  // namespace

std::unique_ptr<Pieces> Pieces::of(ASTContext& context, Preprocessor& preprocessor) {
  return std::make_unique<KeptPieces>(context, preprocessor);
}

}  // namespace assay::reader
