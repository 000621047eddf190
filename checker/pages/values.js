"use strict";
// How values, states, sources and diagrams are shown on every page that has them.

function element(tag, text, look) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (look) made.className = look;
  return made;
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
    const head = element(name ? "th" : "td", name);
    if (name) head.scope = "col";
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

// A list of simple values: each below its index, in as many lines as it takes.
function indexed(tree, old) {
  const made = element("ol", undefined, "cells");
  made.append(...tree.list.map((item, at) => {
    const around = element("li");
    around.append(element("b", String(at)), fill(element("span"), item, items(old)[at]));
    return around;
  }));
  return made;
}

function table(tree, old, lookOf) {
  const shape = kind(tree);
  if (!items(tree).length) return element("span", "empty", "empty");
  if (shape === "list" && flat(tree)) return indexed(tree, old);
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

// A table that is wider than its place is moved by the keyboard, too; one that is not is no stop on the way.
const places = new ResizeObserver((found) => {
  for (const { target } of found) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});

function figure(name, content) {
  const made = element("figure");
  if (name) made.dataset.variable = name;
  if (name) made.setAttribute("aria-label", name);
  if (name && (content.tagName === "TABLE" || content.tagName === "OL")) content.setAttribute("aria-label", name);
  made.append(...(name ? [element("figcaption", name)] : []), content);
  places.observe(made);
  return made;
}

// A list of records with lists in them (logs, connections) reads better record by record.
function figures(name, tree, old) {
  const nested = kind(tree) === "list" && tree.list.length > 0 && tree.list.every((item) => kind(item) === "record" &&
    item.record.some(([, value]) => kind(value) === "list" && !flat(value)));
  if (!nested) return [figure(name, table(tree, old))];
  return tree.list.map((item, at) => figure(tree.list.length > 1 ? `${name}[${at}]` : name, table(item, items(old)[at])));
}

// Variables as [name, value, value before]: simple ones together in one table, the others each in its own.
function drawState(variables) {
  const simple = element("table");
  const made = [];
  for (const [name, tree, old] of variables) {
    if (kind(tree) === "scalar" || kind(tree) === "variant" || kind(tree) === "set") {
      const line = row(name, [cell(tree, old)]);
      line.dataset.variable = name;
      simple.append(line);
    } else if (!items(tree).length) {
      made.push(figure(name, element("span", "empty", same(tree, old) ? "empty" : "empty new")));
    } else made.push(...figures(name, tree, old));
  }
  if (simple.rows.length) {
    const around = figure("", simple);
    around.setAttribute("aria-label", "variables");
    made.push(around);
  }
  return made;
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

// The tables that a spec draws of a state, with their rows in the state before.
function drawTables(tables) {
  const groups = new Map();
  for (const { group, title, rows, old } of tables) {
    if (!groups.has(group)) {
      groups.set(group, element("div", undefined, "group"));
      groups.get(group).append(element("h4", group));
    }
    const gone = old.filter((known) => !rows.some((cells) => same(known[0], cells[0]))).length;
    const content = rows.length ? drawn(rows, old) : element("span", "empty", gone ? "empty new" : "empty");
    const made = figure(title, content);
    made.dataset.table = `${group}/${title}`;
    if (!title) made.setAttribute("aria-label", group);
    if (title && gone) made.querySelector("figcaption").append(element("span", ` ${gone} gone`, "gone"));
    groups.get(group).append(made);
  }
  return [...groups.values()];
}

// Brings a step of a diagram into sight, in both directions: on a phone it is wider than its place.
function bring(place, band, across = true) {
  const at = band.getBoundingClientRect();
  const around = place.getBoundingClientRect();
  if (at.top < around.top + 20 || at.bottom > around.bottom - 20)
    place.scrollTop += (at.top + at.bottom) / 2 - (around.top + around.bottom) / 2;
  if (!across) return;
  const drawing = place.querySelector("svg");
  const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
  const x = Number(band.dataset.x) * scale;
  place.scrollLeft = x < 0.75 * place.clientWidth ? 0 : x - place.clientWidth / 2;
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
