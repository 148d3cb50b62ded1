// The parts that all charts share: how series differ, axes, legends.
'use strict';

const kSeriesColors = 8;  // in report.css
const kSeriesShapes = ['circle', 'triangle', 'rect', 'rectRot'];  // those that can be hollow

// The look of the i-th series: neighbours differ in colour and in shape, and the first 32 from each other.
function seriesStyle(i) {
  const round = Math.floor(i / kSeriesColors);
  return {color: themeColor(`--series-${i % kSeriesColors}`), shape: kSeriesShapes[(i + round) % kSeriesShapes.length]};
}

// The label of a power of ten; none of other numbers.
function powerOfTen(value) {
  const exponent = Math.log10(value);
  if (Math.abs(exponent - Math.round(exponent)) > 1e-9) return null;
  return value >= 0.001 && value <= 1000 ? String(value) : `1e${Math.round(exponent)}`;
}

// `label` gives the text of a tick, or null for none.
function logAxis(title, label) {
  const grid = themeColor('--line'), text = themeColor('--quiet');
  return {type: 'logarithmic', title: {display: true, text: title, color: text},
          grid: {color: (tick) => (label(tick.tick.value) ? grid : 'transparent'), borderColor: grid},
          ticks: {color: text, callback: (value) => label(value), autoSkip: false, maxRotation: 0}};
}

// An axis over all of `values`, from one power of ten to another, labelled by `text`. Where these are near each other, and
// the window is no phone, 2 and 5 times a power have labels, too.
function logAxisOver(title, values, text) {
  const min = 10 ** Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const max = Math.max(10 * min, 10 ** Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  const leads = max / min > 1e3 || innerWidth < 640 ? [1] : [1, 2, 5];
  const label = (value) => {
    const lead = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    return leads.some((known) => Math.abs(lead - known) < 1e-6) ? text(value) : null;
  };
  return {...logAxis(title, label), min, max};
}

// A click on an entry hides its series. Data sets may name the shape to show (`legendShape`), or have no entry
// (`inLegend`: false).
function legend() {
  const entry = (chart, set, i) => ({
    text: set.label, datasetIndex: i, fillStyle: set.hollow ? themeColor('--ground') : set.borderColor, strokeStyle: set.borderColor,
    lineWidth: set.hollow ? 2 : 1, fontColor: themeColor('--text'), pointStyle: set.legendShape, hidden: !chart.isDatasetVisible(i)});
  return {labels: {usePointStyle: true, boxWidth: 8, boxHeight: 7, generateLabels: (chart) =>
      chart.data.datasets.map((set, i) => entry(chart, set, i)).filter(({datasetIndex}) => chart.data.datasets[datasetIndex].inLegend !== false)}};
}
