/** Makes elements. Text always becomes a text node. */

/** Explicit roles of table elements, since `display: block` removes the implicit ones. */
const ROLES: Readonly<Record<string, string>> = {
  table: "table",
  thead: "rowgroup",
  tbody: "rowgroup",
  tr: "row",
  td: "cell",
  "th col": "columnheader",
  "th row": "rowheader",
  "th rowgroup": "rowheader",
};

/** Makes an element. Undefined attributes are omitted. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  const role = ROLES[name === "th" ? `th ${attributes["scope"]}` : name];
  for (const [key, value] of Object.entries({ role, ...attributes }))
    if (value !== undefined) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** A button with a listener. */
export function button(
  attributes: Parameters<typeof element>[1],
  onClick: () => void,
  ...children: readonly (Node | string)[]
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", onClick);
  return made;
}

/** Finds an element of the page by id. @throws Error if there is none of this kind */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}`);
  return found;
}
