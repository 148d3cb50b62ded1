// What the process waits for: a timeout's message names it.
#pragma once

namespace assay {

const char* waiting_for();  // async-signal-safe; null when it waits for nothing

// "the GPU", a literal, for the scope's lifetime.
class Waiting {
 public:
  explicit Waiting(const char* what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
};

}  // namespace assay
