// Preprocessing, rewriting, compiling and linking, in the order in which nvcc does it.
#include "harness/cxx/build_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/command.h"
#include "harness/base/program_files.h"
#include "harness/base/write_file.h"
#include "harness/cxx/device_code.h"
#include "harness/cxx/file_content.h"
#include "harness/cxx/host_assembly.h"
#include "harness/cxx/program_module.h"
#include "harness/cxx/rewrite.h"
#include "harness/cxx/tells_host.h"
#include "harness/program/source_module.h"

namespace assay::cxx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kByNvcc =
    "where it is CUDA's headers here that lack something, build with nvcc: `assay run` runs that program as well";

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

class Builder {
 public:
  Builder(Options options, std::string compiler, std::string root)
      : options_(std::move(options)), compiler_(std::move(compiler)), root_(std::move(root)) {}

  Result<int> build() {
    if (options_.stage == Stage::device_link) return device_linked();
    if (options_.stage != Stage::link) {
      if (options_.files.empty()) return fail("which file?", "assay c++ FILE.cu -o PROGRAM");
      if (options_.files.size() > 1 && !options_.output.empty())
        return fail("-o with several files that are not linked", "leave -o out, or compile them one by one");
      for (const std::string& file : options_.files)
        if (const int code = ASSAY_TRY(compile(file, output_of(file))); code != 0) return code;
      return 0;
    }
    Words link = {compiler_};
    if (options_.shared) link.push_back("-shared");
    append(link, options_.host);
    append(link, options_.linker);
    append(link, {"-o", options_.output.empty() ? "a.out" : options_.output});
    for (const std::string& each : options_.to_link) {
      link.push_back(each);
      if (std::ranges::find(options_.files, each) == options_.files.end()) continue;
      link.back() = scratch(fmt::format("{}.o", link.size()));
      if (const int code = ASSAY_TRY(compile(each, link.back())); code != 0) return code;
    }
    append(link, ASSAY_TRY(runtime_words()));
    if (options_.is_verbose) {
      say_as_nvcc();
      link.push_back("-v");
    }
    return run(link);
  }

 private:
  static std::string scratch(const std::string& name) { return (scratch_folder() / name).string(); }

  // Runs a compiler, which speaks for itself.
  static Result<int> run(Words words) {
    const auto ended = ASSAY_TRY(run_process({.words = std::move(words),
                                              .input = Redirect::inherited(),
                                              .output = Redirect::inherited(),
                                              .errors = Redirect::inherited(),
                                              .own_group = false}));
    return ended.end.shell_code();
  }

  // The same for a CUDA file; where what fails may be something of CUDA that is not here, the other way is named.
  static Result<int> run_for(const std::string& file, const Words& words) {
    const int code = ASSAY_TRY(run(words));
    if (code == 0) return 0;
    const auto again = ASSAY_TRY(run_process({.words = words, .environment = {{"LC_ALL", "C"}}}));
    for (const char* const sign :
         {"No such file", "'cu", "'CU", "'__", "'tex", "'surf", "'nv", "'thrust", "cooperative"})
      if (again.errors.find(sign) != std::string::npos) {
        std::fputs(fmt::format("assay c++: {}: {}\n", file, kByNvcc).c_str(), stderr);
        break;
      }
    return code;
  }

  std::string output_of(const std::string& file) const {
    const bool is_module = options_.stage == Stage::module;
    if (!options_.output.empty() || (options_.stage != Stage::compile && !is_module)) return options_.output;
    return fs::path(file).stem().string() + (is_module ? ".fatbin" : ".o");
  }

  // The words that both the program and this library, loaded into it, are linked with.
  Result<Words> runtime_words() const {
    for (const fs::path& folder : {program_folder(), program_folder().parent_path() / "lib/assay"})
      if (fs::exists(folder / "libassay_cuda.so"))
        return Words{"-L" + folder.string(),
                     "-Wl,-rpath," + folder.string(),
                     "-lassay_cuda",
                     "-Wl,--as-needed",
                     "-lassay_core",
                     "-ldl",
                     "-lpthread",
                     "-lrt"};
    return fail("there is no libassay_cuda.so beside this program", "build or install assay again");
  }

  // CMake reads from this that its detection of nvcc has succeeded, what links a program, and where headers are. The
  // folder of a toolkit is ours, which has no more than the headers.
  void say_as_nvcc() const {
    const std::string folder = program_folder().string();
    std::fputs(
        fmt::format(
            "#$ TOP={0}/harness/cxx\n#$ NVVMIR_LIBRARY_DIR={0}/harness/cxx/nvvm/libdevice\n#$ PATH={1}\n"
            "#$ LIBRARIES=\"-L{1}\"\n#$ INCLUDES=\"-I{0}/harness/cxx/include\"\n"
            "#$ for the executor -arch compute_90\n#$ {1}/assay-nvcc -o a.out \"-L{1}\" -lassay_cuda -lassay_core\n",
            root_, folder)
            .c_str(),
        stderr);
  }

