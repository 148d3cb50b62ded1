// The command line end to end: what it writes, that it repeats itself, and that bad input gets one line that helps.
#include <gmock/gmock.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/base/embedded.h"
#include "harness/cli/help_page.h"
#include "harness/cli/progress.h"
#include "harness/cli/test_usage_error.h"
#include "harness/op/registry.h"
#include "harness/report/layout.h"
#include "harness/simt/checked/access_statistics.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using selftest::small_suite;
using testing::AllOf;
using testing::HasSubstr;

std::string some_op() { return all_ops().front().name; }

std::string some_line() {
  const Scratch scratch;
  run("assay", "check " + some_op() + " --cases 1 --no-save --regressions none --out " + scratch.path);
  const std::string csv = read_text(scratch.path + "/results.csv");
  const size_t begin = csv.find("\n1,\"") + 4;  // the second field of the second line, in quotes, after the schema
  return csv.substr(begin, csv.find('"', begin) - begin);
}

// The ops of a test that runs several times: a push takes one in four.
std::string several_ops() {
  std::string names = some_op();
  for (const Contract& op : all_ops())
    if (op.name != names && !selftest::left_to_the_night(op.name)) names += " " + op.name;
  return names;
}

TEST(Check, SameSeedSameCsvWhateverTheJobs) {
  const Scratch scratch;
  const std::string suite = small_suite(scratch, "elements_max = 1000\nflops_max = 200000\n");
  const auto csv = [&](const std::string& options) {
    const std::string out = scratch.path + "/out";
    const Ran ran = run("assay", "check " + several_ops() + suite + "--cases 3 --no-save --out " + out + " " + options);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    return read_text(out + "/results.csv");
  };
  const std::string one = csv("--seed 1 --jobs 1");
  EXPECT_GT(one.size(), 1000u);
  EXPECT_EQ(one, csv("--seed 1 --jobs 2"));
  EXPECT_EQ(one, csv("--seed 1 --jobs 5"));
  EXPECT_NE(one, csv("--seed 2 --jobs 2"));
}

TEST(Check, PrintsAnnotationsForGithubInsteadOfTheSummary) {
  const Scratch scratch;
  const std::string annotation =
      "::error file=barrier_missing.cu,line=[0-9]+,title=RACE softmax_forward/barrier_missing ";
  const Ran ran =
      run("assay_selftest",
          "check softmax_forward/barrier_missing --checked --cases 8 --shrink 0s --no-save --regressions none "
          "--format github --out " +
              scratch.path);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(std::regex_search(ran.out, std::regex("^" + annotation))) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\nFAILED: "), testing::Not(HasSubstr("error / budget"))));
  const Ran again = run("assay_selftest", "report --csv --format github " + scratch.path);
  EXPECT_TRUE(std::regex_search(again.out, std::regex("\n" + annotation))) << again.out;
  expect_usage_error(run("assay", "check --format html"), "html", "assay --help");
}

TEST(Check, WritesEverySink) {
  const Scratch scratch;
  const Ran ran = run("assay", "check " + some_op() + " --cases 2 --no-save --out " + scratch.path + "/a/b");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* file : {"results.jsonl", "results.csv", "junit.xml", "run.json", "report.html"})
    EXPECT_TRUE(fs::exists(scratch.path + "/a/b/" + file)) << file;
  EXPECT_THAT(ran.out, HasSubstr("report.html"));
}

// The first columns of a CSV, which access statistics must not change, and the rest.
std::pair<std::string, std::string> split_at_figures(const std::string& csv) {
  std::istringstream lines(csv);
  std::string verdicts, figures;
  const std::string header = csv.substr(0, csv.find('\n'));
  const std::string first_figure = "," + std::string(assay::figures(assay::AccessStatistics{})[0].name) + ",";
  const auto columns =
      std::count(header.begin() + static_cast<ptrdiff_t>(header.find(first_figure)), header.end(), ',');
  for (std::string line; std::getline(lines, line);) {
    size_t at = line.size();
    for (ptrdiff_t column = 0; column < columns; ++column) at = line.rfind(',', at - 1);
    verdicts += line.substr(0, at) + "\n";
    figures += line.substr(at) + "\n";
  }
  return {verdicts, figures};
}

