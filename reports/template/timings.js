// The timings on a GPU: where and at which clocks, the fastest variants, and a row for each variant and case.
'use strict';

// With `places` significant digits, or all that stand before the point. Figures that are missing are a dash.
function digits(value, places = 3) {
  if (value === null) return '–';
  return value >= 10 ** (places - 1) ? count(Math.round(value)) : value.toPrecision(places);
}

function interval(low, high, places) {
  return low === null || high === null ? null : `${digits(low, places)} – ${digits(high, places)}`;
}

function share(value) {
  return value === null ? '–' : percent(value, 1);
}

// A figure, and in a second line what qualifies it.
function figureCell(text, qualifier, wraps = false) {
  return el('td', {class: 'number'}, text, qualifier ? el('div', {class: wraps ? 'quiet wraps' : 'quiet'}, qualifier) : null);
}

function shapeCell({shape, case: line}) {
  return el('td', {class: 'shape', title: line}, shape);
}

function medianCell(timing) {
  return figureCell(digits(timing.median_us, 4), interval(timing.low_us, timing.high_us, 4));
}

function roofCell(timing) {
  return figureCell(share(timing.of_roof), timing.of_roof === null ? null : timing.roof, true);
}

// Faster or slower only where the whole interval is on that side; the sign shows it without colours.
function speedupCell({op, speedup, speedup_low: low, speedup_high: high, vendor, no_library}) {
  if (speedup === null) return el('td', {class: 'number quiet', title: no_library}, '–');
  const [tone, sign, meaning] = low > 1 ? ['faster', '▲', 'faster: the interval lies above 1'] :
      high < 1 ? ['slower', '▼', 'slower: the interval lies below 1'] : ['even', '≈', 'undecided: the interval holds 1'];
  return el('td', {class: `number speedup ${tone}`, title: meaning}, el('strong', {}, `${sign} ${digits(speedup)}×`),
            el('div', {class: 'quiet'}, interval(low, high, 3)),
            el('div', {class: 'quiet wraps'}, ...breakable(`over ${vendor.replace(`${op}/`, '')}`)));
}

// An interval rests on processes, not on samples.
function samplesNote({processes, discarded}) {
  const from = `of ${count(processes)} ${processes === 1 ? 'process' : 'processes'}`;
  return discarded ? `${from}, ${count(discarded)} discarded` : from;
}

function variantCell(timing) {
  return el('th', {scope: 'row'}, ...breakable(timing.variant), timing.is_vendor ? el('span', {class: 'quiet'}, ' (vendor)') : null,
            timing.verdict === 'PASS' ? null : el('div', {}, verdictBadge(timing.verdict)));
}

const kTimingColumns = [
  {name: 'Op', key: (t) => t.op, cell: (t) => el('td', {}, ...breakable(t.op))},
  {name: 'Dtype', key: (t) => t.dtype, cell: (t) => el('td', {}, t.dtype)},
  {name: 'Case', key: (t) => t.bytes, cell: shapeCell},
  {name: 'Variant', key: (t) => t.variant, cell: variantCell},
  {name: 'Median µs', number: true, key: (t) => t.median_us, cell: medianCell},
  {name: 'GB/s', number: true, key: (t) => t.gb_per_s, cell: (t) => figureCell(digits(t.gb_per_s))},
  {name: 'TFLOP/s', number: true, key: (t) => t.tflop_per_s, cell: (t) => figureCell(digits(t.tflop_per_s))},
  {name: 'Of its roof', number: true, key: (t) => t.of_roof, cell: roofCell},
  {name: 'Speedup', number: true, key: (t) => t.speedup, cell: speedupCell},
  {name: 'Samples', number: true, key: (t) => t.kept, cell: (t) => figureCell(count(t.kept), samplesNote(t), true)},
  {name: 'Ended by', key: (t) => t.end, cell: (t) => el('td', {}, t.end)},
  {name: 'Verified', key: (t) => Number(t.verified), cell: (t) => el('td', {}, t.verified ? 'yes' : 'no')},
];

function plainTable(head, rows) {
  return [el('thead', {}, el('tr', {}, ...head.map(([name, number]) => el('th', {scope: 'col', class: number ? 'number' : null}, name)))),
          el('tbody', {}, ...rows)];
}

