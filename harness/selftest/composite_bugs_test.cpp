// A composite with a planted bug in one of its steps names that step, and with the sound twins of those bugs it passes.
//
// The bugs are variants of the steps' own ops (planted/), which a case chooses for a step by `steps=`. Listed are those
// that the composite's cases show: the padding that a layer hands on is 0, so a write that multiplies it by 0 is right.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::run;
using selftest::Scratch;

struct Layer {
  std::string op, words;
  std::vector<std::pair<std::string, std::string>> bugs, twins;  // a step, and a variant for it
};

constexpr const char* kWidths = "H=4 HK=2 ad=10 padD=2 aE=9 padE=2 aI=21 padI=1 rope=1 pairs=half biases=1 eps=1e-5";

std::vector<Layer> layers() {
  const std::string widths = kWidths;
  return {{"layer_forward",
           "T=11 max_seq=12 " + widths + " probs=saved",
           {{"norm1", "mean_over_padding"},
            {"qkv", "bias_of_first_head"},
            {"qkv", "key_bias_lost"},
            {"attend", "head_major_modulo"},
            {"attend", "exponentials_off"},
            {"project", "bias_with_every_head"},
            {"join1", "stream_lost"},
            {"norm2", "mean_over_padding"},
            {"norm2", "eps_ten_times_smaller"},
            {"mlp", "second_half_gates"},
            {"mlp", "tail_of_g_dropped"},
            {"join2", "stream_lost"}},
           {{"norm1", "eps_as_given"},
            {"norm2", "mean_over_row"},
            {"qkv", "prefill_stride_of_slots"},
            {"join1", "stream_added"}}},
          {"layer_decode",
           "capacity=7 idx=5 max_seq=9 position=5 " + widths + " form=token",
           {{"norm1", "mean_over_padding"},
            {"qkv", "bias_of_first_head"},
            {"qkv", "key_bias_lost"},
            {"turn", "one_position_behind"},
            {"write", "next_slot_cleared"},
            {"write", "pads_not_cleared"},
            {"write", "stride_of_tokens"},
            {"attend", "dead_slots_times_zero"},
            {"attend", "decode_head_modulo"},
            {"attend", "own_key_left_out"},
            {"attend", "parts_added"},
            {"attend", "scaled_by_padded_width"},
            {"project", "bias_with_every_head"},
            {"join1", "stream_lost"},
            {"norm2", "mean_over_padding"},
            {"mlp", "tail_of_g_dropped"},
            {"join2", "stream_lost"}},
           {{"turn", "own_position"}, {"join2", "stream_added"}}},
          {"layer_backward",
           "T=5 max_seq=6 " + widths + " dw=accumulate",
           {{"split2", "branch_gets_nothing"},
            {"split2", "gradient_as_scratch"},  // dy, that is
            {"down", "weights_replaced"},
            {"gate", "up_gradient_first"},
            {"up", "weights_replaced"},
            {"norm2", "weights_after_rows"},
            {"merge2", "stream_lost"},
            {"split1", "branch_gets_nothing"},
            {"split1", "gradient_as_scratch"},
            {"project", "dwo_replaced"},
            {"attend", "keys_of_first_head"},
            {"attend", "saved_keys_scaled_twice"},
            {"turn", "gradients_turned_forward"},
            {"qkv", "values_of_first_head"},
            {"merge1", "stream_lost"}},
           {{"split2", "gradient_only_read"}, {"gate", "gate_gradient_first"}, {"turn", "gradients_turned_back"}}}};
}

std::string line_of(const Layer& layer, const std::string& steps) {
  return fmt::format("{}/plain f32 {} fill=normal seed=3 steps={} schedule=1", layer.op, layer.words, steps);
}

// The part of what was printed that belongs to a layer's case with these steps; attributes that line_of() leaves out
// stand between its words.
std::string part_of(const std::string& out, const Layer& layer, const std::string& steps) {
  const std::string begins = fmt::format("{}/plain f32 {} ", layer.op, layer.words);
  for (size_t begin = out.find(begins); begin != std::string::npos; begin = out.find(begins, begin + 1))
    if (out.substr(begin, out.find('\n', begin) - begin).ends_with(fmt::format(" steps={} schedule=1", steps)))
      return out.substr(begin, out.find("error/budget", begin) - begin);
  ADD_FAILURE() << layer.op << " " << steps << " in\n" << out;
  return "";
}

TEST(CompositeBugs, AreFoundInTheirSteps) {
  const Scratch scratch;
  const std::string path = scratch.path + "/all.case";
  std::ofstream file(path);
  for (const Layer& layer : layers())
    for (const auto& [step, bug] : layer.bugs) file << line_of(layer, step + ":" + bug) << '\n';
  file.close();
  const auto replay = run("assay_selftest", "replay --case-limit 10s " + path);
  EXPECT_EQ(replay.exit_code, 1) << replay.err;
  for (const Layer& layer : layers())
    for (const auto& [step, bug] : layer.bugs) {
      const std::string part = part_of(replay.out, layer, step + ":" + bug);
      const std::string named = part.substr(0, part.find("wrong"));
      EXPECT_THAT(named, testing::AllOf(testing::HasSubstr("step " + step + " ("), testing::HasSubstr("/" + bug + ")")))
          << part;
    }
}

TEST(CompositeBugs, TheirTwinsPass) {
  const Scratch scratch;
  const std::string path = scratch.path + "/all.case";
  std::ofstream file(path);
  for (const Layer& layer : layers()) {
    std::string steps;
    for (const auto& [step, twin] : layer.twins) steps += (steps.empty() ? "" : ",") + step + ":" + twin;
    file << line_of(layer, steps) << '\n';
  }
  file.close();
  const auto replay = run("assay_selftest", "replay --case-limit 10s " + path);
  EXPECT_EQ(replay.exit_code, 0) << replay.out << replay.err;
}

// The step's choice stays in the line, and what shrinks is the layer around it.
TEST(CompositeBugs, AreShrunkAndReplay) {
  const Scratch scratch;
  const Layer layer = layers()[0];
  std::ofstream(scratch.path + "/one.toml")
      << fmt::format("about = \"one case\"\nselect = [\"layer_forward/plain\"]\ncases = 0\npinned = [\"{}\"]\n",
                     line_of(layer, "mlp:second_half_gates"));
  const auto check = run("assay_selftest", fmt::format("check layer_forward/plain --suite {0}/one.toml --device cpu "
                                                       "--case-limit 5s --shrink 20s --regressions {0}/saved --out {0}",
                                                       scratch.path));
  EXPECT_EQ(check.exit_code, 1) << check.out << check.err;
  EXPECT_THAT(check.out, testing::ContainsRegex("MISMATCH  layer_forward/plain f32 T=2 .*aE=1 .*"
                                                "steps=mlp:second_half_gates"));
  const auto replay = run("assay_selftest", "replay --times 5 --case-limit 5s " + scratch.path + "/saved");
  EXPECT_EQ(replay.exit_code, 1) << replay.err;
  EXPECT_THAT(replay.out, testing::HasSubstr("5 of 5 runs: MISMATCH")) << replay.out;
}

}  // namespace
}  // namespace assay