  // A file for the host alone has the C library's <assert.h>, and not the executor's.
  Words folders(bool is_cuda) const {
    return {"-I",
            root_ + "/harness/cxx/include",
            is_cuda ? "-I" : "-idirafter",
            root_ + "/harness/simt/include",
            "-idirafter",
            root_};
  }
  // The folder with the CCCL (Thrust, CUB, libcu++) that the program names, or that lies in one; "" where there is
  // none.
  std::string cccl() const {
    for (size_t i = 0; i + 1 < options_.preprocess.size(); ++i) {
      if (options_.preprocess[i] != "-I" && options_.preprocess[i] != "-isystem") continue;
      for (const char* const within : {"", "/cccl"}) {
        const std::string folder = options_.preprocess[i + 1] + within;
        if (fs::exists(folder + "/thrust/version.h") && fs::exists(folder + "/cuda/std/version")) return folder;
      }
    }
    return "";
  }
  // Thrust's algorithms run on the host, by its backend for C++. It comes before all else, libcu++ with it, so that
  // what it asks of the compiler is answered as the host's does; the little of libcu++ that is here is not in its way.
  Words cccl_words() const {
    const std::string folder = cccl();
    if (folder.empty()) return {};
    return {"-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
            "-DCCCL_DISABLE_FP16_SUPPORT",
            "-DCCCL_DISABLE_BF16_SUPPORT",
            "-I",
            root_ + "/harness/cxx/include/cccl",
            "-I",
            folder,
            "-include",
            "nv/target",
            "-include",
            "thrust/detail/config.h"};
  }
  // The executor's headers are written in C++20.
  std::string standard() const {
    for (const char* const newer : {"20", "2a", "23", "2b", "26", "2c"})
      if (options_.standard.ends_with(newer)) return options_.standard;
    return "-std=gnu++20";
  }

  Result<int> compile(const std::string& file, const std::string& output) {
    if (!fs::exists(file)) return fail(fmt::format("there is no file {}", file), "give its path");
    if (is_cuda_file(file, options_)) return compile_cuda(file, output);
    const bool is_c = file.ends_with(".c") && options_.language.empty();
    Words words = {compiler_, options_.stage == Stage::preprocess     ? "-E"
                              : options_.stage == Stage::dependencies ? "-fsyntax-only"
                                                                      : "-c"};
    if (!is_c) {
      append(words, cccl_words());
      append(words, folders(false));
      words.push_back(standard());
    }
    if (is_c) append(words, {"-x", "c"});  // to g++ it is C++
    if (!options_.language.empty()) append(words, {"-x", options_.language});
    append(words, options_.preprocess);
    append(words, options_.host);
    append(words, options_.dependencies);
    if (!output.empty()) append(words, {"-o", output});
    append(words, {file});
    return run(words);
  }

  // The words with which every preprocessing of a CUDA file begins. `side`: the macro that says for whom.
  Words preprocessing(Words compiler, const std::string& side) const {
    append(compiler, cccl_words());
    append(compiler,
           {"-E", "-x", "c++", "-g", "-D" + side, "-include", root_ + "/harness/cxx/include/program_prelude.h"});
    append(compiler, folders(true));
    append(compiler, options_.preprocess);
    return compiler;
  }

