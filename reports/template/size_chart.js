// Error/budget over the size of the case. Failures are always drawn; of the passes at most a few thousand are, and the
// note below the chart says which.
'use strict';

const kPointsMax = 3000;
const kBinsPerDecade = 8;
const kFloor = 1e-4;    // smaller errors, zero included, are drawn here
const kCeiling = 1e4;   // larger ones, infinity included, here

function chartPoints(op) {
  const points = [];
  for (const [line, series, verdict, error, size] of page.cases) {
    const {op: pointOp, variant, dtype} = page.series[series];
    const value = magnitude(error);
    if (Number.isNaN(value) || size === 0 || (op && pointOp !== op) || verdict === 'MISTRUSTED') continue;
    points.push({x: size, y: Math.min(kCeiling, Math.max(kFloor, value)), error, line, verdict,
                 set: op ? `${variant} ${dtype}` : pointOp, failed: isFailure(verdict)});
  }
  return points;
}

// All failures up to the limit; of the passes the worst of each size bin of each data set, then every k-th of the rest.
function sampled(points) {
  if (points.length <= kPointsMax) return {drawn: points, every: 1};
  const failed = points.filter((point) => point.failed);
  const worst = new Map();
  for (const point of points) {
    if (point.failed) continue;
    const key = `${point.set} ${Math.floor(Math.log10(point.x) * kBinsPerDecade)}`;
    if (!worst.has(key) || worst.get(key).y < point.y) worst.set(key, point);
  }
  const kept = new Set([...failed.slice(0, kPointsMax), ...worst.values()]);
  const rest = points.filter((point) => !kept.has(point) && !point.failed);
  const every = Math.max(1, Math.ceil(rest.length / Math.max(1, kPointsMax - kept.size)));
  rest.forEach((point, i) => { if (i % every === 0 && kept.size < kPointsMax + worst.size) kept.add(point); });
  return {drawn: points.filter((point) => kept.has(point)), every};
}

function noteText(points, drawn, every) {
  const parts = [];
  if (drawn.length < points.length) {
    const failed = points.filter((point) => point.failed).length;
    const drawnFailed = drawn.filter((point) => point.failed).length;
    const failures = failed === 0 ? '' : drawnFailed === failed ? 'every failure, ' : `${count(drawnFailed)} of ${count(failed)} failures, `;
    parts.push(`${count(drawn.length)} of ${count(points.length)} compared cases are drawn: ${failures}of the passes the worst ` +
               `in each eighth of a decade of size, and one in ${count(every)} of the rest.`);
  } else {
    parts.push(`${count(points.length)} compared cases.`);
  }
  const empty = page.cases.filter((row) => row[4] === 0 && !Number.isNaN(magnitude(row[3]))).length;
  if (empty > 0) parts.push(`${count(empty)} with nothing in them have no place on the axis.`);
  parts.push(`Size is the product of a case's dims. Errors below ${kFloor}, zero included, are drawn at the bottom, those ` +
             `above ${count(kCeiling)} and infinite ones at the top. Crosses fail.`);
  return parts.join(' ');
}

function dataSets(drawn) {
  const names = [...new Set(drawn.map((point) => point.set))].sort();
  return names.map((name, i) => {
    const {color, shape} = seriesStyle(i);
    const data = drawn.filter((point) => point.set === name);
    return {
      label: name, data, backgroundColor: `${color}b0`, borderColor: color, clip: 8, legendShape: shape,
      pointStyle: data.map((point) => (point.failed ? 'crossRot' : shape)),
      radius: data.map((point) => (point.failed ? 7 : 2.5)), hoverRadius: 8, borderWidth: data.map((point) => (point.failed ? 2.5 : 0)),
    };
  });
}

// The limit, drawn over the plot.
const limitLine = {
  id: 'limit',
  afterDatasetsDraw(chart) {
    const {ctx, chartArea, scales} = chart;
    const y = scales.y.getPixelForValue(1);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = themeColor('--fail');
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.moveTo(chartArea.left, y);
    ctx.lineTo(chartArea.right, y);
    ctx.stroke();
    ctx.textAlign = 'right';
    ctx.font = '12px system-ui, sans-serif';
    ctx.fillText('budget', chartArea.right - 6, y - 6);
    ctx.restore();
  },
};

function chartConfig(drawn) {
  return {
    type: 'scatter',
    data: {datasets: dataSets(drawn)},
    plugins: [limitLine],
    options: {
      animation: false, maintainAspectRatio: false, responsive: true,
      scales: {x: logAxis('size of the case', powerOfTen), y: {...logAxis('error / budget', powerOfTen), min: kFloor, max: kCeiling}},
      plugins: {
        legend: legend(),
        tooltip: {callbacks: {label: ({raw}) => [`${raw.verdict}, error / budget ${ratio(raw.error)}`, raw.line]}},
      },
    },
  };
}

function chartOp(op) {
  byId('chart-op').value = op;
  byId('chart-op').dispatchEvent(new Event('change'));
}

function drawChart() {
  const ops = [...new Set(page.series.map((series) => series.op))].sort();
  const select = byId('chart-op');
  select.append(el('option', {value: ''}, 'all ops'), ...ops.map((op) => el('option', {value: op}, op)));
  if (ops.length === 1) select.value = ops[0];
  let chart = null;
  function draw() {
    const points = chartPoints(select.value);
    const {drawn, every} = sampled(points);
    if (chart) chart.destroy();
    chart = new Chart(byId('chart'), chartConfig(drawn));
    byId('chart').dataset.points = drawn.length;
    byId('chart-note').textContent = noteText(points, drawn, every);
  }
  byId('chart-section').hidden = chartPoints('').length === 0;
  select.addEventListener('change', draw);
  if (!byId('chart-section').hidden) onTheme(draw);
  window.addEventListener('beforeprint', () => chart && chart.resize());
}
