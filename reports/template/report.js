// Draws the page from its data, top to bottom. The figures were computed by assay; nothing here judges.
'use strict';

const page = JSON.parse(byId('data').textContent);
const failureVerdicts = new Set([...page.verdicts.filter((v) => v.failure).map((v) => v.verdict),
                                 ...page.failures.flatMap(verdictsOf)]);

function isFailure(verdict) {
  return failureVerdicts.has(verdict);
}

function themeColor(variable) {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

// Canvases do not follow style sheets, so whatever draws on one is called now and whenever the theme changes; paper is
// always light.
const themeListeners = [];
function onTheme(draw) {
  themeListeners.push(draw);
  draw();
}
function setPaper(on) {
  document.documentElement.classList.toggle('paper', on);
  themeListeners.forEach((draw) => draw());
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => themeListeners.forEach((draw) => draw()));
window.addEventListener('beforeprint', () => setPaper(true));
window.addEventListener('afterprint', () => setPaper(false));

document.querySelector('main').hidden = false;
for (const draw of [drawHeader, drawMatrix, drawOverTime, drawFailing, drawTimings, drawAudit, drawMemory, drawFailures, drawCoverage, drawChart, drawCaseList, drawRun]) draw();
showLinkedFailure();
document.documentElement.dataset.drawn = 'yes';
