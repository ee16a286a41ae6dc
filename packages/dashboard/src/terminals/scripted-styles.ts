/**
 * The page's policy allows no inline styles, and xterm.js writes some: style elements, and style attributes of cells. From now
 * on, elements of this page take both by script, which the policy does allow. It has an option for a document of its own,
 * which it does not use everywhere.
 */
export function setStylesByScript(): void {
  document.createElement = createElement as typeof document.createElement;
}

const create = (name: string, options?: ElementCreationOptions): HTMLElement =>
  Document.prototype.createElement.call(document, name, options);

function createElement(name: string, options?: ElementCreationOptions): HTMLElement {
  if (name === 'style') return adoptedStyles();
  const element = create(name, options);
  element.setAttribute = setAttribute;
  return element;
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

/** An element that shows nothing: the styles written into it go into a sheet of the document, for as long as it is there. */
function adoptedStyles(): HTMLElement {
  const element = create('template');
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, 'textContent', { set: (css: string) => sheet.replaceSync(css) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
