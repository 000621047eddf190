
// A red cell opens its counterexample below the map; the address names the cell, and the step behind it.
let opened = "";

function openCell() {
  const wanted = location.hash.slice(1).split("/")[0];
  if (wanted === opened) return;
  const held = [...document.querySelectorAll("template")].find((each) => each.dataset.cell === wanted);
  const place = byId("opened");
  opened = held ? wanted : "";
  data = null;
  place.hidden = !held;
  place.replaceChildren(...(held ? [held.content.cloneNode(true)] : []));
  for (const link of document.querySelectorAll("#map a")) {
    if (held && link.getAttribute("href") === `#${wanted}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  if (!held) return;
  begin(`${wanted}/`);
  place.scrollIntoView();
  place.focus({ preventScroll: true });
}

window.addEventListener("hashchange", openCell);
openCell();
