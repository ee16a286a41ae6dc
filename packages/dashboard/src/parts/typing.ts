/** Whether keys in this element are text input. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input:not([type="checkbox"]), textarea, select, .xterm, dialog, [role="menu"]') !== null);
