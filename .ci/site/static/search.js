// Finds sections by words. A word in a title counts most, then one in a heading, then each one in the text; a whole word
// counts more than the beginning of one, and every word of the question must be somewhere in the section or its titles.
const MOST = 40, AROUND = 110;

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
let flags = "gi";
const hits = (text, word) => [...text.matchAll(new RegExp(`(?<![\\w])${escaped(word)}`, flags))];
const whole = (text, found) => !/\w/.test(text[found.index + found[0].length] || "");

// Points of a text for a word: a whole one counts twice.
const points = (text, word) =>
  Math.sqrt(hits(text, word).slice(0, 8).reduce((all, found) => all + (whole(text, found) ? 2 : 1), 0));

function score(section, words) {
  const title = section.page === section.title ? "" : section.page;
  const each = words.map((word) => 12 * points(section.title, word) + 6 * points(title, word) + points(section.text, word));
  return each.every((found) => found > 0) ? each.reduce((a, b) => a + b) : 0;
}

// The text around the first word that is found, with all of them marked.
function excerpt(section, words) {
  const first = words.flatMap((word) => hits(section.text, word)).sort((a, b) => a.index - b.index)[0];
  const at = first && first.index > AROUND ? section.text.indexOf(" ", first.index - AROUND) + 1 : 0;
  const text = section.text.slice(at, at + 2.5 * AROUND);
  const made = document.createElement("p");
  if (at) made.append("… ");
  let end = 0;
  for (const found of text.matchAll(new RegExp(`(?<![\\w])(?:${words.map(escaped).join("|")})`, flags))) {
    const mark = document.createElement("mark");
    mark.textContent = found[0];
    made.append(text.slice(end, found.index), mark);
    end = found.index + found[0].length;
  }
  made.append(text.slice(end), " …");
  return made;
}

function ranked(words, how) {
  flags = how;
  return SECTIONS.map((section) => ({ section, points: score(section, words) }))
    .filter((each) => each.points > 0).sort((a, b) => b.points - a.points);
}

function show(question) {
  const words = question.trim().split(/\s+/).filter(Boolean);
  const capitals = /[A-Z]/.test(question.slice(1)); // CHOOSE is another word than choose, if the pages have it
  const exact = capitals ? ranked(words, "g") : [];
  const found = exact.length || !words.length ? exact : ranked(words, "gi");
  document.getElementById("found").textContent = !words.length ? "" : `${found.length} section${found.length === 1 ? "" : "s"}`;
  document.getElementById("results").replaceChildren(...found.slice(0, MOST).map(({ section }) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = section.link;
    link.textContent = section.title === section.page ? section.page : `${section.page}: ${section.title}`;
    item.append(link, excerpt(section, words));
    return item;
  }));
}

const field = document.querySelector("#ask input");
field.value = new URLSearchParams(location.search).get("q") || "";
field.addEventListener("input", () => show(field.value));
document.getElementById("ask").addEventListener("submit", (event) => event.preventDefault());
show(field.value);
