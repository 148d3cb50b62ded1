// Every variant of a library that can be judged without a GPU is: descriptions of graphs, strides of copies, operands
// and factors of products. What NVIDIA's libraries compute is not seen here.
#include "reference/vendor/fake/test_fake_libraries.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::run;

// "op/variant" of each that `assay list variants` shows as a library's; a push takes one in four.
std::vector<std::string> variants_of_libraries() {
  std::vector<std::string> all;
  std::istringstream lines(run("assay", "list variants").out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("gpu, by ") != std::string::npos) all.push_back(line.substr(0, line.find(' ')));
  EXPECT_GE(all.size(), 17u);
  std::erase_if(all, selftest::left_to_the_night);
  return all;
}

using Verdicts = std::map<std::string, int>;

// Counts the verdicts of each variant, in cases of the default suite.
std::map<std::string, Verdicts> judged(const std::string& selection, int cases) {
  const selftest::Scratch scratch;
  run("assay", "check " + selection + " --device gpu --no-save --shrink 0s --cases " + std::to_string(cases) +
                   " --out " + scratch.path);
  std::map<std::string, Verdicts> verdicts;
  std::istringstream rows(selftest::read_text(scratch.path + "/results.jsonl"));
  for (std::string line; std::getline(rows, line);) {
    const auto row = nlohmann::json::parse(line);
    const std::string c = row.at("case");
    ++verdicts[c.substr(0, c.find(' '))][row.at("verdict")];
  }
  return verdicts;
}

TEST_F(FakeLibraries, EveryVariantPassesOnRandomCases) {
  std::string selection;
  const std::vector<std::string> all = variants_of_libraries();
  for (const std::string& variant : all) selection += variant + " ";
  const auto verdicts = all.empty() ? std::map<std::string, Verdicts>() : judged(selection, 60);
  for (const std::string& variant : all) {
    ASSERT_TRUE(verdicts.contains(variant)) << variant;
    Verdicts of_it = verdicts.at(variant);
    EXPECT_GE(of_it["PASS"], of_it["UNSUPPORTED"]) << variant;
    // MISTRUSTED is about budgets under the precision that a variant declares, not about what it computed: with r
    // rounded to f16, residual_norm's cannot tell a y that is one step too low.
    for (const char* fine : {"PASS", "UNSUPPORTED", "MISTRUSTED"}) of_it.erase(fine);
    EXPECT_THAT(of_it, testing::IsEmpty()) << variant;
  }
}

// Chains with a planted bug: build/fake_BUG has a module of each, beside which those of build/fake are not loaded.
TEST_F(FakeLibraries, PlantedBugsInChainsAreFound) {
  int bugs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder()).parent_path())) {
    if (!entry.path().filename().string().starts_with("fake_")) continue;
    ++bugs;
    if (selftest::left_to_the_night(entry.path().filename().string())) continue;
    setenv("ASSAY_GPU_MODULES", entry.path().c_str(), 1);
    std::string op;
    const std::string prefix = "libassay_gpu_chain_";
    for (const auto& module : std::filesystem::directory_iterator(entry))
      if (const std::string name = module.path().stem(); name.starts_with(prefix)) op = name.substr(prefix.size());
    const auto verdicts = judged(op + "/cublas_gemm", 60);
    ASSERT_EQ(verdicts.size(), 1u) << entry.path();
    Verdicts of_it = verdicts.begin()->second;
    EXPECT_GT(of_it["MISMATCH"] + of_it["NONFINITE"] + of_it["INPUT_CHANGED"], 0) << entry.path();
  }
  EXPECT_GE(bugs, 7);
}

// Mistakes of descriptions, each in a graph that it can spoil.
TEST_F(FakeLibraries, MistakesInGraphsAreFound) {
  for (const auto& [bug, variant] : {std::pair{"operands are exchanged", "gelu_backward/cudnn_gelu"},
                                     {"operands are exchanged", "layer_norm_backward/cudnn_layer_norm"},
                                     {"operands are exchanged", "attention_score/cudnn_mul_select"},
                                     {"rows are dense", "swiglu_forward/cudnn_swish"},
                                     {"rows are dense", "swiglu_backward/cudnn_swish"},
                                     {"the last operation is missing", "swiglu_backward/cudnn_swish"},
                                     {"the last operation is missing", "residual_norm/cudnn_add_norm"},
                                     {"the last operation is missing", "attention_backward_delta/cudnn_mul_reduce"}}) {
    if (selftest::left_to_the_night(std::string(bug) + variant)) continue;
    setenv("ASSAY_PLANTED_IN_GRAPHS", bug, 1);
    const auto verdicts = judged(variant, 20);
    unsetenv("ASSAY_PLANTED_IN_GRAPHS");
    int failing = 0;
    for (const auto& [verdict, count] : verdicts.at(variant))
      if (verdict != "PASS" && verdict != "UNSUPPORTED") failing += count;
    EXPECT_GT(failing, 0) << variant << " with " << bug;
  }
}

// The kernels of all steps are timed together, beside those of the layer by libraries.
TEST_F(FakeLibraries, AWholeLayerIsTimedBesideThatByLibraries) {
  const selftest::Scratch scratch;
  const std::string suite = scratch.path + "/layers.toml", out = scratch.path + "/out";
  std::ofstream(suite) << "about = \"x\"\n[[bench]]\nfrom = \"a layer\"\n"
                          "line = \"layer_backward/* f32 T=5 max_seq=8 H=4 HK=2 ad=8 padD=0 aE=16 padE=0 aI=12 padI=0 "
                          "rope=1 pairs=half biases=1 eps=1e-5 dw=overwrite fill=normal seed=1\"\n";
  const auto ran = run("assay", "bench --suite " + suite + " --processes 3 --case-budget 0.3s --out " + out);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  int ours = 0, theirs = 0;
  std::istringstream rows(selftest::read_text(out + "/results.jsonl"));
  for (std::string line; std::getline(rows, line);) {
    const auto row = nlohmann::json::parse(line);
    ASSERT_EQ(row.at("verdict"), "PASS") << line;
    EXPECT_TRUE(row.contains("median_us")) << line;
    row.contains("speedup") ? ++ours : ++theirs;
  }
  EXPECT_GE(ours, 3);
  EXPECT_EQ(theirs, 1);
  EXPECT_THAT(selftest::read_text(out + "/results.csv"), testing::HasSubstr("layer_backward/libraries"));
}

}  // namespace
}  // namespace assay
