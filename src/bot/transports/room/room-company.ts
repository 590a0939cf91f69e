/** One who may leave the others. */
interface CompanyMember<M> {
  /** Another one is gone. */
  lost(other: M): void;
}

/** Those of this process who are in the same room. */
export class RoomCompany<M extends CompanyMember<M>> {
  readonly #members = new Set<M>();
  #changes: Promise<unknown> = Promise.resolve();

  /** @param onEmpty called when the last one has gone */
  constructor(private readonly onEmpty: () => void) {}

  /** All but this one. */
  others(member: M): M[] {
    return [...this.#members].filter((other) => other !== member);
  }

  add(member: M): void {
    this.#members.add(member);
  }

  remove(member: M): void {
    if (!this.#members.delete(member)) return;
    if (this.#members.size === 0) this.onEmpty();
    for (const other of this.#members) other.lost(member);
  }

  /** Who hears whom changes in the order that it was asked for. */
  change(work: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(work);
    this.#changes = done.catch(() => {});
    return done;
  }
}
