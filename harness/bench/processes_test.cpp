// Several processes of a case: what they are asked, and what comes of their answers.
#include "harness/bench/processes.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/bench/test_measure.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNan;
using testing::StartsWith;

class Processes : public testing::Test {
 protected:
  Processes() { theirs.vendor = "cuFake"; }

  MeasuredRow passed(const Variant& variant, double us) const {
    MeasuredRow measured{row_for(case_for(c, variant), "gpu"), /*written=*/7};
    measured.row.timing.emplace().end = "noise";
    measured.row.timing->samples = {{us, 1000}, {us, 1000}};
    measured.row.figures["seconds"] = 1;
    return measured;
  }
  MeasuredRow failed(const Variant& variant, Kind kind, bool again = false) const {
    MeasuredRow measured{row_for(case_for(c, variant), "gpu", kind, "the reason")};
    measured.again = again;
    return measured;
  }

  // `answer` says what a process says of a variant; who took part is noted.
  using Answer = std::function<MeasuredRow(const Variant&, const MeasureOptions&, const std::vector<const Variant*>&)>;
  std::vector<ResultRow> measure(const std::vector<const Variant*>& variants, int processes, const Answer& answer) {
    const MeasureOptions options{.budget_s = 2, .seed = 10};
    const auto once = [&](const std::vector<Contest>& contests, const MeasureOptions& own) {
      asked.push_back(own);
      OfContests<MeasuredRow> rows;
      for (const Contest& contest : contests) {
        std::string names;
        for (const Variant* each : contest.candidates) names += each->name[0];
        took_part.push_back(names);
        rows.emplace_back();
        for (const Variant* each : contest.candidates) rows.back().push_back(answer(*each, own, contest.candidates));
      }
      return rows;
    };
    return measure_in_processes({{c, variants}}, {}, options, processes, once).at(0);
  }

  const Case c = *read_case("made_up/any f32 rows=128 cols=512 fill=normal seed=7");
  Variant ours{.op = "made_up", .name = "ours", .summary = "", .device = "gpu"};
  Variant theirs{.op = "made_up", .name = "theirs", .summary = "", .device = "gpu"};
  Variant bad{.op = "made_up", .name = "bad", .summary = "", .device = "gpu"};
  std::vector<MeasureOptions> asked;
  std::vector<std::string> took_part;
};

TEST_F(Processes, AreTheUnitOfTheInterval) {
  const auto rows = measure({&ours, &theirs}, 3, [&](const Variant& each, const MeasureOptions& own, const auto&) {
    const double slower = 1 + 0.1 * static_cast<double>(own.seed - 10);
    return passed(each, (each.name == "ours" ? 10 : 20) * slower);
  });
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].verdict, Kind::pass);
  EXPECT_DOUBLE_EQ(rows[0].figures["median_us"], 11);
  EXPECT_LT(rows[0].figures["low_us"], 10);
  EXPECT_EQ(rows[0].timing->samples.size(), 6u);
  EXPECT_EQ(rows[0].timing->samples[5].process, 2);
  EXPECT_NEAR(rows[0].figures["speedup_low"], 2, 1e-9) << "what hits both in a process cancels";
  EXPECT_EQ(rows[0].timing->vendor, "made_up/theirs");
  EXPECT_DOUBLE_EQ(rows[0].figures["seconds"], 3);
  EXPECT_THAT(rows[0].hints, IsEmpty());
}

TEST_F(Processes, ShareTheBudgetAndOnlyTheFirstJudges) {
  measure({&ours}, 4, [&](const Variant& each, const auto&, const auto&) { return passed(each, 10); });
  ASSERT_EQ(asked.size(), 4u);
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_DOUBLE_EQ(asked[p].budget_s, 0.5);
    EXPECT_EQ(asked[p].judged, p == 0);
    EXPECT_EQ(asked[p].seed, 10 + p);
  }
}

