// report.html: one page for people, complete in itself: its styles, scripts, Chart.js and data are inside.
//
// reports/template/report.html is the frame. {{name}} stands for the embedded file of that name, {{data}} for the
// page's data; {{outcome}}, {{headline}} and {{summary}}, the console's, are what a reader without scripts sees.
#include <nlohmann/json.hpp>

#include "harness/base/embedded.h"
#include "harness/report/console.h"
#include "harness/report/html_frame.h"
#include "harness/report/page_data.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

std::string replaced(std::string_view text, char from, std::string_view to) {
  std::string out;
  for (const char c : text) c == from ? out += to : out += c;
  return out;
}

// Every text as a page may be given it.
nlohmann::json shown(nlohmann::json value) {
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (value.is_structured())
    for (auto& part : value) part = shown(std::move(part));
  return value;
}

// JSON that no HTML parser can leave early: '<' occurs only inside strings, where < means the same. That covers
// "</script" and "<!--" in a detail that somebody's kernel printed.
std::string data_text(const Report& report) {
  return replaced(shown(page_data(report)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), '<',
                  "\\u003c");
}

std::string filled(const std::string& placeholder, const Report& report) {
  if (placeholder == "data") return data_text(report);
  if (placeholder == "summary") return html_text(summary_text(report));
  if (placeholder == "outcome") return std::string(name(summarise(report).outcome));
  if (placeholder == "headline") return html_text(summarise(report).headline);
  return embedded_file(placeholder);
}

std::string render(const Report& report) {
  return filled_frame(embedded_file("report.html"), [&](const std::string& place) { return filled(place, report); });
}

const RegisterSink kSink({"report.html", "html", "everything on one page, for people: open it in a browser", render});

}  // namespace
}  // namespace assay
