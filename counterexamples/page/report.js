"use strict";
// Steps through the one trace that is open in the document. `trace` is what the address says before the step.
const byId = (id) => document.getElementById(id);
let data = null;
let trace = "";
let current = -1;

function element(tag, text, look) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (look) made.className = look;
  return made;
}

// A variable is stored as [[step, value], ...], an entry for each step that changes it.
function valueAt(entries, step) {
  let found = undefined;
  for (const [at, value] of entries) {
    if (at > step) break;
    found = value;
  }
  return found;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const kind = (tree) => (tree !== null && typeof tree === "object" ? Object.keys(tree)[0] : "scalar");
const items = (tree) => (tree === undefined || kind(tree) === "scalar" ? [] : tree[kind(tree)]);

function written(tree) {
  switch (kind(tree)) {
    case "list": return "[" + tree.list.map(written).join(", ") + "]";
    case "set": return "{" + tree.set.map(written).join(", ") + "}";
    case "map": return "{" + tree.map.map(([k, v]) => written(k) + ": " + written(v)).join(", ") + "}";
    case "record": return "(" + tree.record.map(([n, v]) => n + "=" + written(v)).join(", ") + ")";
    case "variant": return tree.variant[0] + (tree.variant[1] === null ? "" : "(" + written(tree.variant[1]) + ")");
  }
  return tree === null ? "none" : tree === true ? "yes" : tree === false ? "no" : String(tree);
}

const flat = (tree) => kind(tree) === "scalar" || kind(tree) === "variant" || (kind(tree) === "set") ||
  (kind(tree) === "list" && tree.list.every((item) => kind(item) === "scalar"));

function field(tree, name) {
  if (tree === undefined || kind(tree) !== "record") return undefined;
  const found = tree.record.find(([known]) => known === name);
  return found && found[1];
}

// What fills a cell: text, a list whose new members are marked, or a table of its own.
function fill(cell, tree, old) {
  if (kind(tree) === "list" && flat(tree) && kind(old) === "list") {
    cell.append("[");
    tree.list.forEach((item, at) => {
      const fresh = at >= old.list.length || !same(item, old.list[at]);
      cell.append(at ? ", " : "", element("span", written(item), fresh ? "new" : ""));
    });
    cell.append("]");
    if (tree.list.length < old.list.length) cell.classList.add("new");
  } else if (flat(tree)) {
    cell.textContent = written(tree);
    if (!same(tree, old)) cell.classList.add("new");
  } else {
    cell.append(table(tree, old));
    if (!items(tree).length && !same(tree, old)) cell.classList.add("new");
  }
  return cell;
}

function row(header, cells, look) {
  const made = element("tr", undefined, look);
  if (header !== null) {
    const head = element("th", header);
    head.scope = "row";
    made.append(head);
  }
  made.append(...cells);
  return made;
}

function heads(corner, names) {
  const made = element("tr");
  for (const name of corner === null ? names : [corner, ...names]) {
    const head = element("th", name);
    head.scope = "col";
    made.append(head);
  }
  return made;
}

const cell = (tree, old) => fill(element("td"), tree, old);

// Rows of a list or map: records give columns, everything else one column.
function rows(made, corner, pairs, oldOf, lookOf) {
  const records = pairs.every(([, tree]) => kind(tree) === "record");
  const names = records ? pairs[0][1].record.map(([name]) => name) : [];
  made.append(heads(corner, records ? names : ["value"]));
  pairs.forEach(([key, tree], at) => {
    const look = lookOf ? lookOf(at) : "";
    const old = look === "fresh" ? undefined : oldOf(key, at);
    const cells = records ? names.map((name) => cell(field(tree, name), field(old, name))) : [cell(tree, old)];
    made.append(row(String(key), cells, look));
  });
}

function table(tree, old, lookOf) {
  const shape = kind(tree);
  if (!items(tree).length) return element("span", "empty", "empty");
  const made = element("table");
  if (shape === "record") {
    made.append(heads(null, tree.record.map(([name]) => name)));
    const cells = tree.record.map(([name, value]) => {
      const inner = element("td");
      const beyond = outside(tree, old, name);
      if (!beyond || flat(value)) return fill(inner, value, field(old, name));
      inner.append(table(value, field(old, name), beyond));
      return inner;
    });
    made.append(row(null, cells));
  } else if (shape === "list" && flat(tree)) {
    made.append(heads(null, tree.list.map((_, at) => String(at))));
    made.append(row(null, tree.list.map((item, at) => cell(item, items(old)[at]))));
  } else if (shape === "list") {
    rows(made, "", tree.list.map((item, at) => [at, item]), (_, at) => items(old)[at], lookOf);
  } else {
    const before = new Map(items(old).map(([key, value]) => [written(key), value]));
    rows(made, "", tree.map.map(([key, value]) => [written(key), value]), (key) => before.get(key));
  }
  return made;
}

// A record with entries and an end: rows that do not count (any more) are pale, those that come to count are new.
function outside(record, old, name) {
  const end = field(record, "end");
  if (name !== "entries" || typeof end !== "number") return null;
  const start = field(record, "start") || 0;
  const before = old === undefined ? end : field(old, "end");
  return (at) => (at >= end || at < start ? "beyond" : at >= before ? "fresh" : "");
}

function figure(name, content) {
  const made = element("figure");
  made.dataset.variable = name;
  made.append(element("figcaption", name), content);
  return made;
}

// A list of records with lists in them (logs, connections) reads better record by record.
function figures(name, tree, old) {
  const nested = kind(tree) === "list" && tree.list.length > 0 && tree.list.every((item) => kind(item) === "record" &&
    item.record.some(([, value]) => kind(value) === "list" && !flat(value)));
  if (!nested) return [figure(name, table(tree, old))];
  return tree.list.map((item, at) => figure(tree.list.length > 1 ? `${name}[${at}]` : name, table(item, items(old)[at])));
}

function showState(step) {
  const place = byId("state");
  const simple = element("table");
  const made = [];
  for (const [name, entries] of data.variables) {
    const tree = valueAt(entries, step);
    const old = step ? valueAt(entries, step - 1) : tree;
    if (kind(tree) === "scalar" || kind(tree) === "variant" || kind(tree) === "set") {
      const line = row(name, [cell(tree, old)]);
      line.dataset.variable = name;
      simple.append(line);
    } else if (!items(tree).length) {
      const inner = element("span", "empty", same(tree, old) ? "empty" : "empty new");
      made.push(figure(name, inner));
    } else made.push(...figures(name, tree, old));
  }
  place.replaceChildren(...made);
  if (simple.rows.length) {
    const around = element("figure");
    around.append(simple);
    place.append(around);
  }
}

// A table of the spec: rows of [column, value]. The first column names a row, so rows that move keep their look.
function drawn(rows, old) {
  const made = element("table");
  const columns = [...new Set(rows.flatMap((cells) => cells.map(([name]) => name)))];
  made.append(heads(null, columns));
  for (const cells of rows) {
    const before = old.find((known) => same(known[0], cells[0]));
    const values = new Map(cells);
    const line = columns.map((name) => {
      const fresh = !before || !same(new Map(before).get(name), values.get(name));
      return element("td", values.has(name) ? written(values.get(name)) : "", fresh ? "new" : "");
    });
    made.append(row(null, line));
  }
  return made;
}

function showTables(step) {
  const groups = new Map();
  for (const { group, title, history } of data.tables) {
    const rows = valueAt(history, step);
    const old = step ? valueAt(history, step - 1) : rows;
    if (!groups.has(group)) {
      groups.set(group, element("div", undefined, "group"));
      groups.get(group).append(element("h4", group));
    }
    const gone = old.filter((known) => !rows.some((cells) => same(known[0], cells[0]))).length;
    const content = rows.length ? drawn(rows, old) : element("span", "empty", gone ? "empty new" : "empty");
    const made = figure(title, content);
    made.dataset.table = `${group}/${title}`;
    if (!title) made.querySelector("figcaption").remove();
    else if (gone) made.querySelector("figcaption").append(element("span", ` ${gone} gone`, "gone"));
    groups.get(group).append(made);
  }
  byId("tables").replaceChildren(...groups.values());
}

function showProperties(step) {
  const place = byId("properties");
  byId("truth").hidden = !data.properties.length;
  place.replaceChildren(...data.properties.map((property) => {
    const truth = property.truth[step];
    const said = truth === null ? "" : truth ? "\u2713 holds" : "\u2717 fails";
    const wrong = truth === false;
    const look = wrong ? "no" : "yes";
    const line = row(property.name, [element("td", said, look), element("td", property.text)], wrong ? "failed" : "");
    line.dataset.property = property.name;
    return line;
  }));
}

function showStep(step) {
  const beat = data.steps[step];
  byId("action").textContent = step ? `${step}. ${beat.label}` : "Initial state";
  byId("story").replaceChildren(...beat.story.map((text) => element("li", text)));
  byId("changed").hidden = step === 0;
  byId("changes").replaceChildren(...(beat.changes.length ? beat.changes : ["(nothing changes)"])
    .map((text) => element("li", text)));
  const wrong = step === data.steps.length - 1 && data.broken.length > 0;
  const verdict = byId("verdict");
  verdict.hidden = !wrong;
  verdict.textContent = wrong ? data.broken.join("; ") : "";
  document.body.classList.toggle("at-the-violation", wrong);
  const source = data.sources[beat.action];
  byId("code").hidden = !source;
  byId("source").replaceChildren(...(source ? numbered(source) : []));
  byId("place").textContent = source ? source.place : "";
  byId("of").textContent = step ? `after step ${step}` : "at the start";
}

// The lines of an action with their numbers, which are not a part of what one selects.
function numbered(source) {
  const width = String(source.first + source.lines.length).length;
  return source.lines.map((pieces, at) => {
    const line = element("span", undefined, "line");
    line.dataset.number = String(source.first + at).padStart(width);
    line.append(...pieces.map(([text, look]) => (look ? element("span", text, look) : text)), "\n");
    return line;
  });
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

function markDiagram(step) {
  const place = byId("diagram");
  for (const known of place.querySelectorAll(".step.now")) known.classList.remove("now");
  const band = place.querySelector(`.step[data-step="${step}"]`);
  if (!band) {
    if (step === 0) place.scrollTop = 0;
    return;
  }
  band.classList.add("now");
  const at = band.getBoundingClientRect();
  const around = place.getBoundingClientRect();
  if (at.top < around.top + 20 || at.bottom > around.bottom - 20)
    place.scrollTop += (at.top + at.bottom) / 2 - (around.top + around.bottom) / 2;
  const drawing = place.querySelector("svg");
  const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
  place.scrollLeft = Number(band.dataset.x) * scale - place.clientWidth / 2;
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
  showStep(current);
  showProperties(current);
  showSides(current);
  showState(current);
  showTables(current);
  markDiagram(current);
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
