// Whatever a file or a line holds, the program ends by itself, in time, with an exit code of its own, and says where
// the mistake is: valid inputs of every kind, changed at random from fixed seeds.
//
// ASSAY_MUTATIONS=300 asks for that many of each kind instead of the few that every run of the tests makes, and
// ASSAY_MUTATIONS_SEED for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "harness/base/rng.h"
#include "harness/selftest/run_program.h"
#include "harness/simt/runtime/build_kind.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKernel = R"cuda(#include <cuda_runtime.h>
#define TILE 32 /* threads of a warp */
// Columns times rows, one thread to an element.
template <class T>
__global__ void transpose(const T* __restrict__ in, T* out, int rows, int cols) {
  __shared__ T tile[TILE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  tile[threadIdx.x % TILE] = in[i];
  out[i % cols * rows + i / cols] = in[i];
}
void launch(const float* in, float* out, int rows, int cols) {
  const int block = 128;
  transpose<float><<<(rows * cols + block - 1) / block, block, 0>>>(in, out, rows, cols);
}
)cuda";

constexpr const char* kAdapter = R"toml(op = "transpose_2d"
source = "kernel.cu"
name = "mine"
dtypes = ["f32"]
blocks = [32, 64]
requires = ["rows < 100", "cols % 2 == 0"]
workspace = "rows * 4"
deterministic = true
[[launch]]
entry = "transpose<T>"
args = ["in", "out", "rows", "cols"]
grid = ["ceil_div(rows * cols, block)", "1"]
block = ["block"]
shared = "block * 4"
)toml";

constexpr const char* kSuite = R"toml(about = "small cases"
select = ["softmax_forward/block_per_row"]
cases = 2
checked = 1
elements_max = 200
flops_max = 3000
threads_max = 512
case_limit_s = 5
pinned = ["softmax_forward/block_per_row f32 rows=1 cols=3 fill=normal seed=1 block=64 schedule=0"]
[op.softmax_forward]
cases = 1
)toml";

constexpr const char* kLine =
    "softmax_forward/block_per_row bf16 rows=3 cols=65 fill=normal seed=7 nonzero=12 block=128 schedule=12\n";

constexpr const char* kPtxHead = R"ptx(.version 8.0
.target sm_90a
.address_size 64
.visible .entry transpose(.param .u64 p_in, .param .u64 p_out, .param .u32 p_rows, .param .u32 p_cols)
{
.reg .pred %p<3>;
.reg .b32 %r<13>;
.reg .f32 %f<3>;
.reg .b64 %rd<8>;
)ptx";
constexpr const char* kPtxBody = R"ptx(ld.param.u64 %rd1, [p_in];
ld.param.u64 %rd2, [p_out];
ld.param.u32 %r1, [p_rows];
ld.param.u32 %r2, [p_cols];
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mov.u32 %r5, %tid.x;
mad.lo.s32 %r6, %r3, %r4, %r5;
mul.lo.s32 %r7, %r1, %r2;
setp.ge.s32 %p1, %r6, %r7;
@%p1 bra $L_end;
rem.s32 %r8, %r6, %r2;
div.s32 %r9, %r6, %r2;
mad.lo.s32 %r10, %r8, %r1, %r9;
mul.wide.s32 %rd3, %r6, 4;
add.s64 %rd4, %rd1, %rd3;
$L_load:
ld.global.f32 %f1, [%rd4];
mul.wide.s32 %rd5, %r10, 4;
add.s64 %rd6, %rd2, %rd5;
st.global.f32 [%rd6], %f1;
$L_end:
ret;
)ptx";

constexpr const char* kPtxAdapter = R"toml(op = "transpose_2d"
source = "kernel.ptx"
dtypes = ["f32"]
[[launch]]
entry = "transpose"
args = ["in", "out", "rows", "cols"]
grid = ["ceil_div(rows * cols, block)"]
block = ["block"]
)toml";

const std::string kRust = std::string("const K: &str = r#\"") + kKernel + "\"#;\nfn main() { println!(\"{}\", K); }\n";
const std::string kRuby = std::string("KERNEL = <<~CUDA\n") + kKernel + "CUDA\nputs KERNEL, \"a #{1 + 1}\"\n";

// -- Changing a text.

