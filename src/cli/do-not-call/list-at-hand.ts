import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { errorText } from '../../base/error-text.js';
import { VoicebotError } from '../../base/errors.js';
import type { DoNotCallEntry } from '../../call/do-not-call.js';
import { stateDirectory } from '../../config/environment.js';
import { canonicalNumber } from '../../runner/dialing/dial-target.js';
import { DoNotCallFile, doNotCallPath } from '../../runner/dialing/do-not-call/list-file.js';
import { repairList } from '../../runner/dialing/do-not-call/repair-list.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import { aligned } from '../../terminal/table.js';
import { csvField } from '../campaign/csv-text.js';
import { readNumbersFile } from './numbers-file.js';

/** Lines that are named; the others are counted. */
const SHOWN = 20;
/** Numbers after which an import says how far it is. */
const TOLD_EVERY = 20_000;

/** The do-not-call list of this machine, and of the clusters that it belongs to, as the command works with it. */
export class ListAtHand {
  readonly #file: DoNotCallFile;
  readonly #path: string;

  constructor(
    private readonly context: Pick<CliContext, 'environment' | 'directory'>,
    private readonly output: Output,
    private readonly isSandbox: boolean,
  ) {
    this.#path = doNotCallPath(stateDirectory(context.environment), isSandbox);
    this.#file = new DoNotCallFile(this.#path);
  }

