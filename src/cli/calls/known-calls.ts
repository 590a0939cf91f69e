import { basename } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import { callFolderName, findCallFolders, idInName } from '../../call/folder/folder-name.js';
import { type CallFolder, readCallFolder } from '../../call/folder/read-call-folder.js';
import type { PlacedCall } from '../../call/placed-call.js';
import { KeptCalls } from '../../runner/operator/kept-calls.js';
import type { RunnerClient } from '../../runners/runner-client.js';

/** Calls that a message names. */
const MAX_NAMED = 5;

/** One call: what a runner knows of it, or what its folder tells. */
export interface KnownCall {
  readonly record: PlacedCall;
  /** Missing where it has none, or is on another machine. */
  readonly folder: CallFolder | undefined;
}

/** The calls that a runner knows, and those that have a folder here. */
export class KnownCalls {
  readonly #kept: KeptCalls | undefined;
  #isWhole = true;

  /**
   * @param runner undefined when none runs
   * @param stateDirectory undefined when only the runner is to be asked
   */
  constructor(
    private readonly runner: RunnerClient | undefined,
    private readonly stateDirectory: string | undefined,
  ) {
    this.#kept = stateDirectory === undefined ? undefined : new KeptCalls(stateDirectory);
  }

  /** Whether the calls of the other runners of a cluster were among those that were listed. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Newest first: those of the runner, and of the others of its cluster.
   * @param all also those of earlier runs, which are listed too when no runner is there
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED
   */
  async list(all: boolean): Promise<PlacedCall[]> {
    const { calls: live, isWhole } = (await this.runner?.callList()) ?? { calls: [], isWhole: true };
    this.#isWhole = isWhole;
    const kept = all || !this.runner ? ((await this.#kept?.list()) ?? []) : [];
    const known = new Set(live.map(({ id }) => id));
    const earlier = kept.filter(({ id }) => !known.has(id));
    return [...live, ...earlier].sort((a, b) => b.startedAt - a.startedAt);
  }

  /**
   * @param id its identifier, or a beginning that no other call has: run reports print no more
   * @returns undefined when there is none
   * @throws VoicebotError VB_REQUEST_INVALID when there are several, VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED
   */
  async find(id: string): Promise<KnownCall | undefined> {
    const record = await this.runner?.call(id);
    if (record) return { record, folder: await this.#kept?.read(record.id) };
    const live = ((await this.runner?.calls()) ?? []).filter((call) => call.id.startsWith(id));
    const paths = this.stateDirectory === undefined ? [] : await findCallFolders(this.stateDirectory, id);
    const known = new Set(live.map((call) => idInName(callFolderName(call.id, 0))));
    const earlier = paths.filter((path) => !known.has(idInName(basename(path))));
    const names = [...live.map((call) => call.id), ...earlier.map((path) => idInName(basename(path)))];
    if (names.length > 1) throw severalBegin(id, names);
    const [call] = live;
    if (call) return { record: call, folder: await this.#kept?.read(call.id) };
    const [path] = earlier;
    const folder = path === undefined ? undefined : await readCallFolder(path);
    return folder && { record: folder.record, folder };
  }
}

function severalBegin(id: string, names: readonly string[]): VoicebotError {
  const some = names.slice(0, MAX_NAMED).join(', ');
  const detail = `${names.length} calls begin with ${id}: ${some}${names.length > MAX_NAMED ? ', …' : ''}`;
  return new VoicebotError('VB_REQUEST_INVALID', detail, { hint: 'List those it knows: npx voicebot calls' });
}