function drawBest() {
  const {timings, best} = page.performance;
  byId('best').hidden = best.length === 0;
  byId('best-table').append(...plainTable(
      [['Op'], ['Dtype'], ['Case'], ['Fastest variant'], ['Median µs', true], ['Of its roof', true], ['Speedup', true]],
      best.map((index) => timings[index]).map((timing) => el('tr', {},
          el('td', {}, ...breakable(timing.op)), el('td', {}, timing.dtype), shapeCell(timing),
          variantCell(timing), medianCell(timing), roofCell(timing), speedupCell(timing)))));
}

function drawGpu() {
  const {gpu, roofs, libraries} = page.info;
  const entries = gpu ? {
    GPU: gpu.name, Driver: `CUDA ${gpu.driver}, runtime ${gpu.runtime}`,
    Chip: `${gpu.multiprocessors} multiprocessors at ${count(gpu.sm_mhz)} MHz by default, L2 cache of ${inUnits(gpu.l2_bytes, 'B')}`,
    Memory: inUnits(gpu.memory_bytes, 'B') + (gpu.memory_bytes_per_s ? `, ${inUnits(gpu.memory_bytes_per_s, 'B/s')} by clock and width` : ''),
  } : {};
  for (const {name, unit, measured, physical, means} of roofs || [])
    entries[`Roof: ${name}`] = `${digits(measured)} ${unit} measured` + (means ? ` by ${means}` : '') + (physical ?
        `, ${percent(measured, physical)} of ${digits(physical)} ${unit} physical` : '');
  for (const [name, version] of Object.entries(libraries || {})) entries[name] = version;
  for (const [name, value] of Object.entries(entries)) byId('gpu-info').append(el('dt', {}, name), el('dd', {}, value));
}

// Variants that were to be timed and have no time, by reason.
function drawLeftOut() {
  const {left_out: reasons} = page.performance;
  byId('left-out').hidden = reasons.length === 0;
  byId('left-out-table').append(...plainTable(
      [['Rows', true], ['Verdict'], ['Reason'], ['The first']],
      reasons.map(({rows, verdict, reason, example}) => el('tr', {},
          figureCell(count(rows)), el('td', {}, verdictBadge(verdict)), el('td', {}, reason || '–'),
          el('td', {class: 'shape'}, example)))));
}

function drawClocks() {
  const {clocks} = page.performance;
  const throttled = clocks.filter((entry) => entry.discarded > 0);
  const sum = (entries, field) => entries.reduce((total, entry) => total + entry[field], 0);
  byId('throttled').hidden = throttled.length === 0;
  byId('throttled').textContent = `The GPU throttled its clock: ${count(sum(clocks, 'discarded'))} of ${count(sum(clocks, 'samples'))} ` +
      `samples were discarded, in ${count(throttled.length)} of ${count(clocks.length)} cases.`;
  pagedTable({
    id: 'clocks', rows: clocks, perPage: 10, printAll: true, words: (c) => `${c.op} ${c.dtype} ${c.shape}`,
    attributes: (c) => ({class: c.discarded ? 'throttled' : null}),
    columns: [
      {name: 'Op', key: (c) => c.op, cell: (c) => el('td', {}, ...breakable(c.op))},
      {name: 'Dtype', key: (c) => c.dtype, cell: (c) => el('td', {}, c.dtype)},
      {name: 'Case', key: (c) => c.shape, cell: shapeCell},
      ...[['Lowest MHz', 'lowest_mhz'], ['Median MHz', 'median_mhz'], ['Highest MHz', 'highest_mhz']].map(
          ([name, field]) => ({name, number: true, key: (c) => c[field], cell: (c) => figureCell(digits(c[field], 4))})),
      {name: 'Samples', number: true, key: (c) => c.samples, cell: (c) => figureCell(count(c.samples))},
      {name: 'Discarded', number: true, key: (c) => c.discarded, cell: (c) => figureCell(count(c.discarded))},
    ],
  });
}

function drawTimings() {
  const {timings} = page.performance;
  if (timings.length === 0) return byId('performance').remove();  // most runs time nothing
  byId('performance').hidden = false;
  drawBest();
  pagedTable({
    id: 'timings', rows: timings, perPage: 50, printAll: true, columns: kTimingColumns,
    words: (t) => `${t.case} ${t.verdict} ${t.roof} ${t.vendor} ${t.end}`,
    attributes: (t) => ({class: t.verdict === 'PASS' ? null : 'suspect', 'data-verdict': t.verdict}),
  });
  drawLeftOut();
  drawGpu();
  drawClocks();
  drawTimingCharts();
  drawRoofline();
}
