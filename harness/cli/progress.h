// Progress of a check: a bar with the time left on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace assay {

class Progress {
 public:
  Progress(int64_t total, bool terminal);
  ~Progress() { clear(); }

  void advance(bool failed);
  void expect(int64_t total) { total_ = total; }  // instead of what was planned before
  // A message above the bar (or on a line of its own), as printable() shows it.
  void say(const std::string& text);
  void clear();

 private:
  void draw(bool now);

  int64_t total_, done_ = 0, failed_ = 0;
  bool terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

// "1:05" or "2:03:40": time left or spent.
std::string clock_text(double seconds);

// The bar's text for given figures: 40 cells, counts, failures, time left; pure, for tests.
std::string bar_text(int64_t done, int64_t total, int64_t failed, double elapsed_s);

}  // namespace assay
