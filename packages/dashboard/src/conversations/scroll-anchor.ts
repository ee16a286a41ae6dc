/** What counts as the end: a person who scrolls up by less has not left it. */
const END_PX = 4;
/** A glide after a key or a turn of the wheel takes no longer. */
const GLIDE_MS = 800;

/**
 * Where a person is in a scrolled list: at its end, or at a row. That row stays where it is on the screen, whatever
 * changes around it: rows that are added, removed or grow, fonts, the size of the frame.
 *
 * The frame holds one element, with the rows in it, and has `overflow-anchor: none`: the browser's own correction
 * would be added to this one.
 */
export class ScrollAnchor {
  readonly #frame: HTMLElement;
  readonly #isWhole: () => boolean;
  readonly #onMove: () => void;
  readonly #resizes: ResizeObserver;
  /** The row that is held and its distance from the top of the frame. */
  #held: { row: Element; top: number } | undefined;
  #isAtEnd: boolean;
  /** Whether the person is scrolling. */
  #isMoving = false;
  /** How far the frame was scrolled when the distance was taken. */
  #scrolled = 0;

  constructor(
    frame: HTMLElement,
    {
      isAtEnd,
      isWhole = () => true,
      onMove = () => undefined,
    }: {
      isAtEnd: boolean;
      /** Whether the end of the list is the end of what there is. */
      isWhole?: () => boolean;
      /** The person has scrolled. */
      onMove?: () => void;
    },
  ) {
    this.#frame = frame;
    this.#isAtEnd = isAtEnd;
    this.#isWhole = isWhole;
    this.#onMove = onMove;
    // Between layout and paint: nobody sees a list that has moved.
    this.#resizes = new ResizeObserver(() => this.hold());
    this.#resizes.observe(frame);
    for (const rows of frame.children) this.#resizes.observe(rows);
    frame.addEventListener('scroll', this.#onScroll, { passive: true });
    frame.addEventListener('scrollend', this.#onScrollEnd);
  }

  close(): void {
    this.#resizes.disconnect();
    this.#frame.removeEventListener('scroll', this.#onScroll);
    this.#frame.removeEventListener('scrollend', this.#onScrollEnd);
  }

  /** Waits until the list does not glide: correcting its place would stop it halfway. */
  async still(): Promise<void> {
    if (!this.#isMoving) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GLIDE_MS);
      const stopped = () => {
        clearTimeout(timer);
        // The last pixels are drawn after the event.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      };
      this.#frame.addEventListener('scrollend', stopped, { once: true });
    });
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** The row that is held; none at the end. */
  get row(): Element | undefined {
    return this.#isAtEnd ? undefined : this.#held?.row;
  }

  /** How much of the list is below the frame. */
  get below(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#frame;
    return scrollHeight - scrollTop - clientHeight;
  }

  /** Shows a row in the middle, or from its first line if it is taller than the frame, and holds it there. */
  show(row: Element): void {
    const middle = (this.#frame.clientHeight - row.getBoundingClientRect().height) / 2;
    this.#frame.scrollTop += this.#topOf(row) - Math.max(middle, 0);
    this.#isAtEnd = false;
    this.#hold(row);
  }

  toEnd(): void {
    this.#isAtEnd = true;
    this.hold();
  }

  /** To be called after each change of the list, before it is painted. */
  hold(): void {
    if (this.#isAtEnd) {
      this.#frame.scrollTop = this.#frame.scrollHeight;
      this.#scrolled = this.#frame.scrollTop;
    } else if (this.#held?.row.isConnected) this.#keep(this.#held);
    else this.#take();
  }

  #keep({ row, top }: { row: Element; top: number }): void {
    const byPerson = this.#scrolledByPerson();
    const wanted = top - byPerson;
    const off = this.#topOf(row) - wanted;
    // Even to where it is, a scroll would stop a glide.
    if (Math.abs(off) >= 0.5) this.#frame.scrollTop += off;
    this.#hold(row);
    // What the browser rounds must not add up.
    if (this.#held && Math.abs(this.#held.top - wanted) < 1) this.#held.top = wanted;
    if (byPerson === 0) return;
    this.#take();
    this.#onMove();
  }

  /** How far the person has scrolled since, if the event of it is still to come. */
  #scrolledByPerson(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#frame;
    const isCut = this.#scrolled > scrollTop && scrollTop >= scrollHeight - clientHeight - 1;
    return isCut ? 0 : scrollTop - this.#scrolled;
  }

  readonly #onScroll = (): void => {
    // Not if it is the echo of our own.
    if (this.#frame.scrollTop === this.#scrolled) return;
    this.#isMoving = true;
    this.#take();
    this.#onMove();
  };

  readonly #onScrollEnd = (): void => {
    this.#isMoving = false;
  };

  #take(): void {
    this.#isAtEnd = this.below <= END_PX && this.#isWhole();
    const row = this.#firstInView();
    if (row) this.#hold(row);
    else this.#scrolled = this.#frame.scrollTop;
  }

  #hold(row: Element): void {
    this.#held = { row, top: this.#topOf(row) };
    this.#scrolled = this.#frame.scrollTop;
  }

  #topOf(row: Element): number {
    return row.getBoundingClientRect().top - this.#frame.getBoundingClientRect().top;
  }

  /** The first row that begins in view. Not the first of the list: it loses its heading when others come above it. */
  #firstInView(): Element | undefined {
    const rows = this.#frame.querySelectorAll('[data-row]');
    let from = Math.min(1, rows.length - 1);
    let to = rows.length - 1;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#topOf(rows[middle] as Element) >= 0) to = middle;
      else from = middle + 1;
    }
    const found = rows[from];
    // Of a message that fills the frame, the one after it may be far below.
    const isBelow = found && this.#topOf(found) >= this.#frame.clientHeight;
    return isBelow ? rows[from - 1] : found;
  }
}