TEST(Check, StatisticsAreTheSameEveryTimeAndChangeNoVerdict) {
  const Scratch scratch;
  const std::string suite = small_suite(scratch, "elements_max = 600\nflops_max = 100000\n");
  const auto check = [&](const std::string& options) {
    const std::string out = scratch.path + "/out";
    const Ran ran = run("assay", "check " + several_ops() + suite + "--cases 1 --no-save --out " + out + " " + options);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_EQ(ran.out.find("Memory accesses") != std::string::npos, options.find("--stats") != std::string::npos);
    return split_at_figures(read_text(out + "/results.csv"));
  };
  const auto plain = check("--checked"), counted = check("--stats --jobs 1"), again = check("--stats --jobs 3");
  EXPECT_EQ(plain.first, counted.first);
  EXPECT_EQ(counted, again);
  EXPECT_EQ(plain.second.find_first_of("0123456789"), std::string::npos);
  EXPECT_NE(counted.second.find_first_of("0123456789"), std::string::npos);
  EXPECT_THAT(read_text(scratch.path + "/out/results.jsonl"), HasSubstr("\"statistics\":{"));
}

TEST(Check, CtrlCKeepsEveryFinishedResult) {
  const Scratch scratch;
  const std::string out = scratch.path + "/out";
  // The signal comes once twenty rows are on disk; the plan has thousands.
  const std::string script =
      ASSAY_BUILD_DIR "/assay check " + some_op() + " --cases 300 --no-save --out " + out +
      " & pid=$!; until [ \"$(cat " + out +
      "/results.jsonl 2>/dev/null | wc -l)\" -gt 20 ]; do sleep 0.05; done; kill -INT $pid; wait $pid";
  const auto ran = run_process({.words = {"/bin/sh", "-c", script}}, {.limit = std::chrono::seconds(60)});
  ASSERT_TRUE(ran) << ran.error().line();
  EXPECT_EQ(ran->end.exit_code, 3) << ran->output << ran->errors;
  const std::string jsonl = read_text(out + "/results.jsonl");
  EXPECT_GT(std::count(jsonl.begin(), jsonl.end(), '\n'), 20);
  EXPECT_THAT(read_text(out + "/run.json"), HasSubstr("\"interrupted\""));
  EXPECT_TRUE(fs::exists(out + "/report.html"));
  const Ran again = run("assay", "report " + out + " --csv --out " + scratch.path + "/again");
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_EQ(read_text(scratch.path + "/again/results.csv"), read_text(out + "/results.csv"));
}

TEST(Check, WithABudgetVariantsTakeTurns) {
  const Scratch scratch;
  const auto changes = [&](const std::string& options) {  // of variant or dtype, from row to row
    const std::string out = scratch.path + "/out";
    const Ran ran = run("assay", "check " + some_op() + small_suite(scratch, "elements_max = 100\n") +
                                     "--cases 5 --device cpu --no-save --out " + out + options);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    std::istringstream rows(read_text(out + "/results.csv"));
    std::string row, variant, dtype, before;
    int count = -1;  // the first row has none before it
    for (std::getline(rows, row); std::getline(rows, row);) {
      std::istringstream(row) >> variant >> dtype;  // a row begins with its case line
      count += variant + dtype != before;
      before = variant + dtype;
    }
    return count;
  };
  const int in_order = changes("");
  EXPECT_GE(in_order, 2);
  EXPECT_GE(changes(" --budget 1h"), 4 * in_order);
}

