// Case lines and adapters of earlier versions mean what they meant: cases/formats/ holds every op to that.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/adapter/adapter.h"
#include "harness/adapter/steering.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kFormats = ASSAY_SOURCE_DIR "/cases/formats/";

struct KeptLine {
  std::string line;
  std::map<std::string, std::string> before;  // what it leaves out, and what that means
};

std::vector<KeptLine> kept_lines() {
  constexpr std::string_view kBefore = "# before: ";
  std::vector<KeptLine> all;
  std::map<std::string, std::string> before;
  std::ifstream file(kFormats + "lines.case");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kBefore)) {
      std::istringstream words(line.substr(kBefore.size()));
      for (std::string word; words >> word;) before[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    } else if (!line.empty() && line[0] != '#') {
      all.push_back({line, std::exchange(before, {})});
    }
  }
  return all;
}

TEST(Formats, LinesMeanWhatTheyMeant) {
  for (const KeptLine& kept : kept_lines()) {
    const auto c = read_case(kept.line);
    ASSERT_TRUE(c) << c.error().line()
                   << "\nlines of earlier versions have no such attribute: give it .optional = true, with what "
                   << "the op did before as its first choice";
    const auto written = parse_case(kept.line);
    std::map<std::string, std::string> left_out;
    for (const Param& param : c->params)
      if (!written->find(param.name())) left_out[param.name()] = param.text();
    EXPECT_EQ(left_out, kept.before) << kept.line;
  }
}

TEST(Formats, OfEveryOpAreKept) {
  std::set<std::string> kept;
  for (const KeptLine& each : kept_lines())
    if (each.before.empty()) kept.insert(parse_case(each.line)->op);
  for (const Contract& op : all_ops()) {
    if (op.name.find("probe") != std::string::npos) continue;
    EXPECT_TRUE(kept.contains(op.name)) << "add a line with all that it has to cases/formats/lines.case, such as\n"
                                        << print(case_of_size(op, 3));
  }
}

TEST(Formats, LinesStillPass) {
  const auto replayed = run("assay", "replay " + kFormats + "lines.case");
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  size_t passed = 0;
  std::istringstream lines(replayed.out);
  for (std::string line; std::getline(lines, line);) passed += line.starts_with("PASS  ");
  EXPECT_EQ(passed, kept_lines().size()) << replayed.out;
}

TEST(Formats, AdaptersTakeWhatThereWasBefore) {
  for (const auto& [file, before] : {std::pair{"rope.toml", std::vector<std::string>{"pairs", "alias"}},
                                     {"softmax.toml", std::vector<std::string>{"causal", "scale", "heads"}}}) {
    const auto adapter = read_adapter(kFormats + file);
    ASSERT_TRUE(adapter) << adapter.error().line();
    const Contract& op = *find_op(adapter->op);
    const auto domains = domains_of(*adapter, op);
    for (const std::string& name : before) {
      const auto by_name = [&](const auto& each) { return each.name == name; };
      const auto domain = std::find_if(domains.begin(), domains.end(), by_name);
      const auto attr = std::find_if(op.attrs.begin(), op.attrs.end(), by_name);
      ASSERT_NE(domain, domains.end()) << file << ": " << name;
      EXPECT_EQ(domain->values, std::vector{attr->choices.front()}) << file << ": " << name;
    }
  }
}

// The kernel takes neither the pairing nor the place of its rows: a right kernel failed two of three cases.
TEST(Formats, AnAdapterOfBeforeIsStillRight) {
  const Scratch scratch;
  const auto checked = run("assay", "check " + kFormats + "rope.toml --cases 40 --no-save --out " + scratch.path);
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out,
              AllOf(HasSubstr("Not swept, because the call does not name them: pairs = half, alias = none.\n"),
                    HasSubstr("PASSED: ")));
  std::ifstream info(scratch.path + "/run.json");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(info), {}), HasSubstr("pairs = half, alias = none"));
}

}  // namespace
}  // namespace assay
