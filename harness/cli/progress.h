// Progress of a check: a bar with the time left on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace assay {

class Progress {
 public:
  Progress(int64_t total, bool terminal, size_t columns = 100);
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
  size_t columns_;
  double plain_period_ = 2;  // seconds until the next line; the first one comes soon, so that the time left is known
  std::chrono::steady_clock::time_point start_, last_;
};

// "1:05" or "2:03:40": time left or spent.
std::string clock_text(double seconds);

// The bar's text for given figures: counts, failures, time left, and cells as far as there is room for them; pure, for
// tests. It stays below `columns`, since a line that wraps could not be drawn over; 0: no cells, whatever its length.
std::string bar_text(int64_t done, int64_t total, int64_t failed, double elapsed_s, size_t columns = 100);

}  // namespace assay
