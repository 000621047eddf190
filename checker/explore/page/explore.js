// The page of `everystate explore`: a walk is a line of steps, `at` is where on it one stands.
import { drawGraph } from "./graph.js";
import { bring, drawState, drawTables, element, numbered } from "./values.js";

const byId = (id) => document.getElementById(id);
let about = {};
let line = { first: "0", steps: [] };
let at = 0;
let aim = 0;
let view = null;
let graph = null;
let version = 0;
let turn = 0;
let checking = 0;
let searching = 0;
let asked = 0;
const SILENT = "The server does not answer: `everystate explore` has ended, or its machine is busy. " +
  "The command at the foot of the page opens this state again.";
const HINT = "Take a step below, or search for the nearest violation from here.";
const CUT = "The trace cannot be followed to its end";
const STRANGE = "Another `everystate explore` runs here now. It has printed the address of its own page; " +
  "the command at the foot of this one opens this state again.";

// -- talking to the server -----------------------------------------------------------------------------------

async function ask(name, given = {}) {
  let answer;
  try {
    answer = await fetch(`api/${name}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ version, ...given }),
    });
  } catch {
    throw new Error(SILENT);
  }
  if (answer.status === 403) throw new Error(STRANGE);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

function complain(text) {
  const place = byId("problem");
  place.hidden = !text;
  if (place.textContent !== text) place.textContent = text; // what stays the same is not announced once more
}

// What a screen reader says of the place where one has come to: all of it at once, and nothing of it twice. It waits, since
// what is said in the moment in which the keyboard moves on is not heard; and who opens the page has all of it read.
let speech = 0;
let heard = "";
function announce() {
  if (document.body.dataset.ready === "yes" && heard !== address()) {
    clearTimeout(speech);
    speech = setTimeout(() => {
      byId("announced").textContent = [byId("action").textContent, ...view.said, ...["verdict", "end"].map(shown)].filter(Boolean).join(". ");
    }, 200);
  }
  heard = address();
}
const shown = (id) => (byId(id).hidden ? "" : byId(id).textContent);

// Runs what a person asked for; what goes wrong is told, not thrown away.
const safely = (work) => async (...given) => {
  try {
    await work(...given);
  } catch (error) {
    complain(error.message);
  }
};

// -- where one is --------------------------------------------------------------------------------------------

const address = (upto = at) => [line.first, ...line.steps.slice(0, upto).map((step) => step.key)].join(",");
const rest = () => line.steps.slice(at).map((step) => step.key).join(",");

function linkHere() {
  const after = rest();
  return `#${address()}${after ? "/" + after : ""}${line.steps.length ? "~" + mark() : ""}`;
}

// A short number of what the steps are called: where it is another one, an address was kept from another spec (FNV-1a).
function mark() {
  let found = 0x811c9dc5;
  for (const sign of line.steps.map((step) => step.label).join("\n"))
    found = Math.imul(found ^ sign.codePointAt(0), 0x01000193);
  return (found >>> 0).toString(36);
}

// Go to a place: `to` is an address, `behind` the steps that lie ahead on the same line.
async function go(to, behind = "", push = true) {
  const mine = ++turn;
  const keys = to.split(",");
  let known = 0;
  if (keys[0] === line.first)
    while (known < line.steps.length && known + 1 < keys.length && line.steps[known].key === keys[known + 1]) known++;
  const found = await ask("view", { at: to, known }).catch((error) => { aim = at; throw error; });
  if (mine !== turn) return;
  const ahead = line.steps.slice(found.depth);
  const onLine = found.depth <= line.steps.length && known >= found.depth;
  line = { first: found.address.split(",")[0], steps: [...line.steps.slice(0, known), ...found.trail] };
  at = aim = found.depth;
  view = found;
  if (onLine && !behind) line.steps.push(...ahead);
  if (behind) {
    const more = await ask("trail", { at: `${found.address},${behind}`, known: found.depth });
    if (mine !== turn) return;
    line.steps.push(...more.trail);
  }
  complain(found.problem ? `${CUT}: ${found.problem}.` : "");
  if (push) history.pushState(null, "", linkHere());
  else history.replaceState(null, "", linkHere());
  steadily(show);
  later(mine);
}

// What takes longer than a click may: drawn when it is there, if one is still at the same place.
async function later(mine) {
  const here = address();
  const jobs = [drawDiagram(mine), showAhead(mine, here), showBranches(mine, here)];
  for (const job of jobs) job.catch((error) => complain(error.message));
}

// Steps along the line from where one will be: a key that is held down is faster than the server.
function step(count) {
  aim = Math.max(0, Math.min(line.steps.length, aim + count));
  return go(address(aim));
}
const take = (key) => go(`${address()},${key}`);

// What is behind the # of the address; as it stands where it was cut within a sign.
function fragment() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function fromLink() {
  const [walk, kept] = fragment().split("~");
  const [to, behind] = walk.split("/");
  await go(to || about.start, behind || "", false);
  if (kept && kept !== mark() && byId("problem").hidden)
    complain("This address is of another version of the spec, or of other constants: its steps are different now.");
}

// -- showing -------------------------------------------------------------------------------------------------

const items = (place, made) => byId(place).replaceChildren(...made);

// Replaces a list of buttons. Where the keyboard was in it, it stays there: at the same one, or at the first.
function replaceButtons(place, made) {
  const around = byId(place), held = around.contains(document.activeElement) ? document.activeElement : null;
  around.replaceChildren(...made);
  if (!held) return;
  const buttons = [...around.querySelectorAll("button:not(:disabled)")];
  (buttons.find((each) => each.dataset.key === held.dataset.key) || buttons[0] || byId("slider")).focus();
}
const lines = (texts) => texts.map((text) => element("li", text));

function show() {
  if (line.steps.length && byId("answer").textContent === HINT) tell("");
  const slider = byId("slider");
  slider.max = String(line.steps.length);
  slider.value = String(at);
  slider.setAttribute("aria-valuetext", `step ${at} of ${line.steps.length}: ${view.label || "initial state"}`);
  byId("where").textContent = `step ${at} of ${line.steps.length}`;
  byId("first").disabled = byId("previous").disabled = byId("undo").disabled = at === 0;
  byId("last").disabled = byId("next").disabled = at === line.steps.length;
  if (document.activeElement.disabled) slider.focus(); // else the keyboard would be nowhere
  items("action", at ? named(`${at}. ${view.label}`) : ["Initial state"]);
  items("story", lines(view.said));
  byId("changed").hidden = at === 0;
  items("changes", lines(view.changes.length ? view.changes : ["(nothing changes)"]));
  showSteps();
  showBlocked();
  showProperties();
  items("tables", drawTables(view.state.tables));
  showState();
  byId("diagram-around").hidden = !line.steps.length;
  document.body.classList.toggle("no-story", !line.steps.length);
  byId("begin").hidden = at > 0 || about.beginnings.length < 2;
  byId("again").textContent = `everystate explore ${about.command} --path ${address()}`;
  if (graph) graph.mark(view.state.text);
  announce();
  for (const [id, work] of [["code", showSource], ["told", showText]])
    if (byId(id).open) work().catch((error) => complain(error.message));
}

// What is above the story becomes higher or lower with every step; the story that somebody looks at does not move.
function steadily(work) {
  const top = () => byId("diagram-around").getBoundingClientRect().top;
  const before = top(), seen = oneColumn() && window.scrollY > 0 && before < window.innerHeight / 2;
  work();
  if (seen) window.scrollBy(0, top() - before);
}

function showSteps() {
  const next = at < line.steps.length ? line.steps[at].key : null;
  replaceButtons("enabled", view.enabled.map((move, number) => {
    const made = element("li", undefined, "move");
    const button = element("button"), about = element("div", undefined, "about");
    button.type = "button";
    button.dataset.key = move.key;
    button.disabled = move.error !== "";
    button.append(element("b", move.label));
    if (move.key === next) button.append(" ", element("span", "next in trace", "tag"));
    else if (move.known) button.append(" ", element("span", "visited", "tag"));
    about.append(...move.said.map((said) => element("p", said, "said-line")), ...preview(move).map((text) => element("p", text, "preview")));
    about.id = `about-move-${number}`;
    button.setAttribute("aria-describedby", about.id);
    if (move.changes.length > FEW) button.title = move.changes.join("\n");
    made.append(button, about);
    if (number < 9) {
      const key = element("kbd", String(number + 1));
      key.setAttribute("aria-hidden", "true");
      button.setAttribute("aria-keyshortcuts", key.textContent);
      made.append(key);
    }
    button.addEventListener("click", safely(() => take(move.key)));
    return made;
  }));
  const end = byId("end");
  end.hidden = !view.stuck && !view.outside.length;
  const out = view.outside.length ? `This state is outside the constraint ${view.outside.join(", ")}: a search takes no step from here.` : "";
  end.textContent = view.stuck === "deadlock" ? "\u2717 Deadlock: no action is enabled." : view.stuck ? "End: no action is enabled, and the spec allows that." : out;
  end.className = view.stuck === "deadlock" ? "wrong-line" : "faint";
}

const FEW = 6;

// What a step would change, in a few lines; the button tells the rest when it is pointed at.
function preview(move) {
  if (move.error) return [`\u2717 fails: ${move.error}`];
  if (!move.changes.length) return ["(nothing changes)"];
  if (move.changes.length <= FEW) return move.changes;
  return [...move.changes.slice(0, FEW - 1), `\u2026 and ${move.changes.length - FEW + 1} more changes`];
}

function showBlocked() {
  byId("stopped").hidden = !view.blocked.length;
  byId("stopped").querySelector("summary").textContent =
    `What cannot happen, and why (${view.blocked.reduce((sum, found) => sum + found.instances.length, 0)})`;
  items("blocked", view.blocked.map((found) => {
    const made = element("li");
    const names = found.instances.length > 3
      ? `${found.action}, ${found.instances.length} times` : found.instances.join(", ");
    made.append(element("b", names), element("code", found.text));
    if (found.values) made.append(element("span", `here: ${found.values}`, "values"));
    if (found.also) made.append(element("span", found.also, "faint"));
    if (found.place) made.append(element("span", found.place, "faint"));
    return made;
  }));
}

function showProperties() {
  const wrong = view.properties.filter((found) => found.broken);
  byId("verdict").hidden = byId("wrong-here").hidden = !wrong.length;
  byId("wrong-here").textContent = `\u2717 violates ${wrong.map((found) => found.name).join(", ")}`;
  byId("verdict").textContent = wrong
    .map((found) => `\u2717 ${found.name} is violated here${found.because ? `: ${found.because}` : ""}.${found.text ? ` Expected: ${found.text}.` : ""}`).join("\n");
  const goals = view.properties.filter((found) => found.kind === "reachable");
  items("properties", view.properties.filter((found) => found.kind !== "reachable").map(property));
  items("wanted", goals.map(property));
  byId("goals").hidden = !goals.length;
  byId("goals").querySelector("summary").textContent =
    `Reachability properties (${goals.filter((found) => found.value).length} of ${goals.length} hold here)`;
}

function truthOf(found) {
  if (found.value === null) return ["", "not judged in one state"];
  if (found.broken) return ["no", "\u2717 fails"];
  if (found.kind === "reachable") return found.value ? ["yes", "\u2713 here"] : ["empty", "not here"];
  return found.value ? ["yes", "\u2713 holds"] : ["no", "\u2717 outside"];
}

function property(found) {
  const made = element("tr", undefined, found.broken ? "failed" : "");
  made.dataset.property = found.name;
  const head = element("th");
  head.append(...named(found.name));
  head.scope = "row";
  const [look, text] = truthOf(found);
  made.append(head, element("td", text, look), element("td", found.text || found.kind));
  return made;
}

// A name that may be broken between its words.
const named = (name) => name.split(/(?<=_)|(?=[A-Z(])/).flatMap((part) => [element("wbr"), part]);

const MANY = 40;

function showState() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const all = view.state.variables;
  const chosen = wanted ? all.filter(([name]) => name.toLowerCase().includes(wanted)) : all;
  items("state", drawState(chosen));
  for (const part of [byId("filter"), byId("filter").previousElementSibling]) part.hidden = all.length < MANY;
}

async function showAhead(mine, here) {
  const found = await ask("ahead", { at: here });
  if (mine !== turn) return;
  for (const [key, names] of Object.entries(found)) {
    const button = byId("enabled").querySelector(`[data-key="${key}"]`);
    if (!button) continue;
    button.parentElement.classList.add("breaks");
    const tag = element("span", undefined, "tag wrong");
    tag.append(...named(`\u2717 violates ${names.join(", ")}`));
    button.querySelector("b").after(" ", tag);
  }
}

async function showBranches(mine, here) {
  const found = await ask("tree", { at: here });
  if (mine !== turn) return;
  byId("branches-around").hidden = found.length < 2;
  replaceButtons("branches", [nested(found, -1)]);
}

// The branches that leave another one, each with its own ones below it.
function nested(found, from) {
  const made = element("ul");
  made.append(...found.flatMap((branch, number) => (branch.from === from ? [branchItem(found, branch, number)] : [])));
  return made;
}

function branchItem(found, branch, number) {
  const made = element("li");
  const button = element("button", undefined, branch.here ? "here" : "");
  button.type = "button";
  button.dataset.key = branch.end;
  const steps = branch.steps === 1 ? "1 step" : `${branch.steps} steps`;
  const name = branch.steps ? `${branch.first} \u2026 ${steps}, to step ${branch.depth}` : branch.first;
  button.append(name);
  if (branch.here) button.append(" ", element("span", "current", "tag"));
  button.addEventListener("click", safely(() => go(branch.end)));
  const reach = element("button", "reachable from here?", "quiet");
  reach.type = "button";
  reach.dataset.key = `to ${branch.end}`;
  reach.setAttribute("aria-label", `reachable from here? the end of ${name}`);
  reach.addEventListener("click", safely(() => search({ there: branch.end })));
  made.append(button, reach);
  const below = nested(found, number);
  if (below.childElementCount) made.append(below);
  return made;
}

// -- pictures ------------------------------------------------------------------------------------------------

const WINDOW = 40;

async function drawDiagram(mine) {
  const end = Math.min(line.steps.length, Math.max(at + WINDOW / 4, WINDOW));
  const found = await ask("diagram", { at: address(end) });
  if (mine !== turn) return;
  const place = byId("diagram");
  place.innerHTML = found.svg; // drawn by the server, which escapes every text
  for (const band of place.querySelectorAll(".step")) {
    const number = Number(band.dataset.step) + found.left_out;
    band.dataset.step = String(number);
    band.querySelector(".number").textContent = String(number);
    band.addEventListener("click", safely(() => go(address(number))));
  }
  byId("left-out").hidden = !found.left_out;
  byId("left-out").textContent = `The first ${found.left_out} steps are left out.`;
  place.style.setProperty("--above", `${place.getBoundingClientRect().top + window.scrollY + 14}px`);
  const band = place.querySelector(`.step[data-step="${at}"]`);
  if (!band) return;
  band.classList.add("now");
  bring(place, band);
}

async function showText() {
  const found = await ask("export", { at: address(line.steps.length), form: "text" });
  byId("text").textContent = found.text;
}

async function showGraph() {
  const found = await ask("graph", { at: address() });
  byId("zoom").hidden = found.more;
  byId("graph").hidden = found.more;
  if (found.more) {
    byId("picture-said").textContent = "There are more than 300 states: too many for a graph.";
    graph = null;
    return;
  }
  const wrong = found.spots.filter((spot) => spot.broken.length || spot.stuck).length;
  byId("picture-said").textContent = `${found.spots.length} states, ${found.edges.length} arrows. ` +
    `${found.varying ? "Each state shows the variables that differ between states." : "Each state shows what its step from the state above changed."} ` +
    `Squares violate a property (${wrong}): \u2717, or \u25a0 for a deadlock. A thick border is the current state. ` +
    "Drag to move, turn the wheel to scale, click a state to go there; with the keyboard: Tab, arrows, Enter.";
  graph = drawGraph(byId("graph"), found, safely((way) => go(way)));
}

async function showSource() {
  const found = view.action ? await ask("source", { action: view.action }) : null;
  byId("place").textContent = found ? found.place : "";
  items("source", found ? numbered(found) : ["(no action: this is an initial state)"]);
}

// -- all properties ------------------------------------------------------------------------------------------

// The verdict of a check of the whole spec, and every violation with a link to its counterexample.
async function check() {
  const mine = ++checking;
  byId("violated").replaceChildren();
  for (let wait = 30; ; wait = Math.min(1000, wait * 1.5)) {
    const found = await ask("check");
    if (mine !== checking) return;
    const said = byId("checked");
    said.className = found.verdict;
    if (found.over) {
      said.replaceChildren(element("strong", found.verdict), ` ${found.text}`);
      items("violated", found.violations.map(counterexample));
      return;
    }
    said.textContent = `Checking all properties: ${found.said} \u2026`;
    await new Promise((done) => setTimeout(done, wait));
  }
}

function counterexample(found, number) {
  const made = element("li");
  const steps = found.steps === null ? "" : found.steps === 1 ? "1 step" : `${found.steps} steps`;
  if (found.steps === null) made.append(element("b", found.name));
  else {
    const button = element("button");
    button.append(...named(found.name));
    button.type = "button";
    button.title = "show the counterexample";
    button.addEventListener("click", safely(async () => {
      const { address: end, problem } = await ask("counterexample", { number });
      const [first, ...steps] = end.split(",");
      await go(first, steps.join(","));
      if (problem) complain(`${CUT}: ${problem}.`);
      if (steps.length) await step(1);
      showStory();
    }));
    made.append(button);
  }
  made.append(element("span", steps, "faint"), element("span", found.expected));
  return made;
}

// -- questions -----------------------------------------------------------------------------------------------

function tell(text, look = "", ...buttons) {
  byId("answer").className = look;
  byId("answer").replaceChildren(text, ...buttons.flatMap((each) => [" ", each]));
}

async function search(given) {
  const mine = ++searching;
  const from = address();
  byId("cancel").hidden = byId("progress").hidden = false;
  byId("progress").textContent = "";
  complain(lasting); // what was wrong with the question before this one is over
  tell("The engine searches \u2026");
  try {
    const { number } = await ask("ask", { at: from, ...given });
    asked = number;
    for (let wait = 30; ; wait = Math.min(400, wait * 1.5)) {
      const found = await ask("answer", { number });
      if (mine !== searching) return;
      if (!found.over) byId("progress").textContent = `${found.said} \u2026`;
      else {
        if (found.error) tell(found.error, "wrong");
        else await answered(found, from);
        break;
      }
      await new Promise((done) => setTimeout(done, wait));
    }
  } finally {
    if (mine === searching) {
      if (document.activeElement === byId("cancel")) byId("violation").focus();
      byId("cancel").hidden = byId("progress").hidden = true;
    }
  }
}

async function answered(found, from) {
  const look = found.address ? "found" : found.decided ? "settled" : "open";
  if (found.problem) complain(found.problem);
  if (!found.address || !found.steps) {
    tell(found.text, look);
    return;
  }
  const way = found.address.slice(from.length + 1);
  const follow = element("button", "Step through it");
  const jump = element("button", "Go to its end");
  for (const button of [follow, jump]) button.type = "button";
  follow.addEventListener("click", safely(async () => { await go(from, way); await step(1); showStory(); }));
  jump.addEventListener("click", safely(async () => { await go(found.address); showStory(); }));
  tell(found.text, look, follow, jump);
  if (address() === from) await go(from, way, false);
}

// The keyboard comes to what moves along the story; where the parts of the page lie one below another, the story into sight.
function showStory() {
  byId(byId("next").disabled ? "previous" : "next").focus({ preventScroll: true });
  if (oneColumn()) byId("diagram-around").scrollIntoView();
}

const oneColumn = () => byId("places").getBoundingClientRect().width < 900;

const condition = () => byId("condition").value.trim();

async function find(event) {
  event.preventDefault();
  byId("condition").blur(); // the keys are those of the page again
  await search({ what: "condition", condition: condition() });
}

async function walk(until) {
  const seed = Number(byId("seed").value) || 0;
  const found = await ask("walk", { at: address(), steps: until ? 1000 : 20, seed, until });
  await go(found.address);
  tell(`${found.steps} random step${found.steps === 1 ? "" : "s"} with seed ${seed}: ${found.why}.`, "settled");
  byId("seed").value = String(seed + 1);
}

async function runUntil() {
  if (!condition()) {
    byId("condition").focus();
    throw new Error("Write a condition first: random steps are taken until it holds.");
  }
  await walk(condition());
}

async function undo() {
  const found = await ask("undo", { at: address() });
  line.steps = line.steps.slice(0, at);
  line.steps.pop();
  await go(found.address);
}

async function leave(form) {
  const found = await ask("export", { at: address(), form });
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([found.text], { type: "text/plain" }));
  link.download = found.name;
  link.click();
  complain(lasting);
  URL.revokeObjectURL(link.href);
  tell(`${found.name} is in your downloads.`, "settled");
}

// -- when the spec changes -----------------------------------------------------------------------------------

// What is told again and again while it lasts, and is over by itself.
let lasting = "";
let looking = false;

function complainWhile(text) {
  if (text) complain(text);
  else if (lasting && byId("problem").textContent === lasting) complain("");
  lasting = text;
}

async function lookForChanges() {
  let found;
  try {
    found = await ask("changed", { at: address(), whole: address(line.steps.length) });
  } catch (error) {
    complainWhile(error.message);
    return;
  }
  complainWhile(found.error);
  if (found.version === version) return;
  graph = null;
  byId("picture").open = false;
  await begin();
  line = { first: "", steps: [] };
  await go(found.start, found.whole.slice(found.start.length + 1), false);
  safely(check)();
  tell("The spec has changed and was loaded again.", "settled");
  if (found.problem) complain(`The trace was repeated as far as it goes: ${found.problem}.`);
}

// -- from the beginning --------------------------------------------------------------------------------------

const FORMS = { itf: "Trace (ITF)", svg: "Diagram (SVG)", html: "Report (HTML)", pytest: "Test (pytest)", text: "Text" };

async function begin() {
  about = await ask("about");
  version = about.version;
  byId("name").textContent = about.name;
  byId("subtitle").textContent = [about.title.replace(/\.$/, ""), about.constants && `with ${about.constants}`].filter(Boolean).join("; ");
  byId("condition").placeholder = `for example: ${about.example}`;
  const conditions = about.conditions.map((name) => `self.${name}()`).slice(0, 6).join(", ");
  const names = `${about.variables.slice(0, 12).join(", ")}${about.variables.length > 12 ? " \u2026" : ""}`;
  items("about-conditions", ["A condition is a Python expression over ", element("code", names),
    ...(conditions ? [", or one of ", element("code", conditions)] : []), "."]);
  items("beginnings", about.beginnings.map((text, number) => {
    const made = element("li", undefined, "move");
    const button = element("button", text);
    button.type = "button";
    button.addEventListener("click", safely(() => go(String(number))));
    made.append(button);
    return made;
  }));
  items("exports", about.forms.map((form) => {
    const button = element("button", FORMS[form] || form);
    button.type = "button";
    button.dataset.form = form;
    button.addEventListener("click", safely(() => leave(form)));
    return button;
  }));
}

const keys = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Home: () => go(address(0)),
  End: () => go(address(line.steps.length)),
  u: undo,
  v: () => search({}),
  r: () => walk(""),
  "/": async () => { byId("condition").focus(); },
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") document.activeElement.blur();
  if (event.target.tagName === "INPUT" && (event.target.type !== "range" || /^(Arrow|Home|End)/.test(event.key))) return;
  const number = /^[1-9]$/.test(event.key) ? view.enabled[Number(event.key) - 1] : null;
  const work = number ? () => (number.error ? Promise.resolve() : take(number.key)) : keys[event.key];
  if (!work) return;
  event.preventDefault();
  safely(work)();
}

