// The table of options, and files by what their names end in.
#include "harness/cxx/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
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
  relocatable_compile,
  preprocess,
  dependencies,
  device_link,
  shared,
  version,
  refused,
  for_preprocessing,  // with a value
  for_host,
  for_host_with_value,  // the value alone goes to the host compiler, at commas apart
  for_linker,           // likewise to the linker
  library,
  library_path,  // with a value
  dependency,
  dependency_with_value,
  fast_math,
  options_file
};

const std::map<std::string_view, Means>& table() {
  using enum Means;
  static const std::map<std::string_view, Means> kTable = {{"-o", output},
                                                           {"--output-file", output},
                                                           {"-x", language},
                                                           {"--x", language},
                                                           {"-std", standard},
                                                           {"--std", standard},
                                                           {"-rdc", relocatable},
                                                           {"--relocatable-device-code", relocatable},
                                                           {"-c", compile},
                                                           {"--compile", compile},
                                                           {"-dc", relocatable_compile},
                                                           {"--device-c", relocatable_compile},
                                                           {"-dlink", device_link},
                                                           {"--device-link", device_link},
                                                           {"-E", preprocess},
                                                           {"--preprocess", preprocess},
                                                           {"-M", dependencies},
                                                           {"-MM", dependencies},
                                                           {"--generate-dependencies", dependencies},
                                                           {"-shared", shared},
                                                           {"--shared", shared},
                                                           {"--version", version},
                                                           {"-V", version},
                                                           {"-ptx", refused},
                                                           {"--ptx", refused},
                                                           {"-cubin", refused},
                                                           {"--cubin", refused},
                                                           {"-fatbin", refused},
                                                           {"--fatbin", refused},
                                                           {"-optix-ir", refused},
                                                           {"-dw", refused},
                                                           {"-I", for_preprocessing},
                                                           {"--include-path", for_preprocessing},
                                                           {"-D", for_preprocessing},
                                                           {"--define-macro", for_preprocessing},
                                                           {"-U", for_preprocessing},
                                                           {"--undefine-macro", for_preprocessing},
                                                           {"-isystem", for_preprocessing},
                                                           {"--system-include", for_preprocessing},
                                                           {"-include", for_preprocessing},
                                                           {"--pre-include", for_preprocessing},
                                                           {"-iquote", for_preprocessing},
                                                           {"-idirafter", for_preprocessing},
                                                           {"-Xcompiler", for_host_with_value},
                                                           {"--compiler-options", for_host_with_value},
                                                           {"-Xlinker", for_linker},
                                                           {"--linker-options", for_linker},
                                                           {"-l", library},
                                                           {"--library", library},
                                                           {"-L", library_path},
                                                           {"--library-path", library_path},
                                                           {"-MD", dependency},
                                                           {"-MMD", dependency},
                                                           {"-MP", dependency},
                                                           {"-MF", dependency_with_value},
                                                           {"-MT", dependency_with_value},
                                                           {"-MQ", dependency_with_value},
                                                           {"-use_fast_math", fast_math},
                                                           {"--use_fast_math", fast_math},
                                                           {"--options-file", options_file},
                                                           {"-optf", options_file},
                                                           {"-arch", nothing_with_value},
                                                           {"--gpu-architecture", nothing_with_value},
                                                           {"-code", nothing_with_value},
                                                           {"--gpu-code", nothing_with_value},
                                                           {"-gencode", nothing_with_value},
                                                           {"--generate-code", nothing_with_value},
                                                           {"-Xptxas", nothing_with_value},
                                                           {"--ptxas-options", nothing_with_value},
                                                           {"-Xcudafe", nothing_with_value},
                                                           {"-Xnvlink", nothing_with_value},
                                                           {"--nvlink-options", nothing_with_value},
                                                           {"-Xfatbin", nothing_with_value},
                                                           {"-ccbin", nothing_with_value},
                                                           {"--compiler-bindir", nothing_with_value},
                                                           {"-cudart", nothing_with_value},
                                                           {"--cudart", nothing_with_value},
                                                           {"-maxrregcount", nothing_with_value},
                                                           {"--maxrregcount", nothing_with_value},
                                                           {"-t", nothing_with_value},
                                                           {"--threads", nothing_with_value},
                                                           {"-keep-dir", nothing_with_value},
                                                           {"--keep-dir", nothing_with_value},
                                                           {"-diag-suppress", nothing_with_value},
                                                           {"--diag-suppress", nothing_with_value},
                                                           {"-ftz", nothing_with_value},
                                                           {"--ftz", nothing_with_value},
                                                           {"-prec-div", nothing_with_value},
                                                           {"--prec-div", nothing_with_value},
                                                           {"-prec-sqrt", nothing_with_value},
                                                           {"--prec-sqrt", nothing_with_value},
                                                           {"-fmad", nothing_with_value},
                                                           {"--fmad", nothing_with_value},
                                                           {"-default-stream", nothing_with_value},
                                                           {"--default-stream", nothing_with_value},
                                                           {"-lineinfo", nothing},
                                                           {"--generate-line-info", nothing},
                                                           {"-G", nothing},
                                                           {"--device-debug", nothing},
                                                           {"--expt-relaxed-constexpr", nothing},
                                                           {"-expt-relaxed-constexpr", nothing},
                                                           {"--expt-extended-lambda", nothing},
                                                           {"-expt-extended-lambda", nothing},
                                                           {"--extended-lambda", nothing},
                                                           {"-extended-lambda", nothing},
                                                           {"-m64", nothing},
                                                           {"--m64", nothing},
                                                           {"-keep", nothing},
                                                           {"--keep", nothing},
                                                           {"-extra-device-vectorization", nothing},
                                                           {"-forward-unknown-to-host-compiler", nothing},
                                                           {"--forward-unknown-to-host-compiler", nothing},
                                                           {"--no-host-device-move-forward", nothing},
                                                           {"-restrict", nothing},
                                                           {"--restrict", nothing},
                                                           {"-res-usage", nothing},
                                                           {"--resource-usage", nothing},
                                                           {"-dopt", nothing_with_value},
                                                           {"-dlto", nothing},
                                                           {"-Werror", nothing_with_value},
                                                           {"--Werror", nothing_with_value}};
  return kTable;
}