TEST_F(Processes, DifferentClocksAreSaid) {
  const auto rows_at = [&](double last_mhz) {
    return measure({&ours}, 3, [&](const Variant& each, const MeasureOptions& own, const auto&) {
      MeasuredRow row = passed(each, 10);
      if (own.seed == 12)
        for (TimingSample& sample : row.row.timing->samples) sample.sm_mhz = last_mhz;
      return row;
    });
  };
  EXPECT_THAT(rows_at(900)[0].hints, ElementsAre(StartsWith("its processes met clocks of 900 to 1000 MHz")));
  EXPECT_THAT(rows_at(990)[0].hints, ElementsAre()) << "1 % more is no other clock";
  EXPECT_THAT(rows_at(0)[0].hints, ElementsAre()) << "an unknown one tells nothing";
}

TEST_F(Processes, TwoAreTooFewAndThatIsSaid) {
  const auto rows =
      measure({&ours}, 2, [&](const Variant& each, const auto&, const auto&) { return passed(each, 10); });
  EXPECT_DOUBLE_EQ(rows[0].figures["median_us"], 10);
  EXPECT_THAT(rows[0].figures["low_us"], IsNan());
  EXPECT_THAT(rows[0].hints, ElementsAre(StartsWith("no interval: 2 of 3 processes")));
}

// The GPU is lost under `bad`: the others are measured again without it, in the same process and in all later ones.
TEST_F(Processes, AFailureIsBlamedOnItsOwnCandidate) {
  const auto rows =
      measure({&ours, &bad, &theirs}, 3,
              [&](const Variant& each, const MeasureOptions&, const std::vector<const Variant*>& candidates) {
                if (candidates.size() < 3) return passed(each, 10);
                return failed(each, each.name == "bad" ? Kind::crash : Kind::skipped, each.name != "bad");
              });
  EXPECT_EQ(rows[0].verdict, Kind::pass);
  EXPECT_EQ(rows[1].verdict, Kind::crash);
  EXPECT_EQ(rows[1].detail, "the reason");
  EXPECT_EQ(rows[2].verdict, Kind::pass);
  EXPECT_THAT(took_part, ElementsAre("obt", "ot", "ot", "ot"));
  EXPECT_EQ(rows[0].timing->samples.size(), 6u);
}

TEST_F(Processes, WhereNobodyIsToBlameNobodyIsAskedForEver) {
  const auto rows = measure({&ours, &theirs}, 3, [&](const Variant& each, const auto&, const auto&) {
    return failed(each, Kind::skipped, /*again=*/true);
  });
  EXPECT_EQ(took_part.size(), 1u);
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
}

TEST_F(Processes, AFailureInALaterOneFails) {
  const auto rows = measure({&ours}, 3, [&](const Variant& each, const MeasureOptions& own, const auto&) {
    return own.seed == 11 ? failed(each, Kind::timeout) : passed(each, 10);
  });
  EXPECT_EQ(rows[0].verdict, Kind::timeout);
  EXPECT_EQ(rows[0].detail, "in process 2 of 3: the reason");
  EXPECT_FALSE(rows[0].timing);
}

TEST_F(Processes, OtherBitsThanThoseThatWereJudgedFail) {
  const Answer differs = [&](const Variant& each, const MeasureOptions& own, const auto&) {
    MeasuredRow measured = passed(each, 10);
    measured.written = own.seed;
    return measured;
  };
  const auto rows = measure({&ours}, 3, differs);
  EXPECT_EQ(rows[0].verdict, Kind::nondeterministic);
  EXPECT_THAT(rows[0].detail, HasSubstr("process 2 of 3 wrote other bits"));
  EXPECT_FALSE(rows[0].timing);
  ours.deterministic = false;
  EXPECT_EQ(measure({&ours}, 3, differs)[0].verdict, Kind::pass);
}

TEST_F(Processes, AThrottledOneIsLeftOut) {
  for (const uint64_t throttled : {10u, 11u}) {
    const auto rows = measure({&ours}, 4, [&](const Variant& each, const MeasureOptions& own, const auto&) {
      MeasuredRow measured = passed(each, 10);
      if (own.seed != throttled) return measured;
      measured.row.verdict = Kind::skipped;
      measured.row.detail = "every sample was taken below 75 % of the default clock";
      for (TimingSample& sample : measured.row.timing->samples) sample.discarded = true;
      return measured;
    });
    EXPECT_EQ(rows[0].verdict, Kind::pass) << throttled;
    EXPECT_EQ(rows[0].detail, "");
    EXPECT_DOUBLE_EQ(rows[0].figures["high_us"], 10) << "three are left";
    EXPECT_DOUBLE_EQ(rows[0].figures["discarded"], 2);
  }
}

