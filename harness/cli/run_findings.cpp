// Reading lines of JSON, writing XML.
#include "harness/cli/run_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/program/statistics_json.h"

namespace assay {

namespace {

// Every line of FOLDER/findings.jsonl that is JSON.
std::vector<nlohmann::json> lines_in(const std::string& folder) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(folder + "/findings.jsonl");
  for (std::string line; std::getline(in, line);)
    if (auto row = nlohmann::json::parse(line, nullptr, false); !row.is_discarded()) lines.push_back(std::move(row));
  return lines;
}

}  // namespace

bool uses_cuda(const std::string& folder) {
  return std::ranges::any_of(lines_in(folder), [](const nlohmann::json& line) { return line.contains("begins"); });
}

bool has_captured(const std::string& folder) {
  return std::ranges::any_of(lines_in(folder), [](const nlohmann::json& line) { return line.contains("captured"); });
}

std::vector<RunFinding> run_findings(const std::string& folder) {
  std::vector<RunFinding> findings;
  for (const nlohmann::json& line : lines_in(folder))
    if (line.contains("finding"))
      findings.push_back({line.value("finding", ""), line.value("detail", ""), line.value("where", "")});
  return findings;
}

std::vector<RunKernel> run_kernels(const std::string& folder) {
  std::map<std::string, RunKernel> by_name;
  for (const nlohmann::json& line : lines_in(folder)) {
    if (!line.contains("kernel")) continue;
    RunKernel& kernel = by_name[line.value("kernel", "")];
    kernel.launches += line.value("launches", int64_t{0});
    kernel.left_out += line.value("left_out", int64_t{0});
    kernel.seconds += line.value("seconds", 0.0);
  }
  std::vector<RunKernel> kernels;
  for (auto& [name, kernel] : by_name) {
    kernel.kernel = name;
    kernels.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(kernels, std::greater(), &RunKernel::seconds);
  return kernels;
}

std::vector<std::string> run_notes(const std::string& folder) {
  std::vector<std::string> notes;
  for (const nlohmann::json& line : lines_in(folder))
    if (const std::string note = line.value("note", ""); !note.empty() && std::ranges::find(notes, note) == notes.end())
      notes.push_back(note);
  return notes;
}

AccessStatistics run_statistics(const std::string& folder) {
  AccessStatistics all;
  for (const nlohmann::json& row : lines_in(folder)) {
    if (!row.contains("statistics")) continue;
    const auto one = row["statistics"].get<AccessStatistics>();
    if (all.incomplete.empty()) all.incomplete = one.incomplete;
    for (const KernelCounts& more : one.kernels) {
      KernelCounts& kernel = counts_of(all, more.kernel);
      kernel.launches += more.launches;
      kernel.blocks += more.blocks;
      kernel.warps += more.warps;
      kernel.threads_per_block = std::max(kernel.threads_per_block, more.threads_per_block);
      kernel.dynamic_shared_bytes = std::max(kernel.dynamic_shared_bytes, more.dynamic_shared_bytes);
      kernel.total += more.total;
      kernel.instructions += more.instructions;
      for (const LineCounts& counts : more.lines) {
        LineCounts& line = line_of(kernel, counts.line);
        line.counts += counts.counts;
        line.instructions += counts.instructions;
      }
      sort_lines(kernel);
    }
  }
  return all;
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
