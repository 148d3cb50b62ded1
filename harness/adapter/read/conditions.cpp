// Following directives down to a line.
#include "harness/adapter/read/conditions.h"

#include <algorithm>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

// The one name in "#ifdef NAME", "#if defined(NAME)", "#if NAME"; "" for other conditions.
std::string one_name(std::string_view directive, std::string_view line) {
  const std::vector<Token> tokens = tokens_of(line.substr(line.find(directive) + directive.size()));
  std::vector<std::string> words;
  for (const Token& token : tokens) {
    if (token.text == "(" || token.text == ")" || (directive == "if" && token.text == "defined")) continue;
    if (!token.is_word()) return "";
    words.emplace_back(token.text);
  }
  return words.size() == 1 && !words[0].starts_with("__") ? words[0] : "";
}

bool defines(std::string_view code, const std::string& name) {
  for (size_t begin = 0; begin < code.size();) {
    const size_t end = end_of_logical_line(code, begin);
    const std::string_view line = code.substr(begin, end - begin);
    if (directive_of(line) == "define") {
      const std::vector<Token> tokens = tokens_of(line);
      if (tokens.size() > 2 && tokens[2].text == name) return true;
    }
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::vector<std::string> macros_needed(std::string_view text, int line) {
  const auto code = without_comments(text);
  if (!code) return {};
  std::vector<std::string> open;  // of each condition that is not closed, "" where it says nothing
  int at = 1;
  for (size_t begin = 0; begin < code->size() && at < line;) {
    const size_t end = end_of_logical_line(*code, begin);
    const std::string_view here = std::string_view(*code).substr(begin, end - begin);
    const std::string_view directive = directive_of(here);
    if (directive == "ifdef" || directive == "if")
      open.push_back(one_name(directive, here));
    else if (directive == "ifndef")
      open.emplace_back();
    else if ((directive == "else" || directive == "elif") && !open.empty())
      open.back() = directive == "elif" ? one_name("elif", here) : "";
    else if (directive == "endif" && !open.empty())
      open.pop_back();
    at += 1 + static_cast<int>(std::count(here.begin(), here.end(), '\n'));
    begin = end + 1;
  }
  std::erase_if(open, [&](const std::string& name) { return name.empty() || defines(*code, name); });
  return open;
}

}  // namespace assay