  Result<int> compile_cuda(const std::string& file, const std::string& output) {
    Words host = preprocessing({compiler_, standard()}, "ASSAY_CXX_HOST");
    append(host, options_.host);
    if (options_.stage == Stage::preprocess || options_.stage == Stage::dependencies) {
      append(host, options_.dependencies);
      if (!output.empty()) append(host, {"-o", output});
      append(host, {file});
      return run(host);
    }
    Words dependencies = options_.dependencies;
    if (!dependencies.empty()) {
      if (std::ranges::find(dependencies, "-MF") == dependencies.end())
        append(dependencies, {"-MF", fs::path(output).replace_extension(".d").string()});
      if (std::ranges::find(dependencies, "-MT") == dependencies.end()) append(dependencies, {"-MT", output});
    }
    append(host, dependencies);
    const std::string stem = scratch("file");
    append(host, {"-o", stem + ".host.ii", file});
    if (const int code = ASSAY_TRY(run_for(file, host)); code != 0) return code;
    const Rewritten host_text = ASSAY_TRY(rewritten(content_of(stem + ".host.ii"), Side::host, options_.relocatable));
    ASSAY_TRY(write_file(stem + ".host.cpp", host_text.text));

    // The host's compiler first: what is wrong for any compiler is said once.
    Words compile = {compiler_, standard(), "-S", "-x", "c++", "-fpreprocessed", "-g1"};
    append(compile, options_.host);
    append(compile, {"-fno-lto", "-o", stem + ".host.s", stem + ".host.cpp"});  // assembly is read
    if (const int ended = ASSAY_TRY(run_for(file, compile)); ended != 0) return ended;

    HostCode code{{}, host_text.variables, {}, options_.relocatable, false};
    if (options_.stage == Stage::module && !host_text.has_kernels)
      return fail(fmt::format("there is no kernel in {}", file), "a module is of a file's kernels");
    if (host_text.has_kernels || (options_.relocatable && host_text.has_device_code)) {
      DeviceCode device;
      for (const auto& [build, text] :
           {std::pair{KernelBuild::fast, &device.fast}, std::pair{KernelBuild::checked, &device.checked}})
        if (const int ended = ASSAY_TRY(device_text(file, build, stem, *text)); ended != 0) return ended;
      code.tells_host = tells_host(content_of(stem + ".device.ii"));
      code.device_code = stem + ".device";
      const std::string bytes = ASSAY_TRY(packed(device));
      ASSAY_TRY(write_file(code.device_code, bytes));
    }

    const std::string assembly = content_of(stem + ".host.s");
    code.assembly = assembly;
    const DescribedCode described = with_description(code);
    if (options_.stage == Stage::module) {
      const std::string device = content_of(code.device_code);
      ASSAY_TRY(write_file(output, fat_binary_of({described.kernels, described.sizes, device})));
      return 0;
    }
    ASSAY_TRY(write_file(stem + ".s", described.assembly));
    if (!code.device_code.empty() && !options_.relocatable) ASSAY_TRY(compiled_for_runs(code, described.variables));
    return run({compiler_, "-c", "-x", "assembler", stem + ".s", "-o", output});
  }

  // The device's code as `assay run` will want it, and find it kept: what is wrong with it is seen here and not at the
  // first launch.
  static Result<void> compiled_for_runs(const HostCode& code, const std::set<std::string>& variables) {
#if defined(__x86_64__)
    const char* const build = "checked";
#else
    const char* const build = "fast";
#endif
    const auto module = program_module(code.device_code, build, variables);
    if (!module) return fail(module.error().what, kByNvcc);
    return {};
  }

  // A text of the device's code. Where it is to be linked with other files', which is done at the first launch, the
  // fast one is compiled as far as its errors go.
  Result<int> device_text(const std::string& file, KernelBuild build, const std::string& stem, std::string& text) {
    const Words compiler = ASSAY_TRY(kernel_compiler(build));
    Words words = preprocessing(compiler, "ASSAY_CXX_DEVICE");
    if (std::ranges::find(options_.host, "-fopenmp") != options_.host.end()) words.push_back("-fopenmp");  // _OPENMP
    append(words, {"-w", "-std=gnu++20", "-o", stem + ".device.ii", file});
    if (const int code = ASSAY_TRY(run(words)); code != 0) return code;
    text = ASSAY_TRY(rewritten(content_of(stem + ".device.ii"), Side::device, options_.relocatable)).text;
    if (build != KernelBuild::fast || !options_.relocatable) return 0;
    ASSAY_TRY(write_file(stem + ".device.cpp", text));
    Words check = compiler;
    append(check, {"-fpreprocessed", "-fsyntax-only", "-std=gnu++20", "-w", "-o", "/dev/null", stem + ".device.cpp"});
    const int code = ASSAY_TRY(run(check));
    if (code != 0) std::fputs(fmt::format("assay c++: {}: {}\n", file, kByNvcc).c_str(), stderr);
    return code;
  }

  // Device code is linked when a program runs, so this step makes an object with nothing in it.
  Result<int> device_linked() const {
    const std::string empty = scratch("empty.cpp");
    ASSAY_TRY(write_file(empty, ""));
    return run({compiler_, "-c", empty, "-o", options_.output.empty() ? "a_dlink.o" : options_.output});
  }

  Options options_;
  std::string compiler_, root_;
};

}  // namespace

Result<int> build_program(const Words& words) {
  Options options = ASSAY_TRY(options_of(words));
  if (options.shows_version) {
    std::puts("assay c++ " ASSAY_VERSION
              ", with the options of\nnvcc: NVIDIA (R) Cuda compiler driver\nrelease 13.0, V13.0.0");
    return 0;
  }
  if (options.to_link.empty()) return fail("which files?", "assay c++ FILE.cu -o PROGRAM");
  ASSAY_TRY(make_scratch_folder());
  const std::string compiler = ASSAY_TRY(host_compiler());
  return Builder(std::move(options), compiler, project_folders().front().string()).build();
}

}  // namespace assay::cxx
