/** Items in the order they came, to be awaited one by one. */
export class Inbox<T> {
  readonly all: T[] = [];
  #unread: T[] = [];
  #wake = (): void => {};

  push(item: T): void {
    this.all.push(item);
    this.#unread.push(item);
    this.#wake();
  }

  /** The first unread item that fits; later ones stay unread, earlier ones are skipped. */
  async next(fits: (item: T) => boolean = () => true, limitMs = 5_000): Promise<T> {
    const lateAt = performance.now() + limitMs;
    let looked = 0;
    for (;;) {
      const at = this.#unread.findIndex((item, index) => index >= looked && fits(item));
      looked = this.#unread.length;
      const [item] = at < 0 ? [] : this.#unread.splice(0, at + 1).slice(-1);
      if (item !== undefined) return item;
      const isLate = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), lateAt - performance.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (isLate) throw new Error(`nothing fitting within ${limitMs} ms: ${fits}`);
    }
  }
}
