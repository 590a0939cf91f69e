import { basename, resolve } from 'node:path';
import { pause } from '../../base/async/pause.js';
import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import type { CampaignProgress } from '../../call/campaign-progress.js';
import { connectRunner } from '../../runners/runner-address.js';
import { RunnerClient } from '../../runners/runner-client.js';
import type { RunnerChoice } from '../../runners/running-runners.js';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import { Hotkeys } from '../../terminal/hotkeys.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { CampaignClient, type WishedCampaign } from './campaign-client.js';
import { CampaignReport } from './campaign-report.js';
import { type ContactRow, type ContactsFile, readContacts } from './contacts-file.js';
import { resultsPath, writeResults } from './results-file.js';

export interface CampaignToRun {
  /** The contacts, as it was typed. */
  readonly file: string;
  readonly wished: Omit<WishedCampaign, 'name' | 'contacts'>;
  readonly skipBad: boolean;
  /** Where the results go. Default: beside the contacts. */
  readonly results: string | undefined;
  /** A bot to serve meanwhile. Default: that of a running runner. */
  readonly bot: string | undefined;
  readonly sandbox: boolean;
  readonly choice: RunnerChoice;
}

const LOOK_MS = 250;
/** How long a runner may be out of reach, in milliseconds. */
const LOST_MS = 30_000;
/** Problems that are named; the others are counted. */
const SHOWN = 20;
const OUT_OF_REACH: readonly ErrorCode[] = ['VB_RUNNER_NOT_FOUND', 'VB_DEADLINE_EXCEEDED'];

/**
 * Calls everybody in a file, and writes down what came of it.
 * @throws VoicebotError VB_CONTACTS_INVALID naming lines, and what the runner refuses; StoppedBySignal, ReportedError
 */
export async function runCampaign(asked: CampaignToRun, context: CliContext, output: Output): Promise<void> {
  const contacts = readContacts(resolve(context.directory, asked.file));
  if (asked.results !== undefined) resultsPath(context.directory, asked.results, asked.file);
  const run = new CampaignRun(asked, contacts, context, output);
  if (asked.bot === undefined) return await run.follow(await connectRunner(asked.choice, context));
  const { serveWhile } = await import('./serve-while.js');
  const { bot, sandbox } = asked;
  await serveWhile({ bot, sandbox }, context, output, (url, token) => run.follow(new RunnerClient(url, token)));
}

class CampaignRun {
  readonly #report: CampaignReport;

  constructor(
    private readonly asked: CampaignToRun,
    private readonly contacts: ContactsFile,
    private readonly context: CliContext,
    private readonly output: Output,
  ) {
    this.#report = new CampaignReport(output);
  }