TEST(BadInput, GetsOneLineThatHelps) {
  const Scratch scratch;
  expect_usage_error(run("assay", "check " + some_op() + "x"), "selects no variant",
                     "did you mean '" + some_op() + "'");
  expect_usage_error(run("assay", "check my_kernel.cu"), "cannot read my_kernel.cu", "a file with CUDA kernels");
  expect_usage_error(run("assay", "check " ASSAY_SOURCE_DIR "/kernels/transpose_2d/padded_tile.cu"),
                     "transpose_2d/padded_tile is built in", "assay check transpose_2d/padded_tile");
  expect_usage_error(run("assay", "check --suite cj"), "no suite 'cj'", "did you mean 'ci'");
  std::ofstream(scratch.path + "/empty.toml") << "about = \"nothing pinned\"\n";
  expect_usage_error(run("assay", "check --cases 0 --suite " + scratch.path + "/empty.toml"), "no case is selected",
                     "--cases");
  expect_usage_error(run("assay", "check --frobnicate"), "--frobnicate", "--help");
  expect_usage_error(run("assay", "check --budget 0s"), "--budget: 0 is not above 0", "--help");
  expect_usage_error(run("assay", "check --cases 1e30"), "--cases", "--help");
  expect_usage_error(run("assay", "check --cases 9999999999999999999"), "not in range 0 to 1000000000", "--help");
  expect_usage_error(run("assay", "check --shrink -1"), "--shrink: -1 is below 0", "--help");
  for (const std::string seed : {"-1", "18446744073709551616", "3x"})
    expect_usage_error(run("assay", "check --seed " + seed), seed + " is no whole number from 0", "--help");
  expect_usage_error(run("assay", "check --device tpu"), "tpu", "assay list devices");
  expect_usage_error(run("assay", "check --stats --device cpu"), "--device excludes --stats", "--help");
  expect_usage_error(run("assay", "replay 'nonsense/x f32 a=1'"), "unknown op: >>nonsense<<", "");
  expect_usage_error(run("assay", "report " + scratch.path + "/none"), "none", "");

  std::ofstream(scratch.path + "/wrong.toml") << "about = \"x\"\n\nelements = 5\n";
  expect_usage_error(run("assay", "check --suite " + scratch.path + "/wrong.toml"),
                     "wrong.toml:3: unknown key 'elements'", "elements_max");
}

