/** Makes elements. Text always becomes a text node. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | number | undefined>>} attributes those that are undefined are left out
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * The element of the page that has this id.
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}`);
  return found;
}

/**
 * A number with separators, like 1,204.
 * @param {number} value
 */
export function formatNumber(value) {
  return value.toLocaleString("en");
}