// Numbers that overflow, are none, or are too many.
const std::string& extreme(Rng& rng) {
  static const std::vector<std::string> numbers = {
      "0",   "-1",     "99999999999999999999", "1e999", "nan", "0x7fffffff",
      "1.5", "1e-400", "9223372036854775807",  "",      "--3", "٣"};
  return numbers[rng.below(numbers.size())];
}

size_t place_in(const std::string& text, Rng& rng) { return text.empty() ? 0 : rng.below(text.size()); }

std::string with_other_number(std::string text, Rng& rng) {
  const size_t digit = text.find_first_of("0123456789", place_in(text, rng));
  if (digit == std::string::npos) return text;
  const size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
  return text.replace(digit, end - digit, extreme(rng));
}

constexpr std::string_view kSigns = "()[]{}<>\"'\\/*#,;=$%\n\t", kNested = "([{\"x";

std::string mutated(std::string text, Rng& rng) {
  for (uint64_t edits = 1 + rng.below(3); edits > 0; --edits) {
    const size_t at = place_in(text, rng), other = place_in(text, rng), length = 1 + rng.below(20);
    switch (rng.below(9)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(rng.below(256)));
        break;
      case 2:
        text.insert(at, 1, kSigns[rng.below(kSigns.size())]);
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(at, text.substr(other, length));
        break;
      case 5:
        text = with_other_number(text, rng);
        break;
      case 6:
        text.resize(at);
        break;
      case 7:
        text.insert(at, std::string(20'000, kNested[rng.below(kNested.size())]));
        break;
      case 8:
        text.replace(at, std::min(length, text.size() - at), text.substr(other, length));
        break;
    }
  }
  return text;
}

// PTX that mostly runs, and does something else: other registers, numbers, labels and types, lines in another order.
std::string mutated_ptx(const std::string& body, Rng& rng) {
  std::vector<std::string> lines;
  std::istringstream in(body);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto replace = [&](std::string& line, const std::string& what, const std::string& by) {
    if (const size_t at = line.find(what); at != std::string::npos) line.replace(at, what.size(), by);
  };
  for (uint64_t edits = 1 + rng.below(2); edits > 0; --edits) {
    std::string& line = lines[rng.below(lines.size())];
    switch (rng.below(7)) {
      case 0:
        replace(line, "%r" + std::to_string(1 + rng.below(10)), "%r" + std::to_string(1 + rng.below(12)));
        break;
      case 1:
        replace(line, "%rd" + std::to_string(1 + rng.below(6)), "%rd" + std::to_string(1 + rng.below(7)));
        break;
      case 2:
        replace(line, ", 4;", ", " + std::to_string(static_cast<int>(rng.below(1 << 20)) - (1 << 19)) + ";");
        break;
      case 3:
        replace(line, "$L_end;", "$L_load;");
        break;
      case 4:
        replace(line, ".s32", ".u32");
        break;
      case 5:
        std::swap(line, lines[rng.below(lines.size())]);
        break;
      case 6:
        line = lines[rng.below(lines.size())];
        break;
    }
  }
  std::string text = kPtxHead;
  for (const std::string& line : lines) text += line + "\n";
  return text + "}\n";
}

// -- Running what was made of it.

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::stoull(value) : otherwise;
}

struct KindOfInput {
  std::string file;       // that is changed
  std::string text;       // that is valid
  std::string arguments;  // of the program, after the file is written
  std::string beside = "", beside_text = "";
  std::string (*changed)(std::string text, Rng& rng) = mutated;
};

// The beginning of a text, as a message can hold it.
std::string shown(const std::string& text) { return testing::PrintToString(text.substr(0, 2000)); }