TEST(BadInput, MarksThePlaceInACaseLine) {
  const std::string line = some_line();
  const auto replay = [](const std::string& text) { return run("assay", "replay '" + text + "'"); };
  const Ran right = replay(line);
  ASSERT_EQ(right.exit_code, 0) << line << right.err;
  expect_usage_error(replay(line + " colz=3"), ">>colz=3<<", "it takes");
  const std::string bad_dtype = std::regex_replace(line, std::regex(" (f32|bf16|f16) "), " f31 ");
  expect_usage_error(replay(bad_dtype), "unknown dtype: ", "f32, bf16 or f16");
  expect_usage_error(replay(bad_dtype), "column " + std::to_string(bad_dtype.find("f31") + 1), "");
  expect_usage_error(replay(std::regex_replace(line, std::regex("fill=[a-z_]+"), "fill=tartan")), ">>fill=tartan<<",
                     "normal");
  expect_usage_error(replay(std::regex_replace(line, std::regex("seed=[0-9]+"), "seed=x")), ">>seed=x<<",
                     "whole number");
  const std::string dim = all_ops().front().dims.front().name;
  expect_usage_error(replay(std::regex_replace(line, std::regex(dim + "=[0-9]+"), dim + "=-3")), ">>" + dim + "=-3<<",
                     "whole number from");
  expect_usage_error(replay(std::string(10'000, 'x')), "needs an op and a dtype", "write it as");
}

TEST(BadInput, OutputThatCannotBeWritten) {
  const Scratch scratch;
  std::ofstream(scratch.path + "/file") << "x";
  expect_usage_error(run("assay", "check --out " + scratch.path + "/file/out"), scratch.path, "");
  expect_usage_error(run("assay", "check --out /proc/none"), "/proc/none", "");
}

// A file-size limit is what a full disk is to a program: writes fail half-way. Standard output is a pipe, so it is not
// limited; the rescue folder is limited too, so the summary is what remains.
TEST(BadInput, FullDiskKeepsWhatWasComputed) {
  const Scratch scratch;
  ASSERT_EQ(mount("tmpfs", scratch.path.c_str(), "tmpfs", 0, "size=24k"), 0)
      << "this test mounts a small tmpfs and needs root";
  const Scratch elsewhere;
  const Ran ran = run(
      "assay", "check " + some_op() + small_suite(elsewhere) + "--cases 30 --no-save --out " + scratch.path + "/out");
  EXPECT_THAT(read_text(scratch.path + "/out/run.json"), HasSubstr("\"running\""));
  EXPECT_FALSE(fs::exists(scratch.path + "/out/junit.xml")) << "a part of a report that fitted in looks whole";
  umount(scratch.path.c_str());
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
  EXPECT_THAT(selftest::unwrapped(ran.out),
              testing::AllOf(HasSubstr("INCONCLUSIVE: "), HasSubstr("the report was not written to "),
                             testing::Not(HasSubstr("PASSED"))));
  std::smatch rescued;
  ASSERT_TRUE(std::regex_search(ran.out, rescued, std::regex("report: (.*/assay-results-[^/]+)/report.html")))
      << ran.out;
  EXPECT_GT(fs::file_size(rescued[1].str() + "/results.jsonl"), 24u * 1024);
  for (const char* file : {"report.html", "junit.xml", "run.json"})
    EXPECT_THAT(read_text(rescued[1].str() + "/" + file), HasSubstr("not written to " + scratch.path)) << file;
  fs::remove_all(rescued[1].str());
}

TEST(Help, EveryCommandHasAPage) {
  for (const char* command : {"", "list", "check", "replay", "bench", "adapt", "new-op", "report", "compare", "history",
                              "sharpness", "mutate", "completion", "man"}) {
    const Ran ran = run("assay", std::string(command) + " --help");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.out, testing::StartsWith(std::string("assay") + (*command ? " " : "") + command));
  }
  EXPECT_EQ(run("assay", "").exit_code, 2);
  EXPECT_THAT(run("assay", "list variants").out, HasSubstr(some_op() + "/"));
  EXPECT_THAT(run("assay", "list fills").out, HasSubstr("normal"));
  EXPECT_THAT(run("assay", "list suites").out, HasSubstr("ci "));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Shells complete the options that CLI11 parses, so this finds an option that no page describes.
TEST(Help, DescribesEveryCommandAndOption) {
  const auto words = [](const std::string& typed) { return lines_of(run("assay", "complete -- " + typed).out); };
  const std::string top = run("assay", "--help").out;
  const auto commands = words("''");
  EXPECT_GE(commands.size(), 9u);
  for (const std::string& command : commands) {
    EXPECT_THAT(top, HasSubstr("assay " + command + " ")) << command;
    const std::string page = run("assay", command + " --help").out + top;
    const auto options = words(command + " --");
    EXPECT_GE(options.size(), 3u);
    for (const std::string& option : options) EXPECT_THAT(page, HasSubstr(option)) << command;
  }
}

TEST(Help, ShellsCompleteWhatThereIs) {
  const auto words = [](const std::string& typed) { return lines_of(run("assay", "complete -- " + typed).out); };
  EXPECT_THAT(words("ch"), testing::ElementsAre("check"));
  EXPECT_THAT(words("check --form"), testing::ElementsAre("--format"));
  EXPECT_THAT(words("check --format ''"), testing::ElementsAre("github", "text"));
  EXPECT_THAT(words("check --device cpu"), testing::ElementsAre("cpu", "cpu-checked"));
  EXPECT_THAT(words("check --suite ker"), testing::ElementsAre("kernel"));
  EXPECT_THAT(words("list fil"), testing::ElementsAre("fills"));
  EXPECT_THAT(words("check " + some_op() + "/"), testing::Each(testing::StartsWith(some_op() + "/")));
  EXPECT_THAT(words("replay --source ''"), testing::IsEmpty());  // a file
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_THAT(run("assay", std::string("completion ") + shell).out, HasSubstr("complete -- ")) << shell;
}

TEST(Help, BashAsksForWords) {
  const std::string script = "PATH=" ASSAY_BUILD_DIR
                             ":$PATH; source <(assay completion bash); COMP_WORDS=(assay list fi); "
                             "COMP_CWORD=2; _assay; echo \"${COMPREPLY[@]}\"";
  const auto ran = run_process({.words = {"bash", "-c", script}}, {.limit = std::chrono::seconds(60)});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->output, "fills\n") << ran->errors;
}

TEST(Help, FitsNarrowTerminalsAndMan) {
  for (const char* page : {"assay", "check", "replay", "report"}) {
    const std::string markdown = embedded_file(std::string(page) + ".md");
    for (const size_t columns : {40u, 80u}) {
      const auto lines = lines_of(help_text(markdown, {.columns = columns}));
      const auto wide = std::count_if(lines.begin(), lines.end(), [&](auto& line) { return width(line) > columns; });
      EXPECT_LE(wide, columns == 40 ? 8 : 3) << page;  // examples, which are to be copied
    }
    EXPECT_THAT(manual_page(markdown, page), AllOf(HasSubstr(".TH "), HasSubstr(".TP\n\\fB\\&"))) << page;
  }
  const std::string check = help_text(embedded_file("check.md"), {});
  EXPECT_THAT(check,
              HasSubstr("    --seed S              other seeds give other cases; the same seed, the same (1)\n"));
  EXPECT_THAT(help_text("    --x N    words\n", {.color = true}), HasSubstr("\x1b[1m--x N\x1b[0m"));
}

TEST(BadInput, NamesTheNearestWord) {
  expect_usage_error(run("assay", "chekc"), "there is no command 'chekc'", "did you mean 'check'");
  expect_usage_error(run("assay", "nosuch"), "there is no command 'nosuch'", "known are ");
  expect_usage_error(run("assay", "check --case 3"), "there is no option --case", "did you mean '--cases'");
  expect_usage_error(run("assay", "list --colour=never"), "--colour", "did you mean '--color'");
}

TEST(Color, IsThereWhereItIsWanted) {
  const auto replay = [](const std::string& options) {
    return run("assay_selftest",
               "replay 'softmax_forward/barrier_missing f32 rows=1 cols=41 fill=integers seed=0 block=32 "
               "schedule=0' --checked " +
                   options)
        .out;
  };
  EXPECT_THAT(replay(""), testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(replay("--color always"), HasSubstr("RACE\x1b[0m"));
  EXPECT_THAT(replay("--color never"), testing::StartsWith("RACE  softmax_forward"));
}

TEST(Progress, SaysHowMuchIsLeft) {
  EXPECT_THAT(bar_text(0, 10, 0, 0), HasSubstr("0/10 cases, 0 failed"));
  EXPECT_THAT(bar_text(5, 10, 1, 30), HasSubstr("5/10 cases, 1 failed, left 0:30"));
  EXPECT_THAT(bar_text(10, 10, 1, 90), HasSubstr("took 1:30"));
  EXPECT_EQ(bar_text(5, 10, 1, 30, 0), "5/10 cases, 1 failed, left 0:30");
  for (size_t columns = 40; columns < 130; ++columns) {
    const std::string bar = bar_text(1234, 123456, 1000, 30000, columns);
    EXPECT_LT(width(bar), columns);
    EXPECT_THAT(bar, HasSubstr("1234/123456 cases, "));
  }
  EXPECT_EQ(clock_text(3600 + 125), "1:02:05");
}

}  // namespace
}  // namespace assay
