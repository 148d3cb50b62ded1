// Earlier runs: what got worse since then, trends, and saved failures with their age.
'use strict';

const kTrendsPerPage = 24;
const kDayMs = 86400000;

// By the time of this run, not by the reader's clock: a report says the same whenever it is opened.
function ageText(since) {
  const days = Math.floor((Date.parse(page.info.started) - Date.parse(since)) / kDayMs);
  if (Number.isNaN(days) || days < 0) return since.slice(0, 10);
  return `${days === 0 ? 'today' : days === 1 ? '1 day' : `${count(days)} days`}, since ${since.slice(0, 10)}`;
}

function commitText(commit) {
  return commit === '' ? 'commit not known' : `commit ${commit.slice(0, 12)}`;
}

function worseGroup(group) {
  return el('div', {class: 'failing-group'},
      el('p', {}, el('span', {class: 'badge fail'}, group.change), ' ', el('strong', {}, ...breakable(group.variant)),
         ` ${group.metric}`, group.device ? ` on ${group.device}` : '', ' ',
         group.effect ? el('strong', {class: 'worse-effect'}, group.effect) : null,
         group.values ? el('span', {class: 'quiet'}, `  ${group.values}`) : null),
      group.why ? el('p', {class: 'quiet clamp'}, group.why) : null,
      group.subject !== group.variant && !group.again.includes(group.subject) ? el('p', {}, el('code', {}, group.subject)) : null,
      group.again ? copyable(group.again, 'replay command') : null,
      group.others.length === 0 ? null
          : el('details', {}, el('summary', {}, `${count(group.count - 1)} more of this variant and metric`),
               el('ul', {class: 'others'}, ...group.others.map((line) => el('li', {}, el('code', {}, line))))));
}

function drawWorse() {
  const {worse} = page.over_time;
  byId('worse').hidden = worse.length === 0;
  if (worse.length === 0) return;
  const bases = [...new Set(worse.map((group) => group.base))];
  byId('worse-note').textContent = `Compared with ${bases.join('; ')}.`;
  byId('worse-list').append(...worse.map(worseGroup));
}

// A line over the runs, drawn in the text's colour, with a mark where the level changed.
function sparkLine(trend, text) {
  const width = 320, height = 56, edge = 5;
  const values = trend.points.map((point) => magnitude(point[2]));
  const known = values.filter(Number.isFinite);
  const low = Math.min(...known), high = Math.max(...known);
  const x = (i) => edge + ((width - 2 * edge) * i) / Math.max(1, values.length - 1);
  const y = (value) => (high > low ? edge + ((height - 2 * edge) * (high - value)) / (high - low) : height / 2);
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const at = values.flatMap((value, i) => (Number.isFinite(value) ? [`${x(i).toFixed(1)},${y(value).toFixed(1)}`] : []));
  const line = svg('svg', {class: 'spark', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': text},
                   svg('polyline', {points: at.join(' '), fill: 'none', stroke: 'currentColor', 'stroke-width': '1.5'}));
  if (trend.changed_at > 0 && Number.isFinite(values[trend.changed_at]))
    line.append(svg('circle', {cx: x(trend.changed_at).toFixed(1), cy: y(values[trend.changed_at]).toFixed(1), r: '4',
                               class: trend.direction > 0 ? 'worse' : trend.direction < 0 ? 'better' : 'other'}));
  return line;
}

function withUnit(value, unit) {
  return `${ratio(value)}${unit ? ` ${unit}` : ''}`;
}

function trendCard(trend) {
  const last = trend.points[trend.points.length - 1];
  const turned = trend.points[trend.changed_at];
  const word = trend.direction > 0 ? 'WORSE' : trend.direction < 0 ? 'BETTER' : trend.changed_at > 0 ? 'OTHER' : 'LEVEL';
  const tone = {WORSE: 'fail', BETTER: 'pass', OTHER: 'idle', LEVEL: 'idle'}[word];
  const text = trend.changed_at > 0
      ? `${withUnit(trend.before, trend.unit)} to ${withUnit(trend.after, trend.unit)} since ${commitText(turned[1])}, ${turned[0].slice(0, 10)}`
      : `${withUnit(last[2], trend.unit)}, the same level in ${count(trend.points.length)} runs`;
  return el('article', {class: 'trend'},
      el('p', {}, el('span', {class: `badge ${tone}`}, word), ' ', el('strong', {}, ...breakable(trend.variant)), ` ${trend.metric}`,
         el('span', {class: 'quiet'}, ` on ${trend.device}${trend.gpu ? `, ${trend.gpu}` : ''}`)),
      el('p', {}, text),
      sparkLine(trend, `${count(trend.points.length)} runs: ${text}`),
      trend.subject !== trend.variant ? el('p', {class: 'quiet'}, el('code', {}, trend.subject)) : null);
}

function drawTrends() {
  const {trends} = page.over_time;
  byId('trends').hidden = trends.length === 0;
  let shown = 0;
  const more = byId('trends-more');
  const show = (end) => {
    const stop = Math.min(end, trends.length);
    byId('trend-list').append(...trends.slice(shown, stop).map(trendCard));
    shown = stop;
    more.hidden = shown === trends.length;
    more.textContent = `Show ${count(Math.min(kTrendsPerPage, trends.length - shown))} more of ${count(trends.length - shown)}`;
  };
  more.addEventListener('click', () => show(shown + kTrendsPerPage));
  show(kTrendsPerPage);
}

function drawSaved() {
  const {saved} = page.over_time;
  byId('saved').hidden = saved.length === 0;
  const row = (each) => el('tr', {},
      el('td', {}, each.verdict === '' ? 'not run' : verdictBadge(each.verdict)),
      el('td', {}, each.since === '' ? 'not known' : ageText(each.since)),
      el('td', {}, each.since === '' ? 'not known' : commitText(each.commit)),
      el('td', {}, el('code', {}, each.line), el('br'), el('span', {class: 'quiet'}, each.path)));
  byId('saved-table').append(
      el('thead', {}, el('tr', {}, ...['Now', 'Fails', 'Since', 'Case'].map((title) => el('th', {scope: 'col'}, title)))),
      el('tbody', {}, ...saved.map(row)));
}

function drawOverTime() {
  drawWorse();
  drawTrends();
  drawSaved();
}