  /** From the first check to the file of results. */
  async follow(runner: RunnerClient): Promise<void> {
    const client = new CampaignClient(runner);
    const { asked } = this;
    const signals = watchSignals();
    const leaving = new AbortController();
    let id: string | undefined;
    const stopped = signals.first.then((signal) => {
      leaving.abort();
      this.#report.leaving(signal, id, asked.bot !== undefined);
      throw new StoppedBySignal(signal);
    });
    stopped.catch(() => {});
    let keys: Hotkeys | undefined;
    try {
      const wished = { ...asked.wished, name: basename(asked.file).slice(0, 200) };
      const rows = await Promise.race([this.#rowsToCall(client, wished), stopped]);
      const sent = rows.flatMap(({ contact }) => contact ?? []);
      const campaign = await Promise.race([client.begin({ ...wished, contacts: sent }), stopped]);
      id = campaign.id;
      this.#report.begun(campaign, this.contacts.rows.length - rows.length, client.url);
      keys = this.#listen(client, campaign.id);
      const end = await Promise.race([this.#watch(client, campaign.id, leaving.signal), stopped]);
      await this.#conclude(client, end, rows);
    } finally {
      leaving.abort();
      this.#report.close();
      keys?.close();
      signals.close();
    }
  }

  /** @throws VoicebotError VB_CONTACTS_INVALID */
  async #rowsToCall(client: CampaignClient, wished: Omit<WishedCampaign, 'contacts'>): Promise<readonly ContactRow[]> {
    const { rows } = this.contacts;
    const readable = rows.filter(({ contact }) => contact !== undefined);
    const sent = readable.flatMap(({ contact }) => contact ?? []);
    const refused = sent.length === 0 ? [] : await client.check({ ...wished, contacts: sent });
    const bad = new Map<ContactRow, string>();
    for (const row of rows) if (row.problem !== undefined) bad.set(row, row.problem);
    for (const { row, problem } of refused) {
      const known = readable[row - 1];
      if (known) bad.set(known, this.#inLines(problem, readable));
    }
    const good = rows.filter((row) => !bad.has(row));
    if (bad.size > 0 && (!this.asked.skipBad || good.length === 0)) throw contactsProblem(bad, rows.length);
    for (const [{ line }, problem] of [...bad].slice(0, SHOWN))
      this.output.warn(`line ${line} is left out: ${problem}`);
    return good;
  }

  /** A runner counts rows, and a person sees lines. */
  #inLines(problem: string, readable: readonly ContactRow[]): string {
    return problem.replace(/^the number of row (\d+) again$/, (_, row: string) => {
      return `the number of line ${readable[Number(row) - 1]?.line} again`;
    });
  }

  async #watch(client: CampaignClient, id: string, signal: AbortSignal): Promise<CampaignProgress> {
    let reachedAt = performance.now();
    for (;;) {
      const campaign = await client.progress(id).catch((error: unknown) => {
        const isOutOfReach = error instanceof VoicebotError && OUT_OF_REACH.includes(error.code);
        if (!isOutOfReach || performance.now() - reachedAt > LOST_MS) throw error;
        return undefined;
      });
      signal.throwIfAborted();
      if (campaign) {
        reachedAt = performance.now();
        this.#report.changed(campaign);
        if (campaign.endedAt !== undefined) return campaign;
      }
      await pause(LOOK_MS, signal);
    }
  }

  /** @throws ReportedError when something went wrong with some rows, or it was cancelled */
  async #conclude(client: CampaignClient, campaign: CampaignProgress, called: readonly ContactRow[]): Promise<void> {
    const results = await client.results(campaign.id);
    const resultOf = new Map(called.map((row, index) => [row, results[index]]));
    const path = resultsPath(this.context.directory, this.asked.results, this.asked.file);
    const { columns, rows } = this.contacts;
    writeResults(
      path,
      columns,
      rows.map((row) => ({ fields: row.fields, result: resultOf.get(row) })),
    );
    this.#report.over(campaign, path);
    const { condition, faults } = campaign;
    const failed = (what: string) =>
      new ReportedError(EXIT.callFailed, `The campaign ${what}`, {
        code: 'VB_CALL_FAILED',
        hint: `The results say which rows: ${path}`,
      });
    if (condition === 'cancelled') throw failed('was cancelled');
    if (faults > 0) throw failed(`ended with ${faults === 1 ? 'one row' : `${faults} rows`} that could not be called`);
  }

  /** With a bot of its own the run has the keys. */
  #listen(client: CampaignClient, id: string): Hotkeys | undefined {
    const { keyboard, stderr } = this.context;
    if (!keyboard || this.output.isForPrograms || this.asked.bot !== undefined) return undefined;
    const order = (key: string, help: string, what: 'pause' | 'resume' | 'cancel') => ({
      key,
      help,
      run: () => client.order(id, what),
    });
    const keys = new Hotkeys(
      keyboard,
      [
        order('p', 'pause: make no calls for now', 'pause'),
        order('r', 'resume', 'resume'),
        order('c', 'cancel: make no new calls', 'cancel'),
      ],
      { output: stderr, onError: (error) => this.output.warn(error.message) },
    );
    if (!keys.isActive) return undefined;
    this.output.line(keys.help);
    return keys;
  }
}

function contactsProblem(bad: ReadonlyMap<ContactRow, string>, count: number): VoicebotError {
  const lines = [...bad].sort(([a], [b]) => a.line - b.line).map(([{ line }, problem]) => `line ${line}: ${problem}`);
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [];
  const detail = [`${lines.length} of ${count} rows`, ...lines.slice(0, SHOWN), ...more].join('\n  ');
  return new VoicebotError('VB_CONTACTS_INVALID', detail, {
    hint: 'Correct them, or leave them out: --skip-bad. No call was placed.',
  });
}
