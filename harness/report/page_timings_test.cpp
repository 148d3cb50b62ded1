// The part of report.html on performance, in a real browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/test_page_fixture.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

// Statements that count the points that the charts of timings have, and of those whose colour is nowhere
// near their place on the canvas.
const std::string kLookAtTimingCharts = R"(
    for (const id of ['time-chart', 'roof-chart', 'roofline']) {
      const chart = Chart.getChart(id);
      if (!chart) { answer += `${id} none; `; continue; }
      const {canvas, currentDevicePixelRatio: scale} = chart;
      const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const pixels = new Uint32Array(image.data.buffer);
      let points = 0, blank = 0;
      chart.data.datasets.filter((set) => set.inLegend !== false).forEach((set, i) => {
        const [red, green, blue] = [1, 3, 5].map((at) => parseInt(set.borderColor.slice(at, at + 2), 16));
        const color = red + 256 * green + 65536 * blue;
        for (const {x, y} of chart.getDatasetMeta(i).data) {
          ++points;
          let seen = false;
          for (let dy = -9; dy <= 9; ++dy)
            for (let dx = -9; dx <= 9; ++dx)
              seen ||= (pixels[Math.round(y * scale + dy) * canvas.width + Math.round(x * scale + dx)] & 0xffffff) === color;
          if (!seen) ++blank;
        }
      });
      answer += `${id} ${points} points ${blank} blank, ${chart.data.datasets.map((set) => set.label).join(', ')}; `;
    })";

TEST_F(Page, ShowsTimingsOnlyWhereThereAreAny) {
  draw(sample_report());
  EXPECT_EQ(ask("answer = document.getElementById('performance')"), "null");
  draw(timed_report());
  const std::string seen = ask(R"(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText.replace(/\s+/g, ' ')).join('; ');
    answer = [texts('#throttled'), texts('#gpu-info dd'), document.querySelectorAll('#clocks-table tr').length,
              texts('#clocks-table tr.throttled td')].join('|'))");
  EXPECT_EQ(seen,
            "The GPU throttled its clock: 1 of 92 samples were discarded, in 1 of 9 cases.|"
            "Example GPU <b>; CUDA 13.0, runtime 13.0; 132 multiprocessors at 1,980 MHz by default, "
            "L2 cache of 62.9 MB; 150 GB, 4.8 TB/s by clock and width; "
            "4.25 TB/s measured, 89 % of 4.80 TB/s physical; 792 TFLOP/s measured, 80 % of 989 TFLOP/s "
            "physical; 50.0 TFLOP/s measured; 13.0.2; 9.19.0 <b>|10|"
            "sample_product; bf16; n=8192; 1,200; 1,980; 1,980; 16; 1");
}

TEST_F(Page, TellsFasterFromSlowerAndNeverCallsADoubtfulTimeTheBest) {
  draw(timed_report());
  const std::string seen = ask(R"(
    const texts = (row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, ' ').trim()).join('; ');
    const rows = (selector) => [...document.querySelectorAll(selector)].map(texts).join('|');
    answer = rows('#best-table tbody tr') + '||' + rows('#timings-table tr.suspect') + '||' +
             rows('#timings-table tbody tr:nth-child(-n+2)') + '||' +
             ['faster', 'slower', 'even'].map((tone) => document.querySelectorAll(`#timings-table .${tone}`).length).join(' '))");
  EXPECT_EQ(seen,
            "sample_copy; f32; n=268435456; <img/src=x/onerror=document.title='owned'>; 1,011 1,000 – 1,031; 50 % "
            "copy 4.25 TB/s; –|"
            "sample_product; bf16; n=8192; pipelined; 1,657 1,641 – 1,690; 84 % bf16 GEMM 792 TFLOP/s; "
            "≈ 0.989× 0.970 – 1.02 over vendor_gemm|"
            "unregistered_op; bf16; n=512; tiled; 1.820 1.802 – 1.856; 19 % bf16 GEMM 792 TFLOP/s; –||"
            "sample_product; bf16; n=8192; skips_half TIMING_SUSPECT; 730.7 723.4 – 745.3; 551; 1,505; 190 % bf16 GEMM "
            "792 TFLOP/s; –; 4 of 1 process; noise; yes|"
            "sample_product; bf16; n=8192; stops_early MISMATCH; –; –; –; –; –; 0 of 0 processes; ; no||"
            "sample_product; bf16; n=512; tiled; 1.820 1.802 – 1.856; 864; 148; 19 % bf16 GEMM 792 TFLOP/s; "
            "▼ 0.579× 0.567 – 0.596 over vendor_gemm; 4 of 1 process; noise; yes|"
            "sample_product; bf16; n=512; pipelined; 0.9099 0.9008 – 0.9281; 1,729; 295; 37 % bf16 GEMM 792 TFLOP/s; "
            "▲ 1.16× 1.13 – 1.19 over vendor_gemm; 4 of 1 process; noise; yes||2 5 3");
  EXPECT_EQ(occurrences(visible(), "<img"), 0u);
}