function listen() {
  const clicks = {
    first: () => go(address(0)), previous: () => step(-1), next: () => step(1), last: () => go(address(line.steps.length)),
    undo, violation: () => search({}), until: runUntil, walk: () => walk(""), cancel: () => ask("cancel", { number: asked }),
  };
  for (const [id, work] of Object.entries(clicks)) byId(id).addEventListener("click", safely(work));
  byId("ask").addEventListener("submit", safely(find));
  byId("slider").addEventListener("input", safely(() => go(address(Number(byId("slider").value)), "", false)));
  byId("filter").addEventListener("input", showState);
  byId("picture").addEventListener("toggle", safely(async () => { if (byId("picture").open && !graph) await showGraph(); }));
  byId("told").addEventListener("toggle", safely(async () => { if (byId("told").open) await showText(); }));
  byId("code").addEventListener("toggle", safely(async () => { if (byId("code").open) await showSource(); }));
  byId("closer").addEventListener("click", () => graph && graph.zoom(1 / 1.4));
  byId("farther").addEventListener("click", () => graph && graph.zoom(1.4));
  byId("fit").addEventListener("click", () => graph && graph.fit());
  document.addEventListener("keydown", pressed);
  window.addEventListener("popstate", safely(fromLink));
  const look = safely(async () => {
    if (document.hidden || looking) return;
    looking = true;
    await lookForChanges().finally(() => { looking = false; });
  });
  document.addEventListener("visibilitychange", look);
  setInterval(look, 1000);
}

safely(async () => {
  await begin();
  listen();
  await fromLink();
  byId("raw").open = !view.state.tables.length;
  byId("raw").classList.toggle("alone", !view.state.tables.length);
  if (!line.steps.length) tell(HINT);
  if (about.problem) complain(`${CUT}: ${about.problem}.`);
  document.body.dataset.ready = "yes";
  safely(check)();
})();