class MutatedInputs : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name, std::ios::binary) << text;
  }

  // Runs the program in the scratch folder. On a busy machine the clock says little, so each process has so many
  // seconds of a processor, and all of them 200 on the clock.
  ProcessResult run(const std::string& arguments, int processor_s = 20) const {
    const std::string command = "ulimit -t " + std::to_string(processor_s) + " && cd " + scratch_.path + " && exec " +
                                ASSAY_BUILD_DIR + "/assay " + arguments;
    auto ran = run_process({.words = {"/bin/sh", "-c", command}}, {.limit = std::chrono::seconds(200)});
    EXPECT_TRUE(ran.has_value());
    return *std::move(ran);
  }

  void expect_an_answer(const ProcessResult& ran, const std::string& file) const {
    EXPECT_EQ(ran.how, ProcessResult::How::ended) << "it hangs";
    EXPECT_THAT(ran.end.shell_code(), AnyOf(0, 1, 2, 3)) << ran.errors;
    EXPECT_THAT(ran.errors, Not(AnyOf(HasSubstr("terminate called"), HasSubstr("check failed"), HasSubstr("what():"))));
    if (ran.end.shell_code() == 2) {
      EXPECT_THAT(ran.errors, AnyOf(HasSubstr(file), HasSubstr("'"), HasSubstr("column ")))
          << "a message without a place";
    }
  }

  // How many of them came to the running of cases, in the second place.
  std::pair<uint64_t, uint64_t> mutate(const KindOfInput& kind, uint64_t few) const {
    const uint64_t count = number_from("ASSAY_MUTATIONS", few), seed = number_from("ASSAY_MUTATIONS_SEED", 1);
    uint64_t executed = 0;
    std::chrono::duration<double> longest{};
    if (!kind.beside.empty()) write(kind.beside, kind.beside_text);
    for (uint64_t i = 0; i < count; ++i) {
      Rng rng = Rng::stream(seed, kind.file + std::to_string(i));
      const std::string text = kind.changed(kind.text, rng);
      write(kind.file, text);
      const auto begin = std::chrono::steady_clock::now();
      const ProcessResult ran = run(kind.arguments);
      longest = std::max<std::chrono::duration<double>>(longest, std::chrono::steady_clock::now() - begin);
      expect_an_answer(ran, kind.file);
      executed += ran.end.shell_code() <= 1 ? 1 : 0;
      if (HasFailure()) {
        ADD_FAILURE() << kind.file << " number " << i << ": " << shown(text) << "\nprints " << shown(ran.errors);
        break;
      }
    }
    fmt::print("{}: {} changed, {} executed, {:.1f} s for the longest\n", kind.file, count, executed, longest.count());
    return {count, executed};
  }

  selftest::Scratch scratch_;
};

const std::string kBudget = " --budget 30s";
const std::string kCheck = " --cases 1 --device cpu --shrink 0s --no-save --jobs 1 --out out";

TEST_F(MutatedInputs, CaseLines) { mutate({"a.case", kLine, "replay a.case --case-limit 2s"}, 4); }
TEST_F(MutatedInputs, Suites) { mutate({"suite.toml", kSuite, "check --suite suite.toml --budget 3s" + kCheck}, 3); }
TEST_F(MutatedInputs, Adapters) {
  mutate({"kernel.toml", kAdapter, "check kernel.toml --case-limit 2s" + kBudget + kCheck, "kernel.cu", kKernel}, 2);
}
TEST_F(MutatedInputs, Kernels) { mutate({"kernel.cu", kKernel, "adapt kernel.cu --op transpose_2d --out -"}, 4); }
TEST_F(MutatedInputs, KernelsThatAreCompiled) {
  mutate({"kernel.cu", kKernel, "check kernel.cu --op transpose_2d --case-limit 2s" + kBudget + kCheck}, 1);
}
TEST_F(MutatedInputs, Ptx) {
  const auto [count, executed] =
      mutate({"kernel.ptx", kPtxBody, "check kernel.toml --case-limit 2s" + kBudget + kCheck, "kernel.toml",
              kPtxAdapter, [](std::string body, Rng& rng) { return mutated_ptx(body, rng); }},
             2);
  EXPECT_GE(2 * executed, count) << "these show little";
}
std::string repeated(const std::string& part) {
  std::string text;
  while (text.size() < 200'000) text += part;
  return text + "\n";
}
std::string numbered(const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; text.size() < 200'000; ++i) text += before + std::to_string(i) + after;
  return text + "\n";
}

// A reader that looks at the rest of such a text at each of its words needs minutes; a recursive one, all its stack.
TEST_F(MutatedInputs, LongKernelFiles) {
  const std::string kernel = kKernel, body = "__global__ void k(const float* x, float* y, int n) { y[0] = ";
  for (const std::string& text :
       {numbered("word", " ") + kernel, numbered("#define A", " 1\n") + kernel, "#if " + repeated("(") + kernel,
        "#if " + repeated("!") + kernel, repeated("namespace n {") + kernel, repeated("__global__ void k("),
        "__global__ void k(" + numbered("int a", ", ") + " int n) {}", body + repeated("x[") + "; }",
        body + repeated("a<") + "; }", kernel + repeated("void f() { k<<<1,"), kernel + repeated("k<<<1, 1>>>("),
        kernel + numbered("template __global__ void transpose<", ">(int);"), kernel + repeated("1'"),
        kernel + repeated("using a = "), kernel + repeated("/*/ "), kernel + repeated("{"), kernel + repeated("\"")}) {
    SCOPED_TRACE(text.substr(0, 60) + "…" + text.substr(text.size() - 60));
    write("kernel.cu", text);
    const ProcessResult ran = run("adapt kernel.cu --op transpose_2d --out -", static_cast<int>(5 * kSlowdown));
    expect_an_answer(ran, "kernel.cu");
  }
}

TEST_F(MutatedInputs, LongAdaptersSuitesAndLines) {
  write("kernel.cu", kKernel);
  std::string deep = repeated("a.");
  deep.back() = 'b';
  write("kernel.toml", deep + " = 1");
  expect_an_answer(run("check kernel.toml" + kBudget + kCheck), "kernel.toml");
  write("suite.toml", "select = [\"" + repeated("*a") + "\"]");
  expect_an_answer(run("check --suite suite.toml" + kBudget + kCheck), "suite.toml");
  write("a.case", "softmax_forward/block_per_row f32 " + numbered("a", "=1 "));
  expect_an_answer(run("replay a.case"), "a.case");
  write("large.cu", kKernel + std::string(5'000'000, ' '));
  const ProcessResult ran = run("check large.cu --op transpose_2d" + kBudget + kCheck);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("large.cu has 5000"), HasSubstr("are read at most")));
}

