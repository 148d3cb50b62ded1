// Following what pieces need, and writing them one after the other.
#include "harness/adapter/read/pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"

namespace assay {
namespace {

std::string name_of_macro(const std::string& define) {
  const size_t begin = std::string("#define ").size();
  size_t end = begin;
  while (end < define.size() && (std::isalnum(static_cast<unsigned char>(define[end])) != 0 || define[end] == '_'))
    ++end;
  return define.substr(begin, end - begin);
}

class Writer {
 public:
  void add(const Piece& piece) {
    for (const std::string& each : piece.defines) define(each);
    if (!piece.opens.empty()) text_ += piece.opens + "\n";
    for (const std::string& scope : piece.scopes) text_ += fmt::format("namespace {} {{\n", scope);
    if (piece.is_c) text_ += "extern \"C\" {\n";
    text_ += line_directive(piece.line, piece.file) + piece.text + "\n";
    if (piece.is_c) text_ += "}\n";
    for (size_t i = 0; i < piece.scopes.size(); ++i) text_ += "}\n";
  }

  std::string text_;

 private:
  void define(const std::string& text) {
    const auto [known, is_new] = macros_.try_emplace(name_of_macro(text), text);
    if (!is_new && known->second == text) return;
    if (!is_new) text_ += fmt::format("#undef {}\n", known->first);
    known->second = text;
    text_ += text + "\n";
  }

  std::map<std::string, std::string> macros_;
};

}  // namespace

ReachedPieces FilePieces::reached(const std::set<std::string>& entries, const std::set<std::string>& words) const {
  std::vector<size_t> open;
  const auto add = [&](const auto& known, const std::string& name) {
    const auto found = known.find(name);
    if (found != known.end()) open.insert(open.end(), found->second.begin(), found->second.end());
    return found != known.end();
  };
  for (const std::string& entry : entries)
    if (!add(roots, entry) && !add(names, entry.substr(0, entry.find('(')))) return {};
  for (const std::string& word : words)
    if (!entries.contains(word)) add(names, word);
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].always) open.push_back(i);
  std::map<size_t, const Piece*> all;  // by their order
  while (!open.empty()) {
    const Piece& next = pieces.at(open.back());
    open.pop_back();
    if (all.emplace(next.order, &next).second) open.insert(open.end(), next.needs.begin(), next.needs.end());
  }
  Writer writer;
  ReachedPieces found;
  std::set<std::string> includes;
  for (const auto& [order, piece] : all) {
    includes.insert(piece->includes.begin(), piece->includes.end());
    found.traits.insert(piece->traits.begin(), piece->traits.end());
    if (found.assembly.empty()) found.assembly = piece->assembly;
  }
  for (const std::string& include : includes) writer.text_ += fmt::format("#include {}\n", include);
  for (const auto& [order, piece] : all) writer.add(*piece);
  found.text = std::move(writer.text_);
  return found;
}

}  // namespace assay
