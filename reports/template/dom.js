// Building elements and writing numbers. Text enters the page as text nodes only, never as markup: a detail may hold
// whatever a kernel printed.
'use strict';

// el('td', {class: 'number'}, 'text', otherElement). Attributes that are null or false are left out.
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

function count(number) {
  return number.toLocaleString('en-US');
}

// Error/budget for people. The data has non-finite numbers as text.
function ratio(value) {
  if (value === 'nan') return '–';
  if (value === 'inf') return '∞';
  if (typeof value === 'string') return value;
  if (value === 0) return '0';
  if (value < 0.001 || value >= 100000) return value.toExponential(1).replace('e+', 'e');
  return value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

// As a number that can be compared: NaN stays out of everything.
function magnitude(value) {
  if (value === 'inf') return Infinity;
  return typeof value === 'number' ? value : NaN;
}

// 4.8e12, 'B/s' -> "4.8 TB/s".
function inUnits(value, unit) {
  const step = value > 0 ? Math.max(0, Math.min(4, Math.floor(Math.log10(value) / 3))) : 0;
  return `${Number((value / 1000 ** step).toPrecision(3))} ${['', 'k', 'M', 'G', 'T'][step]}${unit}`;
}

function percent(part, whole) {
  const value = (100 * part) / whole;
  return `${value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %`;
}

// A name that may be broken after an underscore, where a screen is narrow.
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [el('wbr'), part]));
}

// A verdict's name on the colour of what it means.
function verdictBadge(verdict) {
  const tone = verdict === 'PASS' ? 'pass' : isFailure(verdict) ? 'fail' : 'idle';
  return el('span', {class: `badge ${tone}`}, verdict);
}

// A small mark for a verdict: filled for failures, and with the first letter of its name that is not another's yet. The
// top of the page, which is drawn first, is its legend.
const verdictLetters = new Map();
function verdictMark(verdict) {
  const taken = [...verdictLetters.values()];
  if (!verdictLetters.has(verdict)) verdictLetters.set(verdict, [...verdict].find((letter) => !taken.includes(letter)) || verdict[0]);
  return el('span', {class: isFailure(verdict) ? 'mark fail' : 'mark', 'aria-hidden': 'true'}, verdictLetters.get(verdict));
}

// Text to copy, with a button that does. Where the clipboard is closed to the page (plain http), the text is selected.
function copyable(text, label) {
  const code = el('code', {}, text);
  const button = el('button', {type: 'button', class: 'copy', 'aria-label': `Copy the ${label}`, click: copy}, 'Copy');
  async function copy() {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  }
  return el('div', {class: 'copyable'}, code, button);
}
