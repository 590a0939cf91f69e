import { EventEmitter } from 'node:events';
import { VoicebotError } from '../../base/errors.js';
import type { CampaignOrder, CampaignProgress, CampaignResult } from '../../call/campaign-progress.js';
import { loadNumberingPlans } from '../dialing/dial-target.js';
import { dialsLater } from '../dialing/dials-later.js';
import { AttemptRunner, type AttemptRunnerOptions } from './attempt-runner.js';
import { type Campaign, spacingOf } from './campaign.js';
import type { CampaignState } from './campaign-state.js';

/** An attempt that was offered and not begun is offered again after this time, in milliseconds. */
const OFFER_AGAIN_MS = 5_000;
/** Longest pause between two looks at what is due, in milliseconds. */
const LOOK_MS = 1_000;
/** Rows that are looked at before others have their turn. */
const ROWS_AT_A_TIME = 500;
/** A clock that goes back by more was put back, in milliseconds. */
const CLOCK_SLACK_MS = 2_000;

const CONDITION_OF = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;

/** What has been offered of one campaign. */
interface Offers {
  /** When the next call may be offered, in milliseconds since the Unix epoch. */
  nextAt: number;
  /** By row, until when they count as on their way. */
  readonly rows: Map<number, { readonly attempt: number; readonly until: number }>;
}

/** The campaigns of a runner, or of all runners of its cluster: what is due is offered, and people see how far it is. */
export class Campaigns extends EventEmitter<{ progress: [progress: CampaignProgress] }> {
  readonly #runner: AttemptRunner;
  readonly #offers = new Map<string, Offers>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #isStarted = false;
  #isDraining = false;

  constructor(private readonly options: AttemptRunnerOptions) {
    super();
    this.#runner = new AttemptRunner(options);
    options.queue.on('change', (id) => {
      this.#changed.add(id);
      this.#lookIn(0);
    });
  }

