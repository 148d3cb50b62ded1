// Tests the workflows of GitHub step by step: runs the commands of each step, in their order, with the program that was
// built.
//
// Parts of a runner have fakes: actions, package managers, and the build, which is there. `check` and `nightly` get
// a few cases instead of thousands, by a program named build/assay that adds words to the command. Files that a step
// uploads must be there then, and every option must exist.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::read_text;
using selftest::run_command;
using selftest::Scratch;
using testing::HasSubstr;

struct Step {
  std::string uses, run;
  std::string paths;  // of an artifact, a line each
};
struct Job {
  std::map<std::string, std::string> env;
  std::vector<Step> steps;
};

size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }
std::string value_of(const std::string& line) {
  const size_t colon = line.find(": ");
  return colon == std::string::npos ? "" : line.substr(colon + 2);
}

// The part of YAML that our workflows are written in: an indentation of two, blocks after | and >.
class Reader {
 public:
  explicit Reader(const std::string& path) {
    std::istringstream text(read_text(path));
    for (std::string line; std::getline(text, line);)
      if (indent_of(line) < line.size() && line[indent_of(line)] != '#') lines_.push_back(line);
  }

  std::map<std::string, Job> jobs() {
    std::map<std::string, Job> all;
    while (at_ < lines_.size() && lines_[at_] != "jobs:") ++at_;
    for (++at_; at_ < lines_.size() && indent_of(lines_[at_]) >= 2;) {
      const std::string name = lines_[at_++].substr(2);
      Job& job = all[name.substr(0, name.find(':'))];
      while (at_ < lines_.size() && indent_of(lines_[at_]) >= 4) read_part(job);
    }
    return all;
  }

 private:
  void read_part(Job& job) {
    const std::string key = lines_[at_++].substr(4);
    while (at_ < lines_.size() && indent_of(lines_[at_]) >= 6) {
      const std::string line = lines_[at_++].substr(6);
      if (key == "env:") job.env[line.substr(0, line.find(':'))] = value_of(line);
      if (key == "steps:") read_field(job, line);
    }
  }
  void read_field(Job& job, std::string line) {
    if (line.starts_with("- ")) job.steps.emplace_back();
    line = line.substr(2);
    Step& step = job.steps.back();
    if (line.starts_with("uses: ")) step.uses = value_of(line);
    if (line.starts_with("run: ")) step.run = block(value_of(line), 10);
    if (line.starts_with("  path: ")) step.paths = block(value_of(line), 12);
  }
  std::string block(const std::string& value, size_t indent) {
    if (value != "|" && value != ">") return value;
    std::string text;
    for (; at_ < lines_.size() && indent_of(lines_[at_]) >= indent; ++at_)
      text += lines_[at_].substr(indent) + (value == "|" ? "\n" : " ");
    return text;
  }

  std::vector<std::string> lines_;
  size_t at_ = 0;
};