// Four cases of one line each, whose names are their numbers of columns.
class SeveralCases : public Processes {
 protected:
  SeveralCases() {
    for (int cols = 1; cols <= 4; ++cols) {
      contests.push_back({c, {&ours, &theirs}});
      contests.back().c.set("cols", std::to_string(cols));
    }
  }
  static std::string names_of(const std::vector<Contest>& asked) {
    std::string names;
    for (const Contest& contest : asked) {
      names += std::to_string(contest.c.dim("cols"));
      for (const Variant* each : contest.candidates) names += each->name[0];
    }
    return names;
  }

  std::vector<Contest> contests;
};

TEST_F(SeveralCases, ShareAProcessInAnOrderOfItsOwn) {
  std::set<std::string> orders;
  const auto rows = measure_in_processes(contests, {}, {}, 5, [&](const auto& together, const MeasureOptions&) {
    orders.insert(names_of(together));
    OfContests<MeasuredRow> measured;
    for (const Contest& contest : together)
      measured.push_back({passed(ours, static_cast<double>(contest.c.dim("cols"))), passed(theirs, 12)});
    return measured;
  });
  EXPECT_GT(orders.size(), 2u) << "of five processes";
  ASSERT_EQ(rows.size(), 4u);
  for (size_t k = 0; k < 4; ++k) {
    ASSERT_EQ(rows[k].size(), 2u);
    ResultRow row = rows[k][0];
    EXPECT_DOUBLE_EQ(row.figures["median_us"], static_cast<double>(k + 1)) << "rows come in the order of the cases";
    EXPECT_DOUBLE_EQ(row.figures["speedup"], 12 / static_cast<double>(k + 1)) << "against the vendor's of its own case";
    EXPECT_EQ(row.timing->samples.size(), 10u);
  }
}

// The second that it is asked for takes the process with it: what was answered stands, the rest is asked for again.
TEST_F(SeveralCases, AFailureCostsTheOthersNothing) {
  std::vector<std::string> processes;
  const auto rows = measure_in_processes(contests, {}, {}, 1, [&](const auto& together, const MeasureOptions&) {
    processes.push_back(names_of(together));
    OfContests<MeasuredRow> measured;
    for (size_t k = 0; k < together.size(); ++k) {
      const bool lost = processes.size() == 1 && k > 0;
      measured.emplace_back();
      for (const Variant* each : together[k].candidates) {
        const bool guilty = lost && k == 1 && each == &ours;
        measured[k].push_back(guilty ? failed(*each, Kind::crash)
                              : lost ? failed(*each, Kind::skipped, /*again=*/true)
                                     : passed(*each, 10));
      }
    }
    return measured;
  });
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].size(), 12u);
  EXPECT_EQ(processes[1].size(), 8u) << processes[1];
  int crashes = 0;
  for (const auto& of_case : rows)
    for (const ResultRow& row : of_case) {
      crashes += row.verdict == Kind::crash ? 1 : 0;
      EXPECT_TRUE(row.verdict == Kind::crash || row.verdict == Kind::pass) << name(row.verdict);
    }
  EXPECT_EQ(crashes, 1);
}

TEST_F(Processes, WhenStoppedWhatProcessesBeforeMeasuredStays) {
  const auto stopped_in = [&](int process) {
    int calls = 0;
    return measure_in_processes({{c, {&ours}}}, {}, {}, 3, [&](const std::vector<Contest>& contests, const auto&) {
      OfContests<MeasuredRow> rows;
      if (calls++ < process) rows.push_back({passed(*contests[0].candidates[0], 10)});
      return rows;
    });
  };
  EXPECT_THAT(stopped_in(0), IsEmpty());
  const auto rows = stopped_in(1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0][0].verdict, Kind::pass);
  EXPECT_EQ(bench::processes_of(rows[0][0].timing->samples), 1u);
}

}  // namespace
}  // namespace assay
