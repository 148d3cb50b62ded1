// One sweep over the spans for each access.
#include "harness/program/memory_past.h"

#include <algorithm>
#include <unordered_map>

namespace assay::program {
namespace {

using simt::Touch;

// Reads do not race with reads, nor atomics with atomics.
bool conflict(Touch a, Touch b) { return a != b || a == Touch::write; }

}  // namespace

uint32_t MemoryPast::number_of(Past past) {
  std::ranges::sort(past);
  const auto [known, is_new] = numbers_.try_emplace(past, static_cast<uint32_t>(pasts_.size()));
  if (is_new) pasts_.push_back(std::move(past));
  return known->second;
}

// Replaces the past of bytes. `make(past, piece of the footprint, begin, end)` returns the number of the new one.
template <class Make>
void MemoryPast::change(const simt::Footprint& footprint, Make make) {
  if (footprint.empty()) return;
  const auto first = std::ranges::upper_bound(spans_, footprint.front().begin, {}, &Span::end);
  const auto last = std::lower_bound(first, spans_.end(), footprint.back().end,
                                     [](const Span& span, uintptr_t end) { return span.begin < end; });
  std::vector<Span> made;
  made.reserve(static_cast<size_t>(last - first) + footprint.size() + 2);
  const auto add = [&](uintptr_t begin, uintptr_t end, uint32_t past) {
    if (past == 0 || begin == end) return;
    if (!made.empty() && made.back().end == begin && made.back().past == past)
      made.back().end = end;
    else
      made.push_back({begin, end, past});
  };
  auto next = first;
  Span rest = next == last ? Span{} : *next;  // of the span that the sweep is at
  const auto step = [&] { rest = ++next == last ? Span{} : *next; };
  for (const simt::Touched& touched : footprint) {
    for (; next != last && rest.end <= touched.begin; step()) add(rest.begin, rest.end, rest.past);
    if (next != last && rest.begin < touched.begin) {
      add(rest.begin, touched.begin, rest.past);
      rest.begin = touched.begin;
    }
    for (uintptr_t at = touched.begin; at < touched.end;) {
      const bool is_known = next != last && rest.begin <= at;
      const uintptr_t end = next == last ? touched.end : std::min(touched.end, is_known ? rest.end : rest.begin);
      add(at, end, make(is_known ? rest.past : 0, touched.touch, at, end));
      at = end;
      if (!is_known) continue;
      rest.begin = end;
      if (rest.begin == rest.end) step();
    }
  }
  for (; next != last; step()) add(rest.begin, rest.end, rest.past);
  // Neighbours on either side may have the same past now.
  auto begin = first, end = last;
  if (!made.empty() && begin != spans_.begin() && (begin - 1)->end == made.front().begin &&
      (begin - 1)->past == made.front().past)
    made.front().begin = (--begin)->begin;
  if (!made.empty() && end != spans_.end() && end->begin == made.back().end && end->past == made.back().past)
    made.back().end = (end++)->end;
  const auto kept = std::min(made.size(), static_cast<size_t>(end - begin));
  const auto behind = std::copy_n(made.begin(), kept, begin);
  if (kept < made.size())
    spans_.insert(behind, made.begin() + static_cast<std::ptrdiff_t>(kept), made.end());
  else
    spans_.erase(behind, end);
}

MemoryPast::Change MemoryPast::after(uint32_t past, uint32_t piece, Touch touch, const Clock& done, const Clock& host,
                                     std::vector<Unordered>& races) {
  Change change{};
  Past made{{piece, touch}};
  for (const auto& [other, other_touch] : pasts_[past]) {
    const Moment& moment = pieces_[other]->moment;
    if (other == piece && other_touch != touch) made.front().second = Touch::write;
    if (other == piece || host.covers(moment)) continue;
    const bool is_ordered = done.covers(moment);
    if (!is_ordered && conflict(other_touch, touch)) {
      const auto is_known = [&, earlier = pieces_[other].get(), how = other_touch](const Unordered& each) {
        return each.earlier.get() == earlier && each.earlier_touch == how && each.touch == touch;
      };
      const auto found = std::ranges::find_if(races, is_known);
      change.races.push_back(static_cast<size_t>(found - races.begin()));
      if (found == races.end()) races.push_back({pieces_[other], other_touch, touch, 0, 0, 0});
    }
    // Whatever races with it races with this access, too.
    if (!is_ordered || (touch != Touch::write && touch != other_touch)) made.emplace_back(other, other_touch);
  }
  change.past = number_of(std::move(made));
  return change;
}

std::vector<Unordered> MemoryPast::access(const Piece& piece, const Clock& done, const Clock& host,
                                          const simt::Footprint& footprint) {
  if (pieces_.size() >= pieces_max_) drop_what_is_done(host);
  if (pieces_.empty() || pieces_.back() != piece) pieces_.push_back(piece);
  const auto number = static_cast<uint32_t>(pieces_.size() - 1);
  std::vector<Unordered> races;
  std::unordered_map<uint64_t, Change> known;
  uint64_t last_key = ~uint64_t{0};
  const Change* last = nullptr;
  change(footprint, [&](uint32_t past, Touch touch, uintptr_t begin, uintptr_t end) {
    const uint64_t key = uint64_t{past} << 2 | static_cast<uint64_t>(touch);
    if (key != last_key) {
      auto found = known.find(key);
      if (found == known.end()) found = known.emplace(key, after(past, number, touch, done, host, races)).first;
      last_key = key, last = &found->second;
    }
    for (const size_t race : last->races) {
      Unordered& each = races[race];
      if (each.bytes == 0) each.begin = each.end = begin;
      if (each.end == begin) each.end = end;
      each.bytes += end - begin;
    }
    return last->past;
  });
  return races;
}

std::optional<Unordered> MemoryPast::unordered_with_host(uintptr_t begin, uintptr_t end, Touch touch,
                                                         const Clock& host) const {
  for (auto span = std::ranges::upper_bound(spans_, begin, {}, &Span::end); span != spans_.end() && span->begin < end;
       ++span)
    for (const auto& [piece, how] : pasts_[span->past])
      if (conflict(how, touch) && !host.covers(pieces_[piece]->moment)) {
        const uintptr_t from = std::max(begin, span->begin), to = std::min(end, span->end);
        return Unordered{pieces_[piece], how, touch, from, to, to - from};
      }
  return std::nullopt;
}

simt::Footprint MemoryPast::unfinished(uintptr_t begin, uintptr_t end, const Clock& host) const {
  simt::Footprint found;
  for (auto span = std::ranges::upper_bound(spans_, begin, {}, &Span::end); span != spans_.end() && span->begin < end;
       ++span) {
    Touch touch = Touch::none;
    for (const auto& [piece, how] : pasts_[span->past])
      if (!host.covers(pieces_[piece]->moment)) touch = simt::both(touch, how);
    simt::append(found, {std::max(begin, span->begin), std::min(end, span->end), touch});
  }
  return found;
}

void MemoryPast::forget(uintptr_t begin, uintptr_t end) {
  change({{begin, end, Touch::write}}, [](uint32_t, Touch, uintptr_t, uintptr_t) { return uint32_t{0}; });
}

void MemoryPast::drop_what_is_done(const Clock& host) {
  const std::vector<Past> old_pasts = std::exchange(pasts_, {{}});
  const std::vector<Piece> old_pieces = std::exchange(pieces_, {});
  numbers_ = {{{}, 0}};
  std::unordered_map<uint32_t, uint32_t> piece_numbers, past_numbers;  // of those that are still in use
  const auto left_of = [&](uint32_t past) {
    const auto [known, is_new] = past_numbers.try_emplace(past, 0);
    if (!is_new) return known->second;
    Past left;
    for (const auto& [piece, touch] : old_pasts[past]) {
      if (host.covers(old_pieces[piece]->moment)) continue;
      const auto [number, is_first] = piece_numbers.try_emplace(piece, static_cast<uint32_t>(pieces_.size()));
      if (is_first) pieces_.push_back(old_pieces[piece]);
      left.emplace_back(number->second, touch);
    }
    return known->second = number_of(std::move(left));
  };
  std::vector<Span> spans;
  for (const Span& span : std::exchange(spans_, {})) {
    const uint32_t past = left_of(span.past);
    if (past == 0) continue;
    if (!spans.empty() && spans.back().end == span.begin && spans.back().past == past)
      spans.back().end = span.end;
    else
      spans.push_back({span.begin, span.end, past});
  }
  spans_ = std::move(spans);
  pieces_max_ = std::max<size_t>(256, 2 * pieces_.size());
}

}  // namespace assay::program
