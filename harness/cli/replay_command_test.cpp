// The command that a reporter prints for a failure shows the failure again, from any folder.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "harness/selftest/as_found.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::kAsFound;
using selftest::Ran;
using selftest::read_text;
using selftest::run_command;
using selftest::Scratch;

constexpr std::string_view kBegin = "assay replay ";

struct Given {
  std::string name;
  std::string folder;  // below the repository, or in the test's own
  std::string words;   // of the check
};

void PrintTo(const Given& given, std::ostream* out) { *out << given.name; }

class ReplayCommands : public selftest::OneInFour<testing::TestWithParam<Given>> {
 protected:
  // The first command in a text, up to what ends it there.
  static std::string first_in(const std::string& text, std::string_view end) {
    const size_t begin = text.find(kBegin);
    EXPECT_NE(begin, std::string::npos) << text.substr(0, 2000);
    return begin == std::string::npos ? "" : text.substr(begin, text.find(end, begin) - begin);
  }

  std::string first_of_junit() const {
    pugi::xml_document document;
    document.load_file((out_ + "/junit.xml").c_str());
    return first_in(document.select_node("//failure").node().text().get(), "\n");
  }
  std::string first_of_page() const {
    const std::string page = read_text(out_ + "/report.html");
    const size_t begin = page.find("id=\"data\">") + 10;
    const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    return data.at("failures").at(0).at("replay");
  }
  std::string first_of_rows() const {
    std::ifstream rows(out_ + "/results.jsonl");
    for (std::string line; std::getline(rows, line);)
      if (const auto row = nlohmann::json::parse(line); row.contains("replay")) return row.at("replay");
    return "";
  }

  const Scratch scratch_;
  const std::string out_ = scratch_.path + "/out";
};

TEST_P(ReplayCommands, ShowTheFailureAgain) {
  // Names with a blank and a quote, which a shell must not see bare.
  const std::string own = scratch_.path + "/it's here";
  fs::create_directories(own + "/deeper");
  fs::copy_file(kAsFound + "/plain_c_softmax.cu", own + "/k.cu");
  fs::copy_file(kAsFound + "/ruby_cross_entropy.rb", own + "/k.rb");
  std::string bound = read_text(kAsFound + "/ruby_cross_entropy.toml");
  bound.erase(bound.find("source"), bound.find('\n', bound.find("source")) - bound.find("source"));
  std::ofstream(own + "/deeper/bound.toml") << bound;
  const Ran check = run_command("cd \"" + (GetParam().folder.empty() ? own : GetParam().folder) + "\" && " +
                                ASSAY_BUILD_DIR "/assay check " + GetParam().words + selftest::small_suite(scratch_) +
                                "--cases 12 --seed 2 --shrink 0 --no-save --regressions none --out " + out_);
  ASSERT_EQ(check.exit_code, 1) << check.out << check.err;
  const Ran github = selftest::run("assay", "report --format github --csv --out " + scratch_.path + "/csv " + out_);
  std::set<std::string> commands = {first_in(check.out, "\n"), first_of_junit(), first_of_page(), first_of_rows(),
                                    first_in(github.out.substr(github.out.find("::error")), "%0A")};
  std::string of_csv = first_in(read_text(scratch_.path + "/csv/results.csv"), "\",");
  for (size_t at = of_csv.find("\"\""); at != std::string::npos; at = of_csv.find("\"\"", at + 1)) of_csv.erase(at, 1);
  commands.insert(of_csv);
  for (std::string command : commands) {
    if (command.ends_with('\n')) command.pop_back();
    const Ran replayed = run_command("cd / && PATH=" ASSAY_BUILD_DIR ":$PATH && " + command);
    EXPECT_EQ(replayed.exit_code, 1) << command << "\n" << replayed.out << replayed.err;
  }
}

std::string name_of(const testing::TestParamInfo<Given>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Kinds, ReplayCommands,
                         testing::Values(Given{"Cuda", "", "k.cu --kernel softmax_forward_kernel1"},
                                         Given{"AdapterElsewhere", "",
                                               "k.rb --adapter deeper/bound.toml --entry __global__"},
                                         Given{"AdapterBeside", kAsFound, "host_softmax.c"},
                                         Given{"Adapter", kAsFound, "host_softmax.toml"}),
                         name_of);

}  // namespace
}  // namespace assay
