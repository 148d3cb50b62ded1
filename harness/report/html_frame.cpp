// Replacing characters and places.
#include "harness/report/html_frame.h"

#include "harness/base/printable.h"

namespace assay {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

std::string filled_frame(const std::string& frame, const std::function<std::string(const std::string& name)>& filled) {
  std::string page;
  for (size_t at = 0; at < frame.size();) {
    const size_t open = frame.find("{{", at), close = frame.find("}}", open);
    page += frame.substr(at, open - at);
    if (open == std::string::npos) break;
    page += filled(frame.substr(open + 2, close - open - 2));
    at = close + 2;
  }
  return page;
}

}  // namespace assay
