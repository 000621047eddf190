// A small state graph: drawn once, moved and scaled by its view box.

const WIDE = 176, HIGH = 112, RADIUS = 15, LINE = 14;
// A wider graph is shown around the current state at first.
const MOST_COLUMNS = 10;
const SPACE = "http://www.w3.org/2000/svg";

function shape(tag, facts, text) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(facts)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const place = (spot) => [spot.column * WIDE, spot.row * HIGH];

function arrow(from, to, labels) {
  const [x, y] = place(from), [u, v] = place(to);
  let path;
  if (from === to) path = `M${x + 8} ${y - 12}C${x + 46} ${y - 40} ${x + 46} ${y + 40} ${x + 8} ${y + 12}`;
  else {
    const far = Math.hypot(u - x, v - y), bend = to.row > from.row ? 0 : 34;
    const [dx, dy] = [(u - x) / far, (v - y) / far];
    const [mx, my] = [(x + u) / 2 - dy * bend, (y + v) / 2 + dx * bend];
    path = `M${x + dx * RADIUS} ${y + dy * RADIUS}Q${mx} ${my} ${u - dx * (RADIUS + 5)} ${v - dy * (RADIUS + 5)}`;
  }
  const made = shape("path", { d: path, class: "edge", "marker-end": "url(#tip)", "aria-hidden": "true" }); // its state tells it
  made.append(shape("title", {}, labels.join("\n")));
  return made;
}

function marks(spot) {
  if (spot.broken.length) return ["bad", "\u2717", `violates ${spot.broken.join(", ")}`];
  if (spot.stuck) return ["bad", "\u25a0", "deadlock"];
  return ["", "", ""];
}

function node(spot, number, leaving, go) {
  const [look, sign, said] = marks(spot);
  const [x, y] = place(spot);
  const made = shape("g", { class: `spot ${look}`, transform: `translate(${x} ${y})`,
    tabindex: "-1", role: "button", "aria-label": [`state ${number}`, ...spot.label, said].filter(Boolean).join(", ") });
  made.append(look ? shape("rect", { x: -RADIUS, y: -RADIUS, width: 2 * RADIUS, height: 2 * RADIUS, rx: 3 })
    : shape("circle", { r: RADIUS }));
  made.append(shape("text", { y: 5 }, sign || String(number)), shape("title", {}, [said, spot.text, ...leaving].filter(Boolean).join("\n")));
  made.addEventListener("click", () => go(spot.way));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      go(spot.way);
    }
  });
  return made;
}

// What the name of a state says, for the eye.
function label(spot) {
  const [x, y] = place(spot);
  const made = shape("g", { class: spot.broken.length ? "label bad" : "label", transform: `translate(${x} ${y})`, "aria-hidden": "true" });
  spot.label.forEach((line, at) => made.append(shape("text", { y: RADIUS + (at + 1) * LINE }, line)));
  return made;
}

const WAYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

// The state that is nearest in a direction: up and down in the next row, left and right in the same one.
function beside(spots, from, [right, down]) {
  const own = spots[from];
  let best = from, least = [Infinity, Infinity];
  spots.forEach((spot, at) => {
    const across = spot.column - own.column, below = spot.row - own.row;
    const found = right ? [Math.abs(below), across * right] : [below * down, Math.abs(across)];
    if (right ? found[0] > 0 || found[1] <= 0 : found[0] <= 0) return;
    if (found[0] < least[0] || (found[0] === least[0] && found[1] < least[1])) [best, least] = [at, found];
  });
  return best;
}

// Draws into a place; what is returned scales the picture and marks where the walk is.
export function drawGraph(around, { spots, edges }, go) {
  const columns = spots.map((spot) => spot.column), rows = Math.max(...spots.map((spot) => spot.row));
  const left = (Math.min(...columns) - 1) * WIDE, top = -HIGH;
  const whole = [left, top, (Math.max(...columns) + 1) * WIDE - left, (rows + 1) * HIGH - top];
  const [x, y] = place(spots.find((spot) => spot.here) || spots[0]);
  let box = whole[2] > MOST_COLUMNS * WIDE ? [x - MOST_COLUMNS / 2 * WIDE, y - 2 * HIGH, MOST_COLUMNS * WIDE, 6 * HIGH] : [...whole];
  const made = shape("svg", { role: "group", "aria-label": "State graph" });
  const tip = shape("marker", { id: "tip", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  tip.append(shape("path", { d: "M0 0L8 4L0 8z", class: "tip" }));
  made.append(tip, ...edges.map(([a, b, labels]) => arrow(spots[a], spots[b], labels)));
  const leaving = spots.map(() => []);
  for (const [a, b, labels] of edges) leaving[a].push(`${labels.join(", ")}: to state ${b}`);
  const nodes = spots.map((spot, at) => node(spot, at, leaving[at], go));
  made.append(...spots.map(label), ...nodes);
  const look = () => made.setAttribute("viewBox", box.join(" "));
  const zoom = (factor, x = 0.5, y = 0.5) => {
    box = [box[0] + box[2] * x * (1 - factor), box[1] + box[3] * y * (1 - factor), box[2] * factor, box[3] * factor];
    look();
  };
  made.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = made.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - at.left) / at.width, (event.clientY - at.top) / at.height);
  }, { passive: false });
  let held = null;
  made.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; });
  window.addEventListener("pointerup", () => { held = null; });
  made.addEventListener("pointermove", (event) => {
    if (!held) return;
    const at = made.getBoundingClientRect(), scale = Math.max(box[2] / at.width, box[3] / at.height);
    box[0] -= (event.clientX - held[0]) * scale;
    box[1] -= (event.clientY - held[1]) * scale;
    held = [event.clientX, event.clientY];
    look();
  });
  look();
  around.replaceChildren(made);
  const fit = () => { box = [...whole]; look(); };
  // One stop of the keyboard for all states: Tab comes to where the walk is, the arrows go from state to state.
  let stop = 0;
  const stand = (at) => {
    nodes[stop].setAttribute("tabindex", "-1");
    nodes[stop = at].setAttribute("tabindex", "0");
  };
  const mark = (text) => {
    spots.forEach((spot, at) => {
      const here = spot.text === text;
      nodes[at].classList.toggle("here", here);
      if (here) nodes[at].setAttribute("aria-current", "true");
      else nodes[at].removeAttribute("aria-current");
      if (here) stand(at);
    });
  };
  const show = (at) => {
    const [x, y] = place(spots[at]);
    if (x < box[0] || x > box[0] + box[2]) box[0] = x - box[2] / 2;
    if (y < box[1] || y > box[1] + box[3]) box[1] = y - box[3] / 2;
    look();
  };
  made.addEventListener("keydown", (event) => {
    const from = nodes.indexOf(document.activeElement);
    if (!WAYS[event.key] || from < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    stand(beside(spots, from, WAYS[event.key]));
    show(stop);
    nodes[stop].focus({ preventScroll: true });
  });
  stand(0);
  mark(spots.find((spot) => spot.here)?.text);
  return { zoom, fit, mark };
}
