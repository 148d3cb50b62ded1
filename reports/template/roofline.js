// The roofline: achieved rate over arithmetic intensity, below the lines of what this GPU was measured to do.
'use strict';

// Data sets of two points for the roofs: measured solid, physical dashed.
function roofSets() {
  const line = (points, color, borderDash, label) => ({
    label, inLegend: false, data: points.map(([x, y]) => ({x, y})), borderColor: themeColor(color), borderDash, borderWidth: 1.5,
    radius: 0, hitRadius: 0});
  return page.performance.roofs.flatMap(({label, measured, physical}) => [
    ...(measured ? [line(measured, '--text', [], label)] : []),
    ...(physical ? [line(physical, '--quiet', [2, 4], label)] : []),
  ]);
}

// Each roof's name above the upper of its lines: rates at their right end, bandwidths along their slope. A name that
// would lie on another one moves to the left.
const roofNames = {
  id: 'roofNames',
  afterDatasetsDraw(chart) {
    const {ctx, chartArea, scales} = chart;
    const pixel = ([x, y]) => [scales.x.getPixelForValue(x), scales.y.getPixelForValue(y)];
    const taken = [];
    ctx.save();
    ctx.fillStyle = themeColor('--quiet');
    ctx.font = '12px system-ui, sans-serif';
    ctx.textBaseline = 'bottom';
    for (const {label, measured, physical} of page.performance.roofs) {
      const upper = [measured, physical].filter(Boolean).sort((a, b) => b[1][1] - a[1][1])[0];
      if (!upper) continue;
      const [[x0, y0], [x1, y1]] = upper.map(pixel);
      ctx.save();
      if (y0 === y1) {
        const width = ctx.measureText(label).width;
        let right = chartArea.right - 6;
        for (const other of taken)
          if (Math.abs(other.y - y1) < 14 && other.left - 12 < right) right = other.left - 12;
        taken.push({y: y1, left: right - width});
        ctx.textAlign = 'right';
        ctx.fillText(label, right, y1 - 3);
      } else {
        ctx.translate(x0 + (x1 - x0) * 0.4, y0 + (y1 - y0) * 0.4);
        ctx.rotate(Math.atan2(y1 - y0, x1 - x0));
        ctx.textAlign = 'center';
        ctx.fillText(label, 0, -3);
      }
      ctx.restore();
    }
    ctx.restore();
  },
};

function drawRoofline() {
  const timings = page.performance.timings.filter((t) => t.intensity > 0 && t.tflop_per_s > 0);
  const select = byId('roofline-op');
  const ops = [...new Set(timings.map((t) => t.op))].sort();
  const redraw = redrawable('roofline');
  select.append(el('option', {value: ''}, 'all ops'), ...ops.map((op) => el('option', {value: op}, op)));

  function draw() {
    const nameOf = (t) => (select.value ? `${t.variant} ${t.dtype}` : t.op);
    const shown = timings.filter((t) => !select.value || t.op === select.value);
    const points = shown.map((timing) => ({x: timing.intensity, y: timing.tflop_per_s, timing}));
    const names = [...new Set(shown.map(nameOf))].sort();
    const lines = roofSets();
    const sets = names.flatMap((name, i) => {
      const {color, shape} = seriesStyle(i);
      return [false, true].map((vendor) => ({
        label: vendor ? `${name} (vendor)` : name, showLine: false, hollow: vendor, legendShape: shape, pointStyle: shape, borderColor: color,
        borderWidth: 2, backgroundColor: vendor ? 'transparent' : color, radius: vendor ? 7 : 4, hoverRadius: 8,
        data: points.filter(({timing}) => nameOf(timing) === name && timing.is_vendor === vendor && timing.verdict === 'PASS')}));
    });
    const all = [...sets, crosses(points.filter(({timing}) => timing.verdict !== 'PASS'))].filter((set) => set.data.length > 0);
    const extent = (field) => [...all, ...lines].flatMap((set) => set.data.map((point) => point[field]));
    redraw(timingChart([...all, ...lines],
                       {x: logAxisOver('operations per byte that any kernel must move', extent('x'), (value) => String(Number(value.toPrecision(3)))),
                        y: logAxisOver('TFLOP/s', extent('y'), (value) => String(Number(value.toPrecision(3))))}, [roofNames]));
    const missing = page.performance.timings.length - timings.length;
    byId('roofline-note').textContent = missing === 0 ? '' :
        `No place here for ${count(missing)} of ${count(page.performance.timings.length)} timings: no time, or no arithmetic that is counted.`;
  }
  select.addEventListener('change', draw);
  onTheme(draw);
}