bool takes_value(Means means) {
  using enum Means;
  return !(means == nothing || means == compile || means == relocatable_compile || means == preprocess ||
           means == dependencies || means == device_link || means == shared || means == version || means == refused ||
           means == for_host || means == dependency || means == fast_math);
}

Words at_commas(const std::string& value) {
  Words parts;
  std::istringstream in(value);
  for (std::string part; std::getline(in, part, ',');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// Libraries of CUDA that libassay_cuda.so answers for.
bool is_answered(const std::string& library) {
  for (const char* const name : {"cudart", "cudart_static", "cudadevrt", "cuda", "cublas", "cublasLt", "curand",
                                 "cublas_static", "cublasLt_static", "curand_static", "culibos", "nvrtc"})
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
  Result<void> take(const Words& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!word.starts_with('-') || word == "-") {
        file(word);
        continue;
      }
      // -DNAME, -std=c++17, --std c++17, -Xcompiler -fPIC
      std::string name = word, value;
      auto known = table().find(name);
      if (known == table().end() && word.find('=') != std::string::npos) {
        name = word.substr(0, word.find('='));
        value = word.substr(name.size() + 1);
        known = table().find(name);
        if (known != table().end() && !takes_value(known->second)) known = table().end();
      } else if (known != table().end() && takes_value(known->second)) {
        if (++i == words.size()) return fail(fmt::format("{} wants a value", word), "as nvcc has it");
        value = words[i];
      }
      if (known == table().end() || (name.size() == 2 && word.size() > 2 && word[2] == '=' && word[1] != 'x')) {
        if (word.size() > 2 && std::string_view("IDULloxM").find(word[1]) != std::string_view::npos &&
            table().contains(word.substr(0, 2)) && takes_value(table().at(word.substr(0, 2)))) {
          name = word.substr(0, 2);
          value = word.substr(2);
          known = table().find(name);
        }
      }
      if (known == table().end())
        options_.host.push_back(word);  // -O2, -g, -Wall, -fopenmp: the host compiler knows them or refuses them
      else
        ASSAY_TRY(option(known->second, name, value));
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
      case refused:
        return fail(fmt::format("{}: no machine code or PTX is made here", name),
                    "nvcc makes it; `assay run` runs programs that load PTX, too");
      case for_preprocessing:
        to.preprocess.push_back(name.starts_with("--") ? short_name(name) : name);
        to.preprocess.push_back(value);
        break;
      case for_host:
      case for_host_with_value:
        for (const std::string& part : at_commas(value)) to.host.push_back(part);
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
