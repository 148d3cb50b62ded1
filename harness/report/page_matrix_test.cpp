// The first screen of report.html, the matrix of ops and dtypes, in a real browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/test_page_fixture.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::HasSubstr;

// For statements of ask(): the matrix as text, and what users do to its controls.
const std::string kMatrix = R"(
    const byId = (id) => document.getElementById(id);
    const cells = () => [...document.querySelectorAll('.cell')];
    const text = (element) => element.innerText.replace(/\s+/g, ' ').trim();
    const rows = () => [...document.querySelectorAll('#matrix tr')].map((row) => [...row.cells].map(text).join(','));
    const names = () => [...document.querySelectorAll('#matrix tbody th')].map(text).join(' ');
    const set = (id, value) => {
      byId(id)[typeof value === 'boolean' ? 'checked' : 'value'] = value;
      byId(id).dispatchEvent(new Event('input', {bubbles: true}));
    };
)";

// `ops` × 3 dtypes, of which every tenth op fails.
Report many_ops(int ops) {
  Report report;
  report.info.status = "complete";
  for (int i = 0; i < ops; ++i)
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
      for (const char* variant : {"one", "two"})
        report.rows.push_back(row_of(fmt::format("sample_of_{:02}_backward", i), variant, dtype, "n=1",
                                     i % 10 == 9 ? Kind::mismatch : Kind::pass, i % 10 == 9 ? i : i / 60.0));
  return report;
}

TEST_F(Page, MatrixHasACellForEachDtypeOfAnOpOrVariant) {
  draw(sample_report());
  EXPECT_EQ(
      ask(kMatrix + R"(answer = rows().join('; '); set('matrix-rows', 'ops'); answer += '|' + rows().join('; '))"),
      "error / budget,f32,bf16,f16; sample_attention/flash_tiled,,∞ M,; sample_softmax/it's_\"odd\",– C,,; "
      "sample_softmax/warp_per_row,0.25 I,0.50,; sample_softmax/block_per_row,,,– S|"
      "error / budget,f32,bf16,f16; sample_softmax,0.25 C I,0.50,– S; sample_attention,,∞ M,");
  EXPECT_EQ(
      ask(kMatrix + R"(
    const look = (element) => getComputedStyle(element).backgroundColor + getComputedStyle(element).borderRadius;
    const [crash, mistrusted, skipped] = [...document.querySelectorAll('#matrix .mark')];
    answer = [look(crash) === look(mistrusted), look(crash) === look(skipped),
              [...document.querySelectorAll('#verdicts li')].map(text).join(' '), cells()[2].title].join('|'))"),
      "true|false|PASS 3 M MISMATCH 1 C CRASH 1 I MISTRUSTED 1 S SKIPPED 1|1 case, worst error / budget –, 1 SKIPPED");
  Report one;
  one.rows = {row_of("op", "mine", DType::f32, "n=1", Kind::pass, 0.25)};
  draw(one);
  EXPECT_EQ(ask(kMatrix + "answer = rows().join('; ') + '|' + byId('matrix-controls').offsetHeight"),
            "error / budget,f32; op/mine,0.25|0");
}

// By relative luminance, as WCAG 2 defines it, which readers of any colour vision see.
TEST_F(Page, MatrixColoursFollowTheErrorAndKeepTextLegible) {
  Report report;
  const double kErrors[] = {0.05, 0.3, 0.9, 1.5, 5, 50, 500, std::numeric_limits<double>::infinity()};
  for (int i = 0; const double error : kErrors)
    report.rows.push_back(row_of("op", fmt::format("v{}", i++), DType::f32, "n=1", Kind::pass, error));
  report.rows.push_back(row_of("op", "v9", DType::f32, "n=1", Kind::skipped, std::numeric_limits<double>::quiet_NaN()));
  for (const bool dark : {false, true}) {
    browser_.set_dark(dark);
    draw(report);
    EXPECT_EQ(ask(kMatrix + R"(
      const luminance = (color) => color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
          .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
          .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
      const looks = cells().slice(0, 8).map((cell) => getComputedStyle(cell));
      const shades = looks.map((look) => luminance(look.backgroundColor));
      const contrasts = looks.map((look, i) => [luminance(look.color), shades[i]].sort((a, b) => b - a)).map(([a, b]) => (a + 0.05) / (b + 0.05));
      const ordered = (sign) => shades.every((shade, i) => i === 0 || sign * (shade - shades[i - 1]) > 0);
      answer = [ordered(-1), ordered(1), contrasts.every((contrast) => contrast >= 4.5), getComputedStyle(cells()[8]).borderStyle,
                cells()[8].hasAttribute('style')].join(' '))"),
              dark ? "false true true dashed false" : "true false true dashed false");
  }
}

