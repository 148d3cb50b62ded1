// Time, and the share of the roof, over the size of the case, for the variants of an op. Whiskers are 95 % intervals;
// most are smaller than their points.
'use strict';

// A point for each timing that has this figure and a place on the axis. Rows that did not pass are crosses of their own
// series, so that no line leads to them.
function timingPoints(timings, figure) {
  return timings.filter((timing) => timing.bytes > 0 && timing[figure] > 0).sort((a, b) => a.bytes - b.bytes)
      .map((timing) => ({x: timing.bytes, y: timing[figure], timing}));
}

// One data set per variant and dtype, coloured by its place among all of the op's. Vendors' are dashed, and hollow, so that
// one of ours at the same place shows inside.
function timingSets(points, names, nameOf) {
  const sets = names.map((name, i) => {
    const own = points.filter(({timing}) => nameOf(timing) === name && timing.verdict === 'PASS');
    const {color, shape} = seriesStyle(i);
    const vendor = own.some(({timing}) => timing.is_vendor);
    return {label: vendor ? `${name} (vendor)` : name, data: own, hollow: vendor, legendShape: shape, pointStyle: shape, borderColor: color,
            backgroundColor: vendor ? 'transparent' : color, borderDash: vendor ? [6, 4] : [], borderWidth: 2,
            radius: vendor ? 7 : 4, hoverRadius: 8};
  });
  const doubtful = points.filter(({timing}) => timing.verdict !== 'PASS');
  return [...sets, crosses(doubtful)].filter((set) => set.data.length > 0);
}

// Times of rows that did not pass: seen, but no variant's figures.
function crosses(data) {
  const color = themeColor('--fail');
  return {label: [...new Set(data.map(({timing}) => timing.verdict))].join(', '), data, showLine: false,
          legendShape: 'crossRot', pointStyle: 'crossRot', borderColor: color, backgroundColor: color, borderWidth: 3, radius: 7, hoverRadius: 9};
}

// Whiskers from `low` to `high` of each point's timing.
function whiskers(low, high) {
  return {
    id: 'whiskers',
    beforeDatasetsDraw(chart) {
      const {ctx, scales} = chart;
      chart.data.datasets.forEach((set, i) => {
        if (!chart.isDatasetVisible(i)) return;
        ctx.save();
        ctx.strokeStyle = set.borderColor;
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        for (const {x, timing} of set.data) {
          if (timing[low] === null || timing[high] === null) continue;
          const [at, top, bottom] = [scales.x.getPixelForValue(x), scales.y.getPixelForValue(timing[high]), scales.y.getPixelForValue(timing[low])];
          for (const end of [top, bottom]) {
            ctx.moveTo(at - 5, end);
            ctx.lineTo(at + 5, end);
          }
          ctx.moveTo(at, top);
          ctx.lineTo(at, bottom);
        }
        ctx.stroke();
        ctx.restore();
      });
    },
  };
}

function timingTooltip({raw: {timing}}) {
  const {variant, dtype, shape, roof} = timing;
  return [`${variant} ${dtype} ${shape}`, `${digits(timing.median_us, 4)} µs, from ${interval(timing.low_us, timing.high_us, 4) || '–'}`,
          ...(timing.of_roof === null ? [] : [`${share(timing.of_roof)} of ${roof}`]), ...(timing.verdict === 'PASS' ? [] : [timing.verdict])];
}

// Draws `sets` on the canvas #id inside #id-figure, or prints that there is nothing to draw. Returns a function for the
// next time.
function redrawable(id) {
  let chart = null;
  window.addEventListener('beforeprint', () => chart && chart.resize());
  return (config) => {
    if (chart) chart.destroy();
    chart = null;
    const points = config.data.datasets.filter((set) => set.inLegend !== false).reduce((sum, set) => sum + set.data.length, 0);
    byId(`${id}-figure`).hidden = points === 0;
    byId(`${id}-none`).hidden = points > 0;
    byId(id).dataset.points = points;
    if (points > 0) chart = new Chart(byId(id), config);
  };
}

function timingChart(sets, scales, plugins) {
  return {
    type: 'line',
    data: {datasets: sets},
    plugins,
    options: {animation: false, maintainAspectRatio: false, responsive: true, scales,
              plugins: {legend: legend(), tooltip: {callbacks: {title: () => '', label: timingTooltip}}}},
  };
}

// The size axis of both charts, so that they stand above each other.
function bytesAxis(timings) {
  return logAxisOver('bytes that any kernel must move', timings.filter((t) => t.bytes > 0).map((t) => t.bytes), (value) => inUnits(value, 'B'));
}

function shareAxis() {
  const grid = themeColor('--line'), text = themeColor('--quiet');
  return {type: 'linear', min: 0, suggestedMax: 1, title: {display: true, text: 'share of its roof', color: text},
          grid: {color: grid, borderColor: grid}, ticks: {color: text, callback: (value) => `${Math.round(100 * value)} %`}};
}

function drawTimingCharts() {
  const {timings} = page.performance;
  const [op, dtype] = [byId('timing-op'), byId('timing-dtype')];
  const options = (values) => values.map((value) => el('option', {value}, value));
  const dtypesOf = (name) => [...new Set(timings.filter((t) => t.op === name).map((t) => t.dtype))];
  const [drawTime, drawRoof] = [redrawable('time-chart'), redrawable('roof-chart')];
  op.append(...options([...new Set(timings.map((t) => t.op))].sort()));

  function draw() {
    const all = timings.filter((t) => t.op === op.value);
    const shown = all.filter((t) => !dtype.value || t.dtype === dtype.value);
    const nameOf = (t) => `${t.variant} ${t.dtype}`;
    const names = [...new Set(all.map(nameOf))].sort();
    const [time, roof] = [timingPoints(shown, 'median_us'), timingPoints(shown, 'of_roof')];
    drawTime(timingChart(timingSets(time, names, nameOf),
                         {x: bytesAxis(shown), y: logAxisOver('time, µs', time.map(({y}) => y), (value) => String(Number(value.toPrecision(3))))},
                         [whiskers('low_us', 'high_us')]));
    drawRoof(timingChart(timingSets(roof, names, nameOf), {x: bytesAxis(shown), y: shareAxis()},
                         [whiskers('of_roof_low', 'of_roof_high')]));
    const missing = shown.length - time.length;
    byId('timing-note').textContent = missing === 0 ? '' :
        `No place here for ${count(missing)} of ${count(shown.length)} timings: no time, or an op whose bytes are not known.`;
  }
  function choose() {
    dtype.replaceChildren(el('option', {value: ''}, 'all dtypes'), ...options(dtypesOf(op.value)));
    dtype.value = dtypesOf(op.value)[0];
    draw();
  }
  op.addEventListener('change', choose);
  dtype.addEventListener('change', draw);
  choose();
  onTheme(draw);
}