class Workflow : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"build", "bin", "scripts", ".ci", "reports"}) fs::create_directories(at(folder));
    fs::create_directory_symlink(ASSAY_SOURCE_DIR "/cases", at("cases"));
    const std::string assay = ASSAY_BUILD_DIR "/assay";
    program("build/assay",
            "command=$1; shift\ncase $command in\n"
            "  check) set -- \"$@\" transpose_2d/elementwise --cases 4 --no-save ;;\n"
            "  nightly) set -- \"$@\" transpose_2d/elementwise --cases 4 --bench-suite " +
                at("measure.toml") + " ;;\nesac\nexec " + assay + " \"$command\" \"$@\"\n");
    for (const char* name : {"bin/apt-get", "bin/cmake", "scripts/setup", "scripts/lint", "scripts/test"})
      program(name, "exit 0\n");
    program("scripts/package", "case $1 in --out) echo > \"$2\" ;; *) exit 2 ;; esac\n");
    fs::create_symlink(at("build/assay"), at("bin/assay"));  // installed
    program(".ci/run", "case $1 in --output-junit) echo '<testsuites/>' > \"$2\" ;; *) exit 2 ;; esac\n");
    std::ofstream(at("measure.toml"))
        << "about = \"one shape\"\n[[bench]]\nline = \"transpose_2d/* f32 rows=64 cols=64 "
           "fill=normal seed=1\"\nfrom = \"this test\"\n";
  }
  std::string at(const std::string& name) const { return scratch_.path + "/" + name; }
  void program(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << "#!/bin/bash\n" << text;
    fs::permissions(at(name), fs::perms::owner_all);
  }

  // The value of ${{ … }} here.
  std::string filled(std::string text, const std::map<std::string, std::string>& values) const {
    for (size_t open = text.find("${{"); open != std::string::npos; open = text.find("${{", open)) {
      const size_t close = text.find("}}", open);
      const std::string name = text.substr(open + 4, close - open - 5);
      const auto value = values.find(name);
      EXPECT_NE(value, values.end()) << "what is ${{ " << name << " }} here?";
      text.replace(open, close + 2 - open, value == values.end() ? "" : value->second);
    }
    return text;
  }

  // Runs the steps of a job; returns all that they printed.
  std::string run(const Job& job, const std::map<std::string, std::string>& values) {
    std::string environment = "export HOME=" + at("") + " PATH=" + at("bin") + ":$PATH GITHUB_WORKSPACE=" + at("") +
                              " GITHUB_SHA=0123456789abcdef GITHUB_ENV=" + at("env") +
                              " GITHUB_STEP_SUMMARY=" + at("summary") + "; touch " + at("env") + "; set -a; . " +
                              at("env") + "; set +a; ";
    for (const auto& [name, value] : job.env) environment += "export " + name + "='" + filled(value, values) + "'; ";
    std::string printed;
    int ran = 0;
    for (const Step& step : job.steps) {
      if (step.uses.starts_with("actions/upload-artifact")) expect_uploads(filled(step.paths, values));
      if (step.run.empty()) continue;
      std::ofstream(at("step")) << environment << "set -eo pipefail\n" << filled(step.run, values);
      const Ran one = run_command("cd " + at("") + " && bash step");
      EXPECT_EQ(one.exit_code, 0) << step.run << "\n" << one.out << one.err;
      printed += one.out;
      ++ran;
    }
    EXPECT_GT(ran, 2) << "no steps were read";
    return printed;
  }
  void expect_uploads(const std::string& paths) const {
    std::istringstream lines(paths);
    for (std::string path; std::getline(lines, path);) EXPECT_TRUE(fs::exists(at(path))) << path << " is not there";
  }
  static std::map<std::string, Job> jobs(const std::string& name) {
    return Reader(ASSAY_SOURCE_DIR "/.github/workflows/" + name).jobs();
  }
  Scratch scratch_;
};

TEST_F(Workflow, Ci) {
  auto all = jobs("ci.yml");
  ASSERT_THAT(all, testing::SizeIs(2));
  EXPECT_THAT(run(all.at("test"), {}), HasSubstr("PASSED: "));
  EXPECT_THAT(run(all.at("regressions"), {}), HasSubstr("PASS  "));
}

TEST_F(Workflow, Nightly) {
  auto all = jobs("nightly.yml");
  ASSERT_THAT(all, testing::SizeIs(3));
  run(all.at("campaign"), {{"inputs.budget || '2h'", "2h"}, {"inputs.seed", ""}});
  EXPECT_THAT(read_text(at("summary")), HasSubstr("assay nightly --seed "));
  run(all.at("tests"), {});
  run(all.at("lint"), {});
}

TEST_F(Workflow, Sharded) {
  auto all = jobs("sharded.yml");
  run(all.at("package"), {});
  for (const char* shard : {"1", "2", "3", "4"})
    run(all.at("shard"), {{"inputs.suite", "ci"}, {"inputs.seed", "1"}, {"matrix.shard", shard}});
  EXPECT_THAT(run(all.at("merge"), {}), HasSubstr("PASSED: "));
}

TEST_F(Workflow, NoFileIsForgotten) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(ASSAY_SOURCE_DIR "/.github/workflows"))
    files.push_back(entry.path().filename());
  EXPECT_THAT(files, testing::UnorderedElementsAre("ci.yml", "nightly.yml", "sharded.yml"));
}

}  // namespace
}  // namespace assay
