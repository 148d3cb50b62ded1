// The code that runs, and what it waits for: the last words of a process name it, so that a crash of the op's own
// functions or of the harness is not reported as the kernel's.
#pragma once

#include <array>
#include <string_view>

namespace assay {

const char* running();      // async-signal-safe; "the op's property 'odd'"; "" while the kernel runs, or nothing does
const char* waiting_for();  // async-signal-safe; null when it waits for nothing

// Names what runs for the scope's lifetime; then the name before is back. "" is the kernel. Names are cut off at some
// 100 characters.
class Running {
 public:
  explicit Running(std::string_view what);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  using Text = std::array<char, 128>;

 private:
  Text before_;
};

// "the GPU", a literal, for the scope's lifetime.
class Waiting {
 public:
  explicit Waiting(const char* what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
};

}  // namespace assay
