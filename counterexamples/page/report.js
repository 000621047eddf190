// Steps through the one trace that is open in the document. `trace` is what the address says before the step.
const byId = (id) => document.getElementById(id);
let data = null;
let trace = "";
let current = -1;

// A variable is stored as [[step, value], ...], an entry for each step that changes it.
function valueAt(entries, step) {
  let found = undefined;
  for (const [at, value] of entries) {
    if (at > step) break;
    found = value;
  }
  return found;
}

// A value with that of the step before.
function pair(entries, step) {
  const now = valueAt(entries, step);
  return [now, step ? valueAt(entries, step - 1) : now];
}

function showState(step) {
  const variables = data.variables.map(([name, entries]) => [name, ...pair(entries, step)]);
  byId("state").replaceChildren(...drawState(variables));
}

function showTables(step) {
  const tables = data.tables.map(({ group, title, history }) => {
    const [rows, old] = pair(history, step);
    return { group, title, rows, old };
  });
  byId("tables").replaceChildren(...drawTables(tables));
}

function showProperties(step) {
  const place = byId("properties");
  byId("truth").hidden = !data.properties.length;
  place.replaceChildren(...data.properties.filter((property) => property.truth[step] !== null).map((property) => {
    const truth = property.truth[step];
    const said = truth ? "\u2713 holds" : "\u2717 fails";
    const wrong = truth === false;
    const look = wrong ? "no" : "yes";
    const line = row(property.name, [element("td", said, look), element("td", property.text)], wrong ? "failed" : "");
    line.dataset.property = property.name;
    return line;
  }));
}

// A screen reader says of a step all at once, and nothing twice; a page that was just opened it reads by itself.
function showStep(step, aloud) {
  const beat = data.steps[step];
  byId("action").textContent = step ? `${step}. ${beat.label}` : "Initial state";
  byId("story").replaceChildren(...beat.story.map((text) => element("li", text)));
  byId("changed").hidden = step === 0 || beat.fails === true;
  byId("changes").replaceChildren(...(beat.changes.length ? beat.changes : ["(nothing changes)"])
    .map((text) => element("li", text)));
  const wrong = step === data.steps.length - 1 && data.broken.length > 0;
  if (aloud) byId("announced").textContent = [byId("action").textContent, ...beat.story, ...(wrong ? data.broken : [])].join(". ");
  const source = data.sources[beat.action];
  byId("code").hidden = !source;
  byId("source").replaceChildren(...(source ? numbered(source) : []));
  byId("place").textContent = source ? source.place : "";
  byId("of").textContent = beat.fails ? "State in which it fails" : step ? `State after step ${step}` : "Initial state";
}

// What was compared after a step; a step that a replay did not reach has nothing.
function showSides(step) {
  const rows = data.sides ? data.sides.steps[step] || [] : [];
  byId("sides").hidden = !rows.length;
  if (!rows.length) return;
  const lines = rows.map(([name, left, right, differs]) =>
    row(name, [element("td", left), element("td", right, differs ? "" : "empty")], differs ? "failed" : ""));
  byId("compared").replaceChildren(heads("", data.sides.heads), ...lines);
}

function markDiagram(step, across) {
  const place = byId("diagram");
  for (const known of place.querySelectorAll(".step.now")) known.classList.remove("now");
  const band = place.querySelector(`.step[data-step="${step}"]`);
  if (!band) {
    if (step === 0) place.scrollTop = 0;
    return;
  }
  band.classList.add("now");
  bring(place, band, across); // a page opens at the first lane
}

function go(step, keep) {
  const last = data.steps.length - 1;
  const wanted = Math.max(0, Math.min(last, step));
  if (wanted === current) return;
  current = wanted;
  const slider = byId("slider");
  slider.value = String(current);
  slider.setAttribute("aria-valuetext", `step ${current} of ${last}: ${data.steps[current].label}`);
  byId("where").textContent = `step ${current} of ${last}`;
  for (const id of ["first", "previous"]) byId(id).disabled = current === 0;
  for (const id of ["next", "last"]) byId(id).disabled = current === last;
  if (document.activeElement.disabled) slider.focus(); // else the keyboard would be nowhere
  showStep(current, !keep);
  showProperties(current);
  showSides(current);
  showState(current);
  showTables(current);
  markDiagram(current, !keep);
  if (!keep) history.replaceState(null, "", `#${trace}step-${current}`);
}

function fromLink(otherwise) {
  const found = /(?:^#|\/)step-(\d+)$/.exec(location.hash);
  go(found ? Number(found[1]) : otherwise, true);
}

// Begins with the trace that now stands in the document.
function begin(prefix) {
  data = JSON.parse(byId("data").textContent);
  trace = prefix;
  current = -1;
  byId("slider").addEventListener("input", () => go(Number(byId("slider").value)));
  byId("first").addEventListener("click", () => go(0));
  byId("previous").addEventListener("click", () => go(current - 1));
  byId("next").addEventListener("click", () => go(current + 1));
  byId("last").addEventListener("click", () => go(data.steps.length - 1));
  byId("diagram").addEventListener("click", chosen);
  // On paper a diagram fills at most a page; one that would become too small is cut into pages.
  const drawing = byId("diagram").querySelector("svg").viewBox.baseVal;
  byId("diagram").classList.toggle("tall", drawing.height > 2.2 * drawing.width);
  // As much of the screen as is free below the steps, so that all of the diagram can be seen without scrolling the page.
  const page = byId("diagram").closest("#opened") || document.documentElement;
  const above = byId("diagram").getBoundingClientRect().top - page.getBoundingClientRect().top;
  byId("diagram").style.setProperty("--above", `${above + 14}px`);
  byId("raw").open = !data.tables.length;
  if (data.tables.length) byId("raw").prepend(byId("raw").querySelector("summary"), byId("changed")); // tables say it in words
  byId("raw").classList.toggle("alone", !data.tables.length);
  fromLink(data.steps.length - 1);
}

function chosen(event) {
  const box = byId("diagram").querySelector("svg").getBoundingClientRect();
  const hit = [...byId("diagram").querySelectorAll(".step")].find((band) => {
    const at = band.querySelector("rect").getBoundingClientRect();
    return event.clientY >= at.top && event.clientY <= at.bottom && event.clientX >= box.left;
  });
  if (hit) go(Number(hit.dataset.step));
}

document.addEventListener("keydown", (event) => {
  if (!data || event.ctrlKey || event.metaKey || event.altKey || event.target === byId("slider")) return;
  const moves = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: data.steps.length - 1 };
  if (!(event.key in moves)) return;
  event.preventDefault();
  go(moves[event.key]);
});
window.addEventListener("beforeprint", () => { if (data) byId("text").open = true; });
window.addEventListener("hashchange", () => { if (data) fromLink(current); });
if (byId("data")) begin("");