TEST_F(MutatedInputs, Rust) { mutate({"kernel.rs", kRust, "adapt kernel.rs --op transpose_2d --out -"}, 2); }
TEST_F(MutatedInputs, Ruby) { mutate({"kernel.rb", kRuby, "adapt kernel.rb --op transpose_2d --out -"}, 2); }

TEST_F(MutatedInputs, Results) {
  const ProcessResult ran = run("check softmax_forward/block_per_row --suite ci --budget 1s" + kCheck);
  ASSERT_EQ(ran.end.shell_code(), 0) << ran.errors;
  for (const std::string file : {"results.jsonl", "run.json"}) {
    const std::string text = selftest::read_text(scratch_.path + "/out/" + file);
    mutate({"out/" + file, text, "report out --html again.html"}, 3);
    write("out/" + file, text);
  }
}

constexpr const char* kBenchmarks = R"json({"context": {"date": "2026-01-31T12:00:00+00:00"}, "benchmarks": [
{"name": "copy/8", "run_name": "copy/8", "run_type": "iteration", "real_time": 2.5, "cpu_time": 2, "time_unit": "us"},
{"name": "copy/8", "run_name": "copy/8", "run_type": "iteration", "real_time": 3e0, "cpu_time": 2, "time_unit": "us"},
{"name": "bad", "run_type": "iteration", "error_occurred": true, "error_message": "no file"}]}
)json";

TEST_F(MutatedInputs, ComparedRuns) {
  const ProcessResult ran = run("check softmax_forward/block_per_row --suite ci --budget 1s" + kCheck);
  ASSERT_EQ(ran.end.shell_code(), 0) << ran.errors;
  ASSERT_EQ(run("history baseline out --out base.json").end.shell_code(), 0);
  for (const std::string file : {"base.json", "out/results.jsonl"}) {
    const std::string text = selftest::read_text(scratch_.path + "/" + file);
    mutate({file, text, "compare base.json out"}, 2);
    write(file, text);
  }
  mutate({"new.json", kBenchmarks, "compare new.json base.json --markdown"}, 4);
}

TEST_F(MutatedInputs, Histories) {
  write("new.json", kBenchmarks);
  ASSERT_EQ(run("history add new.json --db history.db").end.shell_code(), 0);
  const std::string text = selftest::read_text(scratch_.path + "/history.db");
  for (const char* command : {"history trend --all", "history export", "history add new.json"})
    mutate({"history.db", text, std::string(command) + " --db history.db"}, 2);
}

}  // namespace
}  // namespace assay
