// Options that several commands have.
#include "harness/cli/options.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/adapter/build/compile_time.h"
#include "harness/base/embedded.h"
#include "harness/base/number.h"
#include "harness/base/terminal.h"
#include "harness/cli/help_page.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/device.h"

namespace assay {

const CLI::Validator kAboveZero(
    [](const std::string& text) { return std::strtod(text.c_str(), nullptr) > 0 ? "" : text + " is not above 0"; }, "");
const CLI::Validator kNotNegative(
    [](const std::string& text) { return std::strtod(text.c_str(), nullptr) >= 0 ? "" : text + " is below 0"; }, "");

const CLI::Validator kFolder(
    [](const std::string& path) {
      std::error_code none;
      return std::filesystem::is_directory(path, none) ? ""
                                                       : "there is no folder '" + path + "'; give one with headers";
    },
    "");

const CLI::Validator kSeed(
    [](const std::string& text) {
      return number_in<uint64_t>(text) ? "" : text + " is no whole number from 0 to 18446744073709551615";
    },
    "");

const CLI::Validator kArchitecture(
    [](const std::string& text) {
      const bool is_one =
          text.size() > 3 && text.starts_with("sm_") && std::isdigit(static_cast<unsigned char>(text[3]));
      return is_one ? "" : text + " is no architecture such as sm_80 or sm_90a";
    },
    "");

CLI::Option* add_time(CLI::App& command, const std::string& name, double& seconds) {
  return command.add_option(name, seconds)
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}));
}

CLI::Option* add_budget(CLI::App& command, double& seconds) {
  command.parse_complete_callback([&seconds, begun = Process::Clock::now()] {
    const std::chrono::duration<double> budget(std::min(seconds, 1e8));
    if (seconds > 0) end_compiling_at(begun + std::chrono::duration_cast<Process::Clock::duration>(budget));
  });
  return add_time(command, "--budget", seconds)->check(kAboveZero);
}

void print_help(const std::string& page) {
  std::fputs(help_text(embedded_file(page + ".md"), terminal_of(stdout)).c_str(), stdout);
}

// Prints the page and ends parsing: CLI::Success is what CLI11 throws for its own help.
void add_help(CLI::App& app, const std::string& page) {
  app.set_help_flag();
  app.add_flag_callback("-h,--help",
                        [page] {
                          print_help(page);
                          throw CLI::Success();
                        })
      ->configurable(false);
}

CLI::Option* add_percent(CLI::App& command, const std::string& name, double& share) {
  return command.add_option_function<double>(name, [&share](const double& percent) { share = percent / 100; })
      ->check(kAboveZero);
}

// The number goes to the workers by the environment.
void add_device(CLI::App& command, std::string& device, int& gpu) {
  command.add_option("--device", device);
  command.add_option("--gpu", gpu)->check(kNotNegative)->each([&device](const std::string& number) {
    device = kGpuDevice;
    setenv("ASSAY_GPU", number.c_str(), 1);
  });
  command.add_flag_callback("--checked", [&device] { device = kCheckedDevice; });
}

void add_checked_flag(CLI::App& command, const char* name, std::string& device, bool& flag) {
  command
      .add_flag_callback(name,
                         [&device, &flag] {
                           flag = true;
                           device = kCheckedDevice;
                         })
      ->excludes("--device");
}

void add_bound_on(CLI::App& command, std::string& gpu) {
  command.add_option("--bound-on", gpu)->check(CLI::IsMember(gpu_model_options()));
}

void add_compile(CLI::App& command, CompileOptions& compile) {
  command.add_option("-I", compile.include)->allow_extra_args(false)->check(kFolder);
  command.add_option("-D", compile.define)->allow_extra_args(false);
  command.add_option("--flags", compile.flags);
  command.add_option("--via", compile.via)->check(CLI::IsMember({"auto", "source", "ptx"}));
  command.add_option("--nvcc-flags", compile.nvcc_flags);
  command.add_option("--arch", compile.arch)->check(kArchitecture);
  command.add_option("-p", compile.build);
}

void add_kernels(CLI::App& command, KernelArguments& kernels) {
  command.add_option("--op", kernels.op);
  command.add_option("--kernel", kernels.kernel);
  command.add_option("--entry", kernels.entry);
  command.add_option("--adapter", kernels.adapter);
  command
      .add_option_function<std::vector<std::string>>(
          "--fix",
          [&kernels](const std::vector<std::string>& words) {
            for (const std::string& word : words)
              kernels.fixed.push_back({word.substr(0, word.find('=')), word.substr(word.find('=') + 1)});
          })
      ->allow_extra_args(false)
      ->check(
          [](const std::string& word) {
            const size_t equals = word.find('=');
            const bool is_fix = equals != std::string::npos && equals != 0 && equals + 1 != word.size();
            return is_fix ? "" : "'" + word + "' is not NAME=VALUE, as in --fix layout=head_major";
          },
          "");
  add_compile(command, kernels.compile);
}

void add_format(CLI::App& command, bool& github) {
  command
      .add_option_function<std::string>("--format", [&github](const std::string& name) { github = name == "github"; })
      ->check(CLI::IsMember({"text", "github"}));
}

}  // namespace assay
