// The findings of a process: printed as they are made, each kind and place once, and left in the folder of `assay run`
// as JSON lines.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "harness/simt/runtime/finding.h"

namespace assay::program {

class FindingsLog {
 public:
  // The process uses CUDA: what leaves no such line has checked nothing.
  void begin();
  // `where`: the launch or call.
  void add(simt::Kind kind, const std::string& detail, const std::string& where);
  // A kernel that ran unchecked because its blocks wait for each other.
  void unchecked(const std::string& kernel);
  // A call that is not supported, by its name.
  void unsupported(const std::string& name);
  // A remark that is no finding, such as that a kernel could not be compiled.
  void note(const std::string& text);
  // A launch that has become a file at `path`. `text`: for the user.
  void captured(const std::string& path, const std::string& text);
  // A row of the file that is none of these.
  void row(const nlohmann::json& row);
  // How many findings were folded, and what is not supported.
  void end();

 private:
  void print(const std::string& text);
  void write(const std::string& json);

  std::map<std::string, uint64_t> times_;  // by kind and place
  std::map<std::string, uint64_t> unsupported_, unchecked_;
  uint64_t printed_ = 0;
};

}  // namespace assay::program