  /** Takes up what earlier runs have left, and begins. @throws VoicebotError VB_CONFIG_INVALID */
  async start(): Promise<void> {
    await loadNumberingPlans(); // the rules of countries need them
    await this.options.queue.open(this.#runner.handle);
    this.#isStarted = true;
    this.#lookIn(0);
  }

  /**
   * Begins a campaign. One with this identifier that is there already is the same, when it says the same.
   * @throws VoicebotError VB_REQUEST_CONFLICT, VB_RUNNER_STOPPING, VB_TUNNEL_FAILED before the start, VB_CLUSTER_UNREACHABLE
   */
  async create(campaign: Campaign): Promise<CampaignProgress> {
    if (!this.#isStarted) throw dialsLater();
    if (this.#isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it begins no campaigns any more');
    const state = await this.options.queue.create(campaign);
    if (state.campaign.fingerprint !== campaign.fingerprint) {
      throw new VoicebotError('VB_REQUEST_CONFLICT', 'a different campaign was sent with this Idempotency-Key', {
        hint: 'use a new key for every new campaign, and the same only to repeat a request',
      });
    }
    return this.#progressOf(state);
  }

  /** Newest first. */
  list(): CampaignProgress[] {
    const all = [...this.options.queue.states.values()].map((state) => this.#progressOf(state));
    return all.sort((a, b) => b.createdAt - a.createdAt);
  }

  /**
   * Sees to it that a campaign is known here, and what all runners have written of it, before {@link progress} and {@link results}.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async find(id: string): Promise<void> {
    await this.options.queue.find(id);
  }

  progress(id: string): CampaignProgress | undefined {
    const state = this.options.queue.states.get(id);
    return state && this.#progressOf(state);
  }

  results(id: string): CampaignResult[] | undefined {
    return this.options.queue.states.get(id)?.results();
  }

  /**
   * Pauses, resumes or cancels. Calls that ring or talk go on.
   * @returns undefined when there is no such campaign
   * @throws VoicebotError VB_TUNNEL_FAILED before the start, VB_CLUSTER_UNREACHABLE
   */
  async order(id: string, order: CampaignOrder): Promise<CampaignProgress | undefined> {
    if (!this.#isStarted) throw dialsLater();
    const state = await this.options.queue.find(id);
    if (state && state.condition !== 'done') await this.options.queue.turn(id, CONDITION_OF[order]);
    return this.progress(id);
  }

  /** Dials no number any more. What becomes of the calls that go on is still written down. */
  drain(): void {
    this.#isDraining = true;
    clearTimeout(this.#timer);
    this.options.queue.drain();
  }

  async close(): Promise<void> {
    this.drain();
    await this.#runner.close();
    this.removeAllListeners();
    await this.options.queue.close();
  }

  #progressOf(state: CampaignState): CampaignProgress {
    const { queue, hours } = this.options;
    return state.progress(queue.now(), this.#runner.problem, hours);
  }

  #lookIn(ms: number): void {
    if (!this.#isStarted || this.#isDraining) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    let waitMs = LOOK_MS;
    this.#followClock();
    for (const [id, state] of this.options.queue.states) {
      if (this.#changed.delete(id)) this.emit('progress', this.#progressOf(state));
      if (!state.isOver) waitMs = Math.min(waitMs, this.#offer(state));
    }
    this.#lookIn(waitMs);
  }

  /** A row that waits for its hours by a clock that was wrong, and was put right, would wait for long. */
  #followClock(): void {
    const now = this.options.queue.now();
    const isPutBack = now < this.#lookedAt - CLOCK_SLACK_MS;
    this.#lookedAt = now;
    if (!isPutBack) return;
    this.#offers.clear();
    this.#runner.forgetWaits();
    for (const state of this.options.queue.states.values()) state.lookAgain();
  }

  /** @returns after how many milliseconds to look again */
  #offer(state: CampaignState): number {
    const { queue } = this.options;
    const { campaign } = state;
    const now = queue.now();
    const offers = this.#offersOf(state, now);
    for (const { state: row, ...attempt } of state.live()) {
      if (queue.isAlive(row.runner ?? '') || offers.rows.has(attempt.row)) continue;
      offers.rows.set(attempt.row, { attempt: attempt.attempt, until: now + OFFER_AGAIN_MS });
      void queue.offer(attempt);
    }
    if (state.condition !== 'running') return LOOK_MS;
    const onTheWay = [...offers.rows.keys()].filter((row) => state.row(row)?.is === 'waiting').length;
    let room = campaign.atOnce - state.liveCount - onTheWay;
    const { lastStartAt = 0 } = state;
    const isOfThisClock = lastStartAt <= now + CLOCK_SLACK_MS; // one that is to come was noted before the clock was put back
    if (isOfThisClock) offers.nextAt = Math.max(offers.nextAt, lastStartAt + spacingOf(campaign));
    for (let looked = 0; room > 0 && looked < ROWS_AT_A_TIME; looked += 1) {
      const { first } = state.due;
      if (!first || first.at > now) return Math.min(LOOK_MS, first ? first.at - now : LOOK_MS);
      if (offers.nextAt > now) return Math.min(LOOK_MS, offers.nextAt - now);
      state.due.take();
      if (!state.awaits(first.row, first.attempt)) continue;
      const { row, attempt } = first;
      const at = this.#dueAt(campaign, { campaign: campaign.id, row, attempt }, now);
      if (at > now) {
        state.due.add({ at, row, attempt });
        continue;
      }
      offers.rows.set(row, { attempt, until: now + OFFER_AGAIN_MS });
      offers.nextAt = now + spacingOf(campaign);
      room -= 1;
      void queue.offer({ campaign: campaign.id, row, attempt });
    }
    return room > 0 ? 0 : LOOK_MS;
  }

  #offersOf(state: CampaignState, now: number): Offers {
    const { id } = state.campaign;
    const offers = this.#offers.get(id) ?? { nextAt: 0, rows: new Map() };
    this.#offers.set(id, offers);
    for (const [row, { attempt, until }] of offers.rows) {
      if (until > now && state.row(row)?.is !== 'done') continue;
      offers.rows.delete(row);
      if (state.awaits(row, attempt)) state.due.add({ at: now, row, attempt }); // no runner has begun it
    }
    return offers;
  }

  /** When this attempt may be made, in milliseconds since the Unix epoch. */
  #dueAt(
    { hours, contacts }: Campaign,
    attempt: { campaign: string; row: number; attempt: number },
    now: number,
  ): number {
    const contact = contacts[attempt.row - 1];
    const within = contact ? this.options.hours.next(contact, now, hours) : now;
    // A zone that is never within the hours was refused with its row; a table of zones may have changed since.
    return Math.max(within ?? now + OFFER_AGAIN_MS * 720, this.#runner.notBefore(attempt));
  }
}
