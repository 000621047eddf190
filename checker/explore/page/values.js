// How values, states and tables are drawn.

export function element(tag, text, look) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (look) made.className = look;
  return made;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const kind = (tree) => (tree !== null && typeof tree === "object" ? Object.keys(tree)[0] : "scalar");
const items = (tree) => (tree === undefined || kind(tree) === "scalar" ? [] : tree[kind(tree)]);

export function written(tree) {
  switch (kind(tree)) {
    case "list": return "[" + tree.list.map(written).join(", ") + "]";
    case "set": return "{" + tree.set.map(written).join(", ") + "}";
    case "map": return "{" + tree.map.map(([k, v]) => written(k) + ": " + written(v)).join(", ") + "}";
    case "record": return "(" + tree.record.map(([n, v]) => n + "=" + written(v)).join(", ") + ")";
    case "variant": return tree.variant[0] + (tree.variant[1] === null ? "" : "(" + written(tree.variant[1]) + ")");
  }
  return tree === null ? "none" : tree === true ? "yes" : tree === false ? "no" : String(tree);
}

const flat = (tree) => ["scalar", "variant", "set"].includes(kind(tree)) ||
  (kind(tree) === "list" && tree.list.every((item) => kind(item) === "scalar"));

const field = (tree, name) => (kind(tree) === "record" ? (tree.record.find(([known]) => known === name) || [])[1] : undefined);

function row(header, cells) {
  const made = element("tr");
  if (header !== null) {
    const head = element("th", header);
    head.scope = "row";
    made.append(head);
  }
  made.append(...cells);
  return made;
}

function heads(names) {
  const made = element("tr");
  for (const name of names) {
    const head = element("th", name);
    head.scope = "col";
    made.append(head);
  }
  return made;
}

function cell(tree, old) {
  const made = element("td");
  if (flat(tree)) {
    made.textContent = written(tree);
    if (!same(tree, old)) made.classList.add("new");
  } else {
    made.append(tableOf(tree, old));
    if (!items(tree).length && !same(tree, old)) made.classList.add("new");
  }
  return made;
}

// A list or a map: records give columns, everything else one column.
function rowsOf(pairs, oldOf) {
  const made = element("table");
  const records = pairs.every(([, tree]) => kind(tree) === "record");
  const names = records ? pairs[0][1].record.map(([name]) => name) : [];
  made.append(heads(["", ...(records ? names : ["value"])]));
  pairs.forEach(([key, tree], at) => {
    const old = oldOf(key, at);
    const cells = records ? names.map((name) => cell(field(tree, name), field(old, name))) : [cell(tree, old)];
    made.append(row(String(key), cells));
  });
  return made;
}

function tableOf(tree, old) {
  if (!items(tree).length) return element("span", "empty", "empty");
  if (kind(tree) === "record") {
    const made = element("table");
    made.append(heads(tree.record.map(([name]) => name)));
    made.append(row(null, tree.record.map(([name, value]) => cell(value, field(old, name)))));
    return made;
  }
  if (kind(tree) === "list" && flat(tree)) {
    const made = element("table");
    made.append(heads(tree.list.map((_, at) => String(at))));
    made.append(row(null, tree.list.map((item, at) => cell(item, items(old)[at]))));
    return made;
  }
  if (kind(tree) === "list") return rowsOf(tree.list.map((item, at) => [at, item]), (_, at) => items(old)[at]);
  const before = new Map(items(old).map(([key, value]) => [written(key), value]));
  return rowsOf(tree.map.map(([key, value]) => [written(key), value]), (key) => before.get(key));
}

function figure(name, content) {
  const made = element("figure");
  made.dataset.variable = name;
  made.append(element("figcaption", name), content);
  return made;
}

// Variables as [name, value, value before]: simple ones in one table, the others each in its own.
export function drawState(variables) {
  const simple = element("table");
  const made = [];
  for (const [name, tree, old] of variables) {
    if (["scalar", "variant", "set"].includes(kind(tree))) {
      const line = row(name, [cell(tree, old)]);
      line.dataset.variable = name;
      simple.append(line);
    } else if (!items(tree).length) {
      made.push(figure(name, element("span", "empty", same(tree, old) ? "empty" : "empty new")));
    } else made.push(figure(name, tableOf(tree, old)));
  }
  if (simple.rows.length) {
    const around = element("figure");
    around.append(simple);
    made.push(around);
  }
  return made;
}

// A table of the spec: rows of [column, value]. The first column names a row, so rows that move keep their look.
function drawRows(rows, old) {
  const made = element("table");
  const columns = [...new Set(rows.flatMap((cells) => cells.map(([name]) => name)))];
  made.append(heads(columns));
  for (const cells of rows) {
    const before = old.find((known) => same(known[0], cells[0]));
    const values = new Map(cells);
    made.append(row(null, columns.map((name) => {
      const fresh = !before || !same(new Map(before).get(name), values.get(name));
      return element("td", values.has(name) ? written(values.get(name)) : "", fresh ? "new" : "");
    })));
  }
  return made;
}

export function drawTables(tables) {
  const groups = new Map();
  for (const { group, title, rows, old } of tables) {
    if (!groups.has(group)) {
      groups.set(group, element("div", undefined, "group"));
      groups.get(group).append(element("h4", group));
    }
    const gone = old.filter((known) => !rows.some((cells) => same(known[0], cells[0]))).length;
    const made = figure(title, rows.length ? drawRows(rows, old) : element("span", "empty", gone ? "empty new" : "empty"));
    made.dataset.table = `${group}/${title}`;
    if (!title) made.querySelector("figcaption").remove();
    else if (gone) made.querySelector("figcaption").append(element("span", ` ${gone} gone`, "gone"));
    groups.get(group).append(made);
  }
  return [...groups.values()];
}
