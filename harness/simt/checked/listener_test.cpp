// Tests that detectors subscribe to what they override, and are known by being linked in.
#include "harness/simt/checked/listener.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/simt/checked/checker.h"

namespace assay::simt::checked {
namespace {

class HearsNothing : public Listener {
 public:
  using Listener::Listener;
};

class HearsBarriers : public Listener {
 public:
  using Listener::Listener;
  void barrier(const void*) override {}
};

class HearsTheLast : public HearsBarriers {
 public:
  using HearsBarriers::HearsBarriers;
  void misaligned(const Now&, const char*) override {}
};

TEST(Listener, SubscribesToWhatItOverrides) {
  EXPECT_EQ(events_that_it_overrides<HearsNothing>(), 0u);
  EXPECT_EQ(events_that_it_overrides<HearsBarriers>(), bit(Event::barrier));
  EXPECT_EQ(events_that_it_overrides<HearsTheLast>(), bit(Event::barrier) | bit(Event::misaligned));
}

TEST(Detectors, AreKnownByName) {
  std::set<std::string> names;
  for (const Detector& detector : detectors()) names.insert(detector.name);
  EXPECT_EQ(names.size(), detectors().size()) << "two detectors have one name";
  for (const char* name : {"access_counts", "alignment", "bounds", "initialisation", "races"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Detectors, AreToldInTheOrderOfTheirNames) {
  EXPECT_TRUE(std::is_sorted(detector_kinds().begin(), detector_kinds().end(),
                             [](const DetectorKind& a, const DetectorKind& b) { return a.name < b.name; }));
}

// They listen only where asked for by name, or by a launch: all accesses of such launches are slow.
TEST(Detectors, HearEveryAccessOnlyWhereSomebodyAsks) {
  for (const DetectorKind& kind : detector_kinds()) {
    const bool hears_all = (kind.events & bit(Event::every_access)) != 0;
    EXPECT_TRUE(!hears_all || !kind.by_default || kind.name == "access_counts") << kind.name;
  }
}

}  // namespace
}  // namespace assay::simt::checked
