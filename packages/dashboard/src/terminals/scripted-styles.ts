/**
 * The page's content policy forbids inline styles, but xterm.js writes style elements and style attributes. This makes
 * elements of the page apply both by script, which the policy allows. The library's option for its own document does not
 * cover all of them.
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

/** An invisible element: styles written into it apply as a style sheet while it is in the document. */
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