  /** @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  async add(numbers: readonly string[]): Promise<void> {
    const canonical = await Promise.all(numbers.map(canonicalNumber));
    const written = await this.#file.add(canonical.map((number) => ({ number, how: 'operator' })));
    const isShared = await this.#share();
    const added = written.map(({ number }) => number);
    const known = canonical.filter((number) => !added.includes(number));
    this.output.event('added', { added, known, size: this.#file.size, isShared });
    for (const number of added) this.output.result(`${number} is on the do-not-call list`);
    for (const number of new Set(known)) this.output.result(`${number} was on the do-not-call list already`);
  }

  /** @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  async remove(numbers: readonly string[]): Promise<void> {
    await this.#share(); // a number may be on the list of the cluster alone
    const all = [...new Set([...(await Promise.all(numbers.map(canonicalNumber))), ...numbers])];
    const written = await this.#file.remove(all);
    const isShared = await this.#share();
    const removed = written.map(({ number }) => number);
    const unknown = (await Promise.all(numbers.map(canonicalNumber))).filter((number) => !removed.includes(number));
    this.output.event('removed', { removed, unknown, size: this.#file.size, isShared });
    for (const number of removed) this.output.result(`${number} may be called again`);
    for (const number of unknown) this.output.result(`${number} was not on the do-not-call list`);
  }

  /** @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  async show(): Promise<void> {
    await this.#share();
    const entries = this.#file.entries();
    this.output.event('do_not_call', { numbers: entries });
    if (entries.length === 0) {
      this.output.line('The do-not-call list is empty.');
      return;
    }
    const rows = entries.map((entry) => [entry.number, timeOf(entry), entry.how, entry.callId ?? '']);
    for (const row of aligned([['NUMBER', 'SINCE', 'HOW', 'CALL'], ...rows])) this.output.result(row);
  }

  /** @throws VoicebotError VB_DO_NOT_CALL_DAMAGED, VB_REQUEST_INVALID naming lines */
  async import(file: string, skipsBad: boolean): Promise<void> {
    const { numbers, bad } = readNumbersFile(resolve(this.context.directory, file));
    if (bad.length > 0 && !skipsBad) throw refused(bad);
    if (bad.length > 0) this.output.warn(`${bad.length} lines are left out:\n  ${linesOf(bad)}`);
    const total = numbers.length;
    const canonical: string[] = [];
    for (const [index, number] of numbers.entries()) {
      canonical.push(await canonicalNumber(number));
      const done = index + 1;
      if (done % TOLD_EVERY !== 0 || done === total) continue;
      this.output.event('progress', { done, total });
      this.output.line(`  ${done.toLocaleString('en')} of ${total.toLocaleString('en')} numbers read`);
      await turnOfEvents();
    }
    const written = await this.#file.add(canonical.map((number) => ({ number, how: 'import' })));
    const isShared = await this.#share();
    const [added, known] = [written.length, total - written.length];
    this.output.event('imported', { added, known, skipped: bad.length, size: this.#file.size, isShared });
    this.output.result(`${added} numbers added, ${known} were there already, ${this.#file.size} are on the list`);
  }

  /** @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  async export(file: string | undefined): Promise<void> {
    await this.#share();
    const entries = this.#file.entries();
    const rows = entries.map((entry) => [entry.number, timeOf(entry), entry.how, entry.callId ?? '']);
    const lines = [['phone_number', 'since', 'how', 'call_id'], ...rows].map((row) => row.map(csvField).join(','));
    if (file === undefined) {
      this.output.event('do_not_call', { numbers: entries });
      for (const line of lines) this.output.result(line);
      return;
    }
    const path = resolve(this.context.directory, file);
    try {
      writeFileSync(path, `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new VoicebotError('VB_FILE_EXISTS', path, { hint: 'Give another name.' });
    }
    this.output.event('exported', { path, size: entries.length });
    this.output.result(`${entries.length} numbers written to ${path}`);
  }

  /** Writes a damaged list again with what can be read of it. */
  async repair(): Promise<void> {
    const { kept, lines, aside } = await repairList(this.#path);
    const isShared = await this.#share();
    this.output.event('repaired', { kept, lines, aside, isShared });
    if (aside === undefined) {
      this.output.result(`The do-not-call list is not damaged: ${kept} numbers.`);
      return;
    }
    for (const { line, number } of lines) {
      this.output.result(number ? `line ${line}: read again for ${number}` : `line ${line}: lost`);
    }
    this.output.result(`${this.#file.size} numbers are on the list. The damaged file is ${aside}`);
    const lost = lines.filter(({ number }) => number === undefined).length;
    if (lost > 0)
      this.output.warn(`${lost} numbers may be missing: look at these lines of the damaged file, and add them.`);
  }

  /** @returns whether a cluster has it too; undefined where none is set */
  async #share(): Promise<boolean | undefined> {
    if (this.isSandbox) return undefined;
    const { environment } = this.context;
    try {
      const { exchangeWithClusters } = await import('./list-in-clusters.js');
      return (await exchangeWithClusters(this.#file, this.context)) > 0 || undefined;
    } catch (error) {
      if (error instanceof VoicebotError && error.code === 'VB_DO_NOT_CALL_DAMAGED') throw error;
      // without a cluster the list of this machine is all there is, whatever else is wrong with the settings
      if (!environment.VOICEBOT_CLUSTER && !isOfCluster(error)) return undefined;
      const why = `The cluster could not be told: ${errorText(error)}. A runner on this machine tells it when it is back`;
      this.output.warn(why, { error });
      return false;
    }
  }
}

const isOfCluster = (error: unknown) => error instanceof VoicebotError && error.code === 'VB_CLUSTER_UNREACHABLE';

const timeOf = ({ at }: DoNotCallEntry) => new Date(at).toISOString();

type Bad = ReturnType<typeof readNumbersFile>['bad'];

function linesOf(bad: Bad): string {
  const shown = bad.slice(0, SHOWN).map(({ line, problem }) => `line ${line}: ${problem}`);
  return [...shown, ...(bad.length > SHOWN ? [`and ${bad.length - SHOWN} more`] : [])].join('\n  ');
}

const refused = (bad: Bad): VoicebotError =>
  new VoicebotError('VB_REQUEST_INVALID', `${bad.length} lines are no telephone numbers\n  ${linesOf(bad)}`, {
    hint: 'Correct them, or leave them out with --skip-bad. No number was added.',
  });
