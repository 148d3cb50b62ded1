// The table of options, and files by what their names end in.
#include "harness/cxx/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace assay::cxx {
namespace {

enum class Means {
  nothing,  // of code that is not made here: it is taken and left out
  nothing_with_value,
  output,
  language,
  standard,
  relocatable,
  compile,
  module,
  relocatable_compile,
  preprocess,
  dependencies,
  device_link,
  shared,
  version,
  verbose,
  refused,
  for_preprocessing,  // with a value
  for_host,           // the value alone goes to the host compiler, at commas apart
  for_linker,         // likewise to the linker
  library,
  library_path,
  dependency,
  dependency_with_value,
  fast_math,
  options_file
};

struct Row {
  Means means;
  bool has_value;
  const char* names;
};

constexpr Row kRows[] = {
    {Means::output, true, "-o --output-file"},
    {Means::language, true, "-x --x"},
    {Means::standard, true, "-std --std"},
    {Means::relocatable, true, "-rdc --relocatable-device-code"},
    {Means::compile, false, "-c --compile"},
    {Means::relocatable_compile, false, "-dc --device-c"},
    {Means::device_link, false, "-dlink --device-link"},
    {Means::preprocess, false, "-E --preprocess"},
    {Means::dependencies, false, "-M -MM --generate-dependencies"},
    {Means::shared, false, "-shared --shared"},
    {Means::version, false, "--version -V"},
    {Means::verbose, false, "-v --verbose"},
    {Means::module, false, "-fatbin --fatbin -cubin --cubin"},
    {Means::refused, false, "-ptx --ptx -optix-ir --optix-ir -dw"},
    {Means::for_preprocessing, true,
     "-I --include-path -D --define-macro -U --undefine-macro -isystem --system-include -include --pre-include -iquote "
     "-idirafter"},
    {Means::for_host, true, "-Xcompiler --compiler-options"},
    {Means::for_linker, true, "-Xlinker --linker-options"},
    {Means::library, true, "-l --library"},
    {Means::library_path, true, "-L --library-path"},
    {Means::dependency, false, "-MD -MMD -MP"},
    {Means::dependency_with_value, true, "-MF -MT -MQ"},
    {Means::fast_math, false, "-use_fast_math --use_fast_math"},
    {Means::options_file, true, "-optf --options-file"},
    {Means::nothing_with_value, true,
     "-arch --gpu-architecture -code --gpu-code -gencode --generate-code -Xptxas --ptxas-options -Xcudafe -Xnvlink "
     "--nvlink-options -Xfatbin -ccbin --compiler-bindir -cudart --cudart -maxrregcount --maxrregcount -t --threads "
     "-keep-dir --keep-dir -diag-suppress --diag-suppress -ftz --ftz -prec-div --prec-div -prec-sqrt --prec-sqrt -fmad "
     "--fmad -default-stream --default-stream -dopt -Werror --Werror"},
    {Means::nothing, false,
     "-lineinfo --generate-line-info -G --device-debug -expt-relaxed-constexpr --expt-relaxed-constexpr "
     "-expt-extended-lambda --expt-extended-lambda -extended-lambda --extended-lambda -m64 --m64 -keep --keep "
     "-extra-device-vectorization -forward-unknown-to-host-compiler --forward-unknown-to-host-compiler "
     "--no-host-device-move-forward -restrict --restrict -res-usage --resource-usage -dlto"}};

const Row* row_of(std::string_view name) {
  for (const Row& row : kRows) {
    const std::string_view names = row.names;
    for (size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return &row;
    }
  }
  return nullptr;
}

Words at_commas(std::string value) {
  std::ranges::replace(value, ',', ' ');
  std::istringstream in(value);
  return {std::istream_iterator<std::string>(in), {}};
}

// Libraries of CUDA that libassay_cuda.so answers for.
bool is_answered(const std::string& library) {
  for (const char* const name :
       {"cudart", "cudart_static", "cudadevrt", "cuda", "cublas", "cublasLt", "curand", "cufft", "cublas_static",
        "cublasLt_static", "curand_static", "cufft_static", "culibos", "nvrtc"})
    if (library == name) return true;
  return false;
}

class Reader {
 public:
  Result<Options> read(const Words& words) {
    ASSAY_TRY(take(words));
    return std::move(options_);
  }

