// Following line markers, `# LINE "FILE" FLAGS`, and spelling attributes.
#include "harness/adapter/ptx_route/preprocessed.h"

#include <array>
#include <vector>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/generate.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

// A line number says nothing about how long the file is: #line takes any.
constexpr int kLinesMax = 1'000'000;

// The attributes that CUDA's qualifiers are macros for.
bool is_cuda_attribute(std::string_view name) {
  return is_one_of(name, {"global", "device", "host", "shared", "constant", "managed", "grid_constant", "launch_bounds",
                          "cluster_dims", "maxnreg"});
}

// `__attribute__((TEXT))` as a qualifier; "" for one that is none.
std::string qualifier_of(std::string_view text) {
  const size_t end = std::min(text.find('('), text.size());
  std::string_view name = text.substr(0, end);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return is_cuda_attribute(name) ? "__" + std::string(name) + "__" + std::string(text.substr(end)) : "";
}

// The end of the brackets that open at `open`, past the last one; the text's size where they do not close.
size_t past_brackets(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

std::string with_qualifiers(std::string_view line) {
  static constexpr std::string_view kWord = "__attribute__";
  std::string result;
  for (size_t done = 0; done < line.size();) {
    const size_t at = std::min(line.find(kWord, done), line.size());
    result += line.substr(done, at - done);
    const size_t open = line.find_first_not_of(' ', std::min(at + kWord.size(), line.size()));
    done = at == line.size() ? at : open < line.size() && line[open] == '(' ? past_brackets(line, open) : open;
    if (at == line.size() || open >= line.size() || done < open + 4) continue;
    result += qualifier_of(line.substr(open + 2, done - open - 4));
  }
  return result;
}

// The number and the quoted path of a line marker; nothing of any other line.
struct Marker {
  int line = 0;
  std::string_view path;
};
Marker marker_of(std::string_view line) {
  Scanner scan(line);
  if (!scan.skip("# ")) return {};
  Marker marker;
  for (const char digit : scan.take(is_digit))
    if (marker.line < kLinesMax) marker.line = marker.line * 10 + (digit - '0');
  if (!scan.skip(" \"")) return {};
  marker.path = scan.rest().substr(0, scan.rest().rfind('"'));
  return marker;
}

}  // namespace

std::string own_text(std::string_view preprocessed, const std::string& path, int first_line) {
  const std::string directive = line_directive(1, path);  // which is how nvcc was given the path
  const size_t quote = directive.find('"') + 1;
  const std::string_view wanted = std::string_view(directive).substr(quote, directive.rfind('"') - quote);
  std::vector<std::string> lines;
  bool is_own = false;
  int number = 0;
  for (size_t begin = 0; begin < preprocessed.size();) {
    const size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size());
    const std::string_view line = preprocessed.substr(begin, end - begin);
    begin = end + 1;
    if (const Marker marker = marker_of(line); marker.line > 0) {
      is_own = marker.path == wanted;
      number = marker.line - first_line;
      continue;
    }
    if (is_own && number >= 0 && number < kLinesMax && line.find_first_not_of(" \t") != std::string_view::npos) {
      lines.resize(std::max(lines.size(), static_cast<size_t>(number) + 1));
      std::string& place = lines[static_cast<size_t>(number)];
      place += (place.empty() ? "" : " ") + with_qualifiers(line);
    }
    ++number;
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace assay