TEST_F(Page, SortsAndFiltersTimings) {
  draw(timed_report());
  const std::string seen = ask(R"(
    const text = document.getElementById('timings-text');
    text.value = 'PIPELINED bf16';
    text.dispatchEvent(new Event('input'));
    const column = (name) => [...document.querySelectorAll('#timings-table .sort')].find((button) => button.innerText === name);
    const shapes = () => [...document.querySelectorAll('#timings-table .shape')].map((cell) => cell.innerText).join(' ');
    answer = document.getElementById('timings-count').textContent + '|' + shapes();
    column('Of its roof').click();
    answer += '|' + shapes();
    column('Of its roof').click();
    answer += '|' + shapes() + '|' + document.querySelector('#timings-table [aria-sort]').getAttribute('aria-sort');
    text.value = '';
    text.dispatchEvent(new Event('input'));
    answer += '|' + document.querySelector('#timings-table tbody tr:last-child').innerText.includes('stops_early'))");
  EXPECT_EQ(seen,
            "1–5 of 5 rows|n=512 n=1024 n=2048 n=4096 n=8192|n=8192 n=4096 n=2048 n=1024 n=512|"
            "n=512 n=1024 n=2048 n=4096 n=8192|ascending|true");
}

TEST_F(Page, DrawsEveryTiming) {
  for (const bool dark : {false, true}) {
    browser_.set_dark(dark);
    draw(timed_report());
    const std::string seen =
        ask("const op = document.getElementById('timing-op'); op.value = 'sample_product';"
            "op.dispatchEvent(new Event('change')); await painted();" +
            kLookAtTimingCharts);
    const std::string variants = "pipelined bf16, tiled bf16, vendor_gemm bf16 (vendor), TIMING_SUSPECT; ";
    EXPECT_EQ(seen, "time-chart 16 points 0 blank, " + variants + "roof-chart 16 points 0 blank, " + variants +
                        "roofline 16 points 0 blank, sample_product, sample_product (vendor), TIMING_SUSPECT, "
                        "copy 4.25 of 4.8 TB/s, copy 4.25 of 4.8 TB/s, bf16 GEMM 792 of 989 TFLOP/s, "
                        "bf16 GEMM 792 of 989 TFLOP/s, f32 GEMM 50 TFLOP/s; ");
  }
}

TEST_F(Page, SaysWhereAChartOfTimingsHasNothingToShow) {
  Report report = timed_report();
  report.rows = {report.rows.back()};  // of an op whose bytes nobody knows
  draw(report);
  const std::string seen = ask(kLookAtTimingCharts + R"(
    answer += [...document.querySelectorAll('#performance .note, #performance .chart')].filter((e) => e.offsetHeight > 0)
        .map((e) => e.innerText).filter((text) => text.startsWith('No ')).join(' '))");
  EXPECT_EQ(seen,
            "time-chart none; roof-chart none; roofline none; No time to draw. No share of a roof to draw. "
            "No place here for 1 of 1 timings: no time, or an op whose bytes are not known. "
            "No rate of arithmetic to draw. "
            "No place here for 1 of 1 timings: no time, or no arithmetic that is counted.");
}

TEST_F(Page, TellsThirtySeriesApart) {
  draw(Report{});
  const std::string seen = ask(R"(
    const looks = Array.from({length: 32}, (_, i) => JSON.stringify(seriesStyle(i)));
    const neighbours = looks.slice(1).filter((look, i) => {
      const [a, b] = [JSON.parse(looks[i]), JSON.parse(look)];
      return a.color === b.color || a.shape === b.shape;
    });
    answer = new Set(looks).size + ' ' + neighbours.length)");
  EXPECT_EQ(seen, "32 0");
}

}  // namespace
}  // namespace assay
