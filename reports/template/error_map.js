// The picture of where in a tensor the errors sit. Colour is one of three tellers: dark cells are worse in any palette,
// every step outside the budget has its own strokes, and the sentence below lists where they are.
'use strict';

const kOverBudget = 3;  // the first step of the colour scale outside the budget

// The data's steps in words: ["≤ 0.1", …, "> 100", "∞ or NaN"].
function levelNames() {
  const bounds = page.levels;
  return [...bounds.map((bound) => `≤ ${bound}`), `> ${bounds[bounds.length - 1]}`, '∞ or NaN'];
}

// One cell of the picture at (x, y).
function drawCell(context, level, colors, x, y, width, height) {
  context.fillStyle = colors.level[level];
  context.fillRect(x, y, width, height);
  if (level < kOverBudget) return;
  context.strokeStyle = colors.ink[level];
  context.lineWidth = Math.max(1, Math.min(width, height) / 8);
  const [a, b, m] = [0.2, 0.8, 0.5];
  const strokes = {3: [], 4: [[a, b, b, a]], 5: [[a, b, b, a], [a, a, b, b]], 6: [[a, m, b, m], [m, a, m, b]],
                   7: [[a, a, b, a], [b, a, b, b], [b, b, a, b], [a, b, a, a]]}[level];
  context.beginPath();
  for (const [x0, y0, x1, y1] of strokes) {
    context.moveTo(x + x0 * width, y + y0 * height);
    context.lineTo(x + x1 * width, y + y1 * height);
  }
  context.stroke();
}

function drawLevels(canvas, levels, cols, width, height) {
  const scale = Math.max(2, Math.ceil(devicePixelRatio));
  const rows = levels.length / cols;
  const steps = [...levelNames().keys()];
  const colors = {level: steps.map((i) => themeColor(`--level-${i}`)), ink: steps.map((i) => themeColor(`--ink-${i}`))};
  canvas.width = cols * width * scale;
  canvas.height = rows * height * scale;
  canvas.style.width = `${cols * width}px`;
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  for (let i = 0; i < levels.length; ++i)
    drawCell(context, Number(levels[i]), colors, (i % cols) * width, Math.floor(i / cols) * height, width, height);
}

// The extent of the grid: the tensor folded to a matrix, and how many rows and columns fall into one cell.
function extentOf(map) {
  const cols = map.shape.length ? map.shape[map.shape.length - 1] : 1;
  const rows = map.shape.slice(0, -1).reduce((product, dim) => product * dim, 1);
  return {rows, cols, rowStep: Math.max(1, Math.ceil(rows / map.rows)), colStep: Math.max(1, Math.ceil(cols / map.cols))};
}

function rangeText(noun, first, last, whole) {
  if (first === 0 && last === whole - 1) return whole === 1 ? `the only ${noun}` : `all ${count(whole)} ${noun}s`;
  return first === last ? `${noun} ${first}` : `${noun}s ${first}–${last} of ${count(whole)}`;
}

// "Outside the budget: 12 of 64 cells, in rows 64–127 of 128 and all 64 columns."
function whereText(map) {
  const {rows, cols, rowStep, colStep} = extentOf(map);
  const bad = [...map.levels].flatMap((level, i) => (Number(level) >= kOverBudget ? [i] : []));
  if (bad.length === 0) return 'Every element is within its budget.';
  const span = (indices, step, whole) => [Math.min(...indices) * step, Math.min(whole, (Math.max(...indices) + 1) * step) - 1];
  const [top, bottom] = span(bad.map((i) => Math.floor(i / map.cols)), rowStep, rows);
  const [left, right] = span(bad.map((i) => i % map.cols), colStep, cols);
  return `Outside the budget: ${count(bad.length)} of ${count(map.levels.length)} cells, in ` +
      `${rangeText('row', top, bottom, rows)} and ${rangeText('column', left, right, cols)}.`;
}

function errorMap(map) {
  const {rows, cols, rowStep, colStep} = extentOf(map);
  const where = whereText(map);
  const side = (cells) => Math.max(5, Math.min(14, Math.floor(320 / Math.max(cells, 1))));  // of a cell, in pixels
  const canvas = el('canvas', {class: 'map', role: 'img', 'aria-label': `${map.tensor}: ${where}`});
  const folded = map.shape.length > 2 ? ', all but the last dimension folded into rows' : '';
  const step = rowStep * colStep > 1 ? `; a cell is ${rowStep} × ${colStep} elements and shows the worst of them` : '';
  canvas.addEventListener('mousemove', (event) => {
    const box = canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * map.rows);
    const col = Math.floor(((event.clientX - box.left) / box.width) * map.cols);
    const level = Number(map.levels[row * map.cols + col]);
    const part = (index, width, whole) => (width === 1 ? index : `${index * width}–${Math.min(whole, (index + 1) * width) - 1}`);
    if (row >= 0 && col >= 0 && level >= 0)
      canvas.title = `row ${part(row, rowStep, rows)}, column ${part(col, colStep, cols)}: ${levelNames()[level]} of the budget`;
  });
  onTheme(() => drawLevels(canvas, map.levels, Math.max(1, map.cols), side(map.cols), side(map.rows)));
  return el('figure', {'data-tensor': map.tensor},
            el('figcaption', {}, el('strong', {}, map.tensor), ` [${map.shape.join(', ')}]${folded}${step}`),
            canvas, el('p', {class: 'where'}, where));
}

function levelLegend() {
  return el('ul', {class: 'legend', 'aria-label': 'Error as a fraction of the budget'},
            el('li', {class: 'quiet'}, 'error / budget'),
            ...levelNames().map((text, level) => {
              const canvas = el('canvas', {'aria-hidden': 'true'});
              onTheme(() => drawLevels(canvas, String(level), 1, 14, 14));
              return el('li', {}, canvas, ` ${text}`);
            }));
}
