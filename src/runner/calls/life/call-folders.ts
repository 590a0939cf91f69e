import { join } from 'node:path';
import { settlesWithin } from '../../../base/async/deadline.js';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { LogFields } from '../../../base/logger.js';
import type { RecordOptions } from '../../../call/bot-definition.js';
import type { CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { RecordingOrder } from '../../../call/call-tape.js';
import { callFolderName, callFoldersDirectory } from '../../../call/folder/folder-name.js';
import {
  changeRecordFile,
  isRecordingRemoved,
  removedCalls,
  removeRecordings,
} from '../../../call/folder/removed-recording.js';
import { type Retention, removeOldFolders } from '../../../call/folder/retention.js';
import type { TimelineEvent } from '../../../call/timeline.js';
import { summaryOf } from '../../../call/view/call-summary.js';
import { SETTLE_LIMIT_MS } from '../../bots/messages.js';
import type { CallRegistry } from './call-registry.js';
import { KeptFolder } from './kept-folder.js';
import type { SharedRemovals, SharedRemovalsOptions } from './shared-removals.js';

/** `unless_refused`: those of bots that do not say no; `if_asked`: those of bots that say yes. */
export type RecordingRule = 'always' | 'never' | 'unless_refused' | 'if_asked';

/** Which calls leave a folder, and for how long. */
export interface RecordingOptions {
  /** All, none, or as the bot says. Default `never`. */
  recording?: RecordingRule | undefined;
  /** Default: until the operator removes them. */
  retention?: Retention | undefined;
}

export interface CallFoldersOptions extends RecordingOptions {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly registry: CallRegistry;
  /** Whether the bot wants its calls to be recorded, where it says so. */
  readonly wish: () => boolean | RecordOptions | undefined;
  /** Connects with the other runners that may have a part of a call. Default: there are none. */
  readonly shareRemovals?: ((removed: SharedRemovalsOptions['removed']) => SharedRemovals | undefined) | undefined;
  /** Something that its operator should know of a call. */
  readonly warn: (message: string, fields: LogFields) => void;
}

/**
 * Whether and how a bot's calls are recorded; undefined for not at all.
 * @param wish what the bot itself says
 */
export function recordingBy(rule: RecordingRule, wish: boolean | RecordOptions | undefined): RecordOptions | undefined {
  const isRecorded =
    rule === 'always' || (rule === 'unless_refused' && wish !== false) || (rule === 'if_asked' && wish);
  return isRecorded ? Object(wish === undefined || typeof wish === 'boolean' ? {} : wish) : undefined;
}

interface RecordedCall {
  readonly folder: KeptFolder;
  readonly maskDigits: boolean;
  /** The bot says that it records. */
  readonly hasNotice: boolean;
  /** When a bot was wanted first, milliseconds since the Unix epoch: the recording begins then. */
  startedAt?: number;
  /** Bots that have the call and have not settled. */
  bots: number;
  hasLostBot: boolean;
  isEnded: boolean;
}

/** How long after a call it is looked what is to be removed, in milliseconds: looking costs, and calls end together. */
const REMOVE_AFTER_MS = 60_000;
/** How long after the end of a call and of its bots something may still be noted, in milliseconds, such as the provider's last webhook. */
const LAST_NOTES_MS = 1_000;
/** Longest wait for a bot that has not settled after the end of its call, in milliseconds. */
const BOT_LIMIT_MS = SETTLE_LIMIT_MS + 10_000;
/** Longest wait for the disk when the runner leaves, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

/** The folders of a runner's calls: which calls have one, what the runner adds to it, and which are removed. */
export class CallFolders {
  readonly #directory: string;
  readonly #calls = new Map<CallId, RecordedCall>();
  /** Settle when the folders have everything. */
  readonly #unwritten = new Map<CallId, Deferred<void>>();
  #removing: NodeJS.Timeout | undefined;
  #removals: SharedRemovals | undefined;
  /** Calls whose recordings were removed before this runner was there: the folder of one that goes on may be that of another day. */
  readonly #removedBefore = new Set<CallId>();
  /** Changes to the folders of calls that are over, one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: CallFoldersOptions) {
    const { registry, stateDirectory } = options;
    this.#directory = callFoldersDirectory(stateDirectory);
    registry.timelines.on('event', (callId, event) => this.#see(callId, event));
    registry.on('released', (callId) => this.#finishIn(LAST_NOTES_MS, callId));
    registry.on('amended', (record) => this.#amend(record));
    registry.on('recordings_removed', (ids) => this.#remove(ids));
    registry.recordingOf = (callId) => this.#order(callId);
  }

  /**
   * Removes what has been kept for too long, and what processes that have died have begun to remove.
   * @returns resolves when it is known which recordings other runners have removed
   */
  async start(): Promise<void> {
    const { registry, shareRemovals } = this.options;
    this.#removals = shareRemovals?.((ids) => registry.removeRecordings(ids));
    void removedCalls(this.#directory).then((ids) => {
      for (const id of ids) this.#removedBefore.add(id);
      if (ids.length > 0) registry.removeRecordings(ids);
    });
    this.#removeOld();
    await this.#removals?.heard;
  }

  /** Resolves when everything is written, or the disk has had its time. */
  async close(): Promise<void> {
    for (const callId of [...this.#calls.keys()]) this.#finish(callId);
    clearTimeout(this.#removing);
    const unwritten = [...this.#unwritten.values()].map(({ promise }) => promise);
    await settlesWithin(Promise.all([...unwritten, this.#changing]), CLOSE_LIMIT_MS);
    await this.#removals?.close();
  }

  /** Resolves when the folder of a call has everything, which is a while after its end; at once where it has no folder. */
  async written(callId: CallId): Promise<void> {
    await this.#unwritten.get(callId)?.promise;
  }

  #see(callId: CallId, event: TimelineEvent): void {
    const call = this.#calls.get(callId) ?? (event.type === 'record' ? this.#open(event.record) : undefined);
    if (!call) return;
    if (event.source === 'runner') call.folder.note(event);
    if (event.type === 'record') this.#keep(call, event.record);
    // a media stream is there: what comes on it waits for a bot, which may take a while
    if (event.type === 'phase' && event.phase === 'starting') call.startedAt ??= event.at;
    if (event.type === 'bot_assigned') call.bots += 1;
    if (event.type === 'recording' && event.is === 'failed') call.folder.fail(new Error(event.reason));
    if (event.type !== 'bot_done') return;
    call.bots -= 1;
    if (event.outcome === 'lost' || event.outcome === 'hung') {
      call.hasLostBot = true;
      call.folder.botIsGone();
      this.#finishRemoval(callId, call);
    }
    if (call.isEnded && call.bots <= 0) this.#finishIn(LAST_NOTES_MS, callId);
  }

  /** A bot that has died in the middle of a removal could not tell of it. */
  #finishRemoval(callId: CallId, { folder }: RecordedCall): void {
    const { registry } = this.options;
    if (!isRecordingRemoved(folder.path) || registry.get(callId)?.recordingRemovedAt !== undefined) return;
    registry.removeRecordings([callId]);
    registry.timelines.receive(callId, [{ at: Date.now(), source: 'runner', type: 'recording', is: 'removed' }]);
  }

  #removeOld(): void {
    const { retention } = this.options;
    if (retention) void removeOldFolders(this.#directory, retention);
  }

  /** Nothing of what was said in these calls is to be kept. What goes on here writes that down by itself. */
  #remove(ids: readonly CallId[]): void {
    const { registry } = this.options;
    this.#removals?.tell(ids);
    for (const id of ids) this.#calls.get(id)?.folder.remove();
    const left = ids.filter((id) => !this.#calls.has(id) || !registry.get(id));
    if (left.length === 0) return;
    this.#change(async () => {
      await Promise.all(left.map((id) => this.written(id)));
      const all = await removeRecordings(this.#directory, left);
      // with those that are done: a link that only the disk knows would be found anew from its other end, without end
      if (all.some((id) => !ids.includes(id))) registry.removeRecordings(all);
    });
  }

  /** More is known of a call that is over. */
  #amend(record: CallRecord): void {
    const { id, startedAt } = record;
    if (this.#calls.has(id)) return;
    this.#change(async () => {
      await this.written(id);
      const path = join(this.#directory, callFolderName(id, startedAt));
      await changeRecordFile(path, (known) => ({ ...known, ...record }));
    });
  }

  #change(change: () => Promise<void>): void {
    this.#changing = this.#changing.then(change).catch(() => {}); // a disk that takes nothing has been told of
  }

  #order(callId: CallId): RecordingOrder | undefined {
    const call = this.#calls.get(callId);
    if (!call || this.#isRemoved(callId, call.folder.path)) return undefined;
    call.startedAt ??= Date.now();
    const { startedAt, maskDigits, hasNotice, folder } = call;
    const isHeard = this.options.registry.get(callId)?.recordingNotice !== undefined;
    const notice = hasNotice && ({ notice: isHeard ? 'heard' : 'awaited' } as const);
    return { folder: folder.path, startedAt, maskDigits, ...notice };
  }

  #keep(call: RecordedCall, record: CallRecord): void {
    call.folder.keep(record);
    if (record.recordingRemovedAt !== undefined) call.folder.remove();
    if (record.state !== 'ended') return;
    call.isEnded = true;
    this.#finishIn(call.bots <= 0 ? LAST_NOTES_MS : BOT_LIMIT_MS, record.id);
  }

  #finishIn(ms: number, callId: CallId): void {
    setTimeout(() => this.#finish(callId), ms).unref();
  }

  #open({ id, startedAt, state, isLocal, recordingRemovedAt }: CallRecord): RecordedCall | undefined {
    if (state === 'ended') return undefined;
    const { recording = 'never', wish } = this.options;
    // Of a call on this machine as much is kept as on the sandbox: no stranger has spoken in it.
    const rule = isLocal && recording === 'if_asked' ? 'unless_refused' : recording;
    const how = recordingBy(rule, wish());
    if (!how) return undefined;
    const path = join(this.#directory, callFolderName(id, startedAt));
    const call: RecordedCall = {
      folder: new KeptFolder(path, (error) =>
        this.options.warn(`the call is not recorded any more: ${error.message}`, { callId: id }),
      ),
      maskDigits: how.maskDigits ?? false,
      hasNotice: how.notice !== undefined,
      bots: 0,
      hasLostBot: false,
      isEnded: false,
    };
    this.#calls.set(id, call);
    this.#unwritten.set(id, deferred());
    // by a bot whose runner was gone, and this one has the call now
    if (recordingRemovedAt === undefined && this.#isRemoved(id, path))
      queueMicrotask(() => this.options.registry.removeRecordings([id]));
    return call;
  }

  #isRemoved(callId: CallId, path: string): boolean {
    return this.#removedBefore.has(callId) || isRecordingRemoved(path);
  }

  #finish(callId: CallId): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    this.#calls.delete(callId);
    const noted = this.options.registry.timelines.of(callId).filter(({ unkept }) => !unkept);
    const lost = call.hasLostBot ? noted.filter(({ source }) => source === 'bot') : [];
    const finished = call.folder.finish(lost, summaryOf(noted));
    void finished.then(() => {
      this.#unwritten.get(callId)?.resolve();
      this.#unwritten.delete(callId);
    });
    this.#removing ??= setTimeout(() => {
      this.#removing = undefined;
      this.#removeOld();
    }, REMOVE_AFTER_MS).unref();
  }
}