TEST_F(Page, MatrixSortsAndFilters) {
  draw(sample_report());
  EXPECT_EQ(ask(kMatrix + R"(
    const variants = () => names().replace(/\w+\//g, '');
    for (const order of ['name', 'worst error', 'cases', 'failures']) { set('matrix-order', order); answer += variants() + '; '; }
    set('matrix-text', 'SOFTMAX per_row');
    answer += `${variants()} (${byId('matrix-count').innerText}); `;
    set('matrix-failing', true);
    answer += variants() + '; ';
    set('matrix-text', '');
    document.querySelector('#verdicts [data-verdict=CRASH] button').click();
    answer += variants())"),
            "flash_tiled block_per_row it's_\"odd\" warp_per_row; flash_tiled warp_per_row block_per_row it's_\"odd\"; "
            "warp_per_row flash_tiled block_per_row it's_\"odd\"; flash_tiled it's_\"odd\" warp_per_row block_per_row; "
            "warp_per_row block_per_row (2 of 4); warp_per_row; it's_\"odd\"");
}

TEST_F(Page, MatrixCellOpensItsFigures) {
  draw(sample_report());
  EXPECT_EQ(
      ask(kMatrix + R"(
    set('matrix-rows', 'ops');
    cells()[0].click();
    answer = byId('cell').open + '|' + text(byId('cell'));
    byId('cell').querySelector('a[href="#cases"]').click();
    answer += `|${byId('cell').open} ${byId('cases-count').innerText} ${byId('cases-cell').innerText}`;
    byId('cases-cell').click();
    answer += `|${byId('cases-count').innerText}`)"),
      "true|sample_softmax f32 Close Cases 3, 2 of them compared · list Verdicts PASS 2 CRASH 1 MISTRUSTED 1 "
      "Error / budget median 0, 99 % 0.25, worst 0.25 Bugs "
      "CRASH it's_\"odd\" · details bad <script>document.title='owned'</script> & \"quoted\", 'single'; {{data}} "
      "--> ]]> \\x1b[31mred\\x1b[0m \\xff µ second line "
      "MISTRUSTED warp_per_row · details sample_softmax f32 is blind to 'rounded_lower:y': 3 of 12 cases "
      "Case with the worst error sample_softmax/warp_per_row f32 rows=3 cols=65 fill=normal seed=7 schedule=0 Copy "
      "Replay assay replay 'sample_softmax/warp_per_row f32 rows=3 cols=65 fill=normal seed=7 schedule=0' Copy "
      "Error over size|false 1–4 of 4 rows sample_softmax f32 ✕|1–8 of 8 rows");
  EXPECT_EQ(ask(kMatrix + R"(
    cells()[0].click();
    byId('cell').querySelector('a[href="#failure-2"]').click();
    answer = `${byId('cell').open} ${location.hash} `;
    cells()[1].click();
    answer += text(byId('cell')).includes('Bugs');
    byId('cell').querySelector('a[href="#chart-section"]').click();
    answer += ` ${byId('chart-op').value}`)"),
            "false #failure-2 false sample_softmax");
}

TEST_F(Page, MatrixFollowsTheArrowKeys) {
  draw(many_ops(2));
  EXPECT_EQ(ask(kMatrix + R"(
    cells()[0].focus();
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp'])
      answer += document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true})) ? 'stays ' :
          cells().indexOf(document.activeElement) + ' ';
    answer += cells().filter((cell) => cell.tabIndex === 0).length)"),
            "stays 1 4 7 8 5 1");
}

TEST_F(Page, MatrixOfFiftyOpsIsOneScreen) {
  draw(many_ops(53));
  EXPECT_EQ(ask(kMatrix + R"(
    answer = [cells().length, document.querySelectorAll('#matrix table').length, byId('matrix').getBoundingClientRect().bottom < 800,
              names().split(' ')[0], byId('matrix-rows').innerText.replace(/\n/g, ' ')].join('|'))"),
            "159|3|true|sample_of_09_backward|53 ops 106 variants");
  browser_.resize(400, 900);
  draw(many_ops(53));
  EXPECT_EQ(ask(kMatrix + R"(
    answer = [document.querySelectorAll('#matrix table').length, document.documentElement.scrollWidth,
              cells().every((cell) => cell.getBoundingClientRect().right <= 400)].join('|'))"),
            "1|400|true");
}

}  // namespace
}  // namespace assay
