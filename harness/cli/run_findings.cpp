// Reading lines of JSON, writing XML.
#include "harness/cli/run_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "harness/base/printable.h"
#include "harness/base/write_file.h"

namespace assay {

std::vector<RunFinding> run_findings(const std::string& folder) {
  std::vector<RunFinding> findings;
  bool uses_cuda = false;
  std::ifstream in(folder + "/findings.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_discarded() && row.contains("begins")) uses_cuda = true;
    if (row.is_discarded() || !row.contains("finding")) continue;
    findings.push_back({row.value("finding", ""), row.value("detail", ""), row.value("where", "")});
  }
  if (!uses_cuda)
    findings.push_back({"SKIPPED",
                        "the program called nothing of CUDA that could be answered, so nothing was checked; is it the "
                        "right one, dynamically linked?",
                        "the whole program"});
  return findings;
}

std::string summary_of(const std::vector<RunFinding>& findings) {
  std::map<std::string, int> kinds;
  for (const RunFinding& finding : findings) ++kinds[finding.kind];
  std::vector<std::string> each;
  for (const auto& [kind, count] : kinds) each.push_back(fmt::format("{} {}", count, kind));
  if (each.empty()) return "no findings";
  return fmt::format("{} finding{}: {}", findings.size(), findings.size() == 1 ? "" : "s", fmt::join(each, ", "));
}

Result<void> write_junit(const std::string& folder, const std::string& program, int code,
                         const std::vector<RunFinding>& findings) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuite");
  suite.append_attribute("name") = "assay run";
  suite.append_attribute("tests") = findings.size() + 1;
  suite.append_attribute("failures") = findings.size() + (code == 0 ? 0 : 1);
  const auto add = [&](const std::string& kind, const std::string& name) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = printable(kind).c_str();
    test.append_attribute("name") = printable(name).c_str();
    return test;
  };
  pugi::xml_node own = add("program", program);
  if (code != 0)
    own.append_child("failure").append_attribute("message") = fmt::format("ended with exit code {}", code).c_str();
  for (const RunFinding& finding : findings)
    add(finding.kind, finding.where).append_child("failure").append_attribute("message") =
        printable(finding.detail).c_str();
  std::ostringstream text;
  document.save(text, "  ");
  return write_file(folder + "/junit.xml", text.str());
}

}  // namespace assay
