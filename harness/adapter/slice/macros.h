// The macros that a CUDA file defines itself, and what a text becomes when they are replaced: good enough to know which
// names a text uses and which kernels a macro writes, without a preprocessor.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;  // "__VA_ARGS__" for the dots
  std::string body;

  // Whether it writes whole declarations, or opens or closes a scope; else it stands within a declaration.
  bool writes_declarations() const { return body.find_first_of(";{}") != std::string::npos; }
};

class Macros {
 public:
  // `code` has no comments (cuda_text.h). A name that several branches define has several definitions.
  static Macros of(std::string_view code);

  // The definitions of a name; empty for what is no macro of the file.
  const std::vector<Macro>& find(std::string_view name) const;

  // The text with every macro replaced, all definitions one after another. Lines and strings are not kept.
  std::string expanded(std::string_view code) const;

  // The identifiers of a text and of what its macros become, except members (x.name, x->name).
  std::set<std::string> words_of(std::string_view code) const;

 private:
  void append_expanded(std::string_view code, std::set<std::string>& active, std::string& out) const;

  std::map<std::string, std::vector<Macro>, std::less<>> macros_;
};

}  // namespace assay