 private:
  // -c, -o FILE, -oFILE, -std=c++17, --std c++17, -DNAME=VALUE, -Xcompiler -fPIC,-O2
  Result<void> take(const Words& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!word.starts_with('-') || word == "-") {
        file(word);
        continue;
      }
      const Row* row = row_of(word);
      std::string name = word, value;
      if (row != nullptr && row->has_value) {
        if (++i == words.size()) return fail(fmt::format("{} wants a value", word), "as nvcc has it");
        value = words[i];
      } else if (row == nullptr) {
        const size_t equals = word.find('=');
        name = word.substr(0, equals);
        row = equals == std::string::npos ? nullptr : row_of(name);
        if (row != nullptr && row->has_value && name.size() > 2) {
          value = word.substr(equals + 1);
        } else {
          name = word.substr(0, 2);
          value = word.substr(2);
          row = std::string_view("-I -D -U -L -l -o -x").find(name) == std::string_view::npos ? nullptr : row_of(name);
        }
      }
      if (row == nullptr)
        options_.host.push_back(word);  // -O2, -g, -Wall, -fopenmp: the host compiler knows them or refuses them
      else
        ASSAY_TRY(option(row->means, name, value));
    }
    return {};
  }

  Result<void> option(Means means, const std::string& name, const std::string& value) {
    using enum Means;
    Options& to = options_;
    switch (means) {
      case nothing:
      case nothing_with_value:
        break;
      case output:
        to.output = value;
        break;
      case language:
        to.language = value;
        break;
      case standard:
        to.standard = "-std=" + value;
        break;
      case relocatable:
        to.relocatable = value == "true";
        break;
      case relocatable_compile:
        to.relocatable = true;
        [[fallthrough]];
      case compile:
        to.stage = Stage::compile;
        break;
      case module:  // of the text of its kernels, and linked by itself
        to.stage = Stage::module;
        to.relocatable = true;
        break;
      case preprocess:
        to.stage = Stage::preprocess;
        break;
      case dependencies:
        to.stage = Stage::dependencies;
        to.dependencies.push_back(name == "-MM" ? name : "-M");
        break;
      case device_link:
        to.stage = Stage::device_link;
        break;
      case shared:
        to.shared = true;
        break;
      case version:
        to.shows_version = true;
        break;
      case verbose:
        to.is_verbose = true;
        break;
      case refused:
        return fail(fmt::format("{}: no machine code or PTX is made here", name),
                    "nvcc makes it; `assay run` runs programs that load PTX, too");
      case for_preprocessing:
        to.preprocess.push_back(name.starts_with("--") ? short_name(name) : name);
        to.preprocess.push_back(value);
        break;
      case for_host:
        for (const std::string& part : at_commas(value)) {
          const bool is_preprocessors = part.starts_with("-D") || part.starts_with("-U") || part.starts_with("-I");
          (is_preprocessors ? to.preprocess : to.host).push_back(part);
        }
        break;
      case for_linker:
        for (const std::string& part : at_commas(value)) {
          to.linker.push_back("-Xlinker");
          to.linker.push_back(part);
        }
        break;
      case library:
        if (!is_answered(value)) to.to_link.push_back("-l" + value);
        break;
      case library_path:
        to.linker.push_back("-L" + value);
        break;
      case dependency:
        to.dependencies.push_back(name);
        break;
      case dependency_with_value:
        to.dependencies.insert(to.dependencies.end(), {name, value});
        break;
      case fast_math:
        to.preprocess.insert(to.preprocess.end(), {"-D", "__USE_FAST_MATH__"});
        break;
      case options_file: {
        std::ifstream in(value);
        if (!in) return fail(fmt::format("cannot read {}, the file of options", value), "give its path");
        Words words;
        for (std::string word; in >> word;) words.push_back(word);
        return take(words);
      }
    }
    return {};
  }

  static std::string short_name(const std::string& name) {
    return name == "--include-path"     ? "-I"
           : name == "--define-macro"   ? "-D"
           : name == "--undefine-macro" ? "-U"
           : name == "--pre-include"    ? "-include"
                                        : "-isystem";
  }

  void file(const std::string& path) {
    options_.to_link.push_back(path);
    const std::string_view end = std::string_view(path).substr(std::min(path.rfind('.'), path.size()));
    for (const char* const compiled : {".cu", ".c", ".cc", ".cpp", ".cxx", ".C", ".CUDA", ".i", ".ii"})
      if (end == compiled || !options_.language.empty()) {
        options_.files.push_back(path);
        return;
      }
  }

  Options options_;
};

}  // namespace

Result<Options> options_of(const Words& words) { return Reader().read(words); }

bool is_cuda_file(const std::string& path, const Options& options) {
  return options.language.empty() ? path.ends_with(".cu") : options.language == "cu";
}

}  // namespace assay::cxx
