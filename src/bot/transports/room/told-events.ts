const ENDS: readonly string[] = ['participant_left', 'dialin_stopped', 'dialout_stopped'];

/** What was told of each participant and of each leg, since it ended last: a provider may tell a thing twice. */
export class ToldEvents {
  readonly #told = new Map<string, Set<string>>();

  /** @returns whether this event of a participant or a leg is told for the first time; it counts as told from then on */
  isNew(name: string, sessionId: string): boolean {
    const key = `${name.startsWith('participant_')} ${sessionId}`;
    const told = this.#told.get(key) ?? new Set();
    this.#told.set(key, told);
    if (told.has(name)) return false;
    if (ENDS.includes(name)) told.clear();
    else for (const end of ENDS) told.delete(end);
    told.add(name);
    return true;
  }
}
