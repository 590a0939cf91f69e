import { type Deferred, deferred } from '../../base/async/deferred.js';
import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import type { CallInfo } from '../../call/call.js';
import { type HeardNotice, isDisclosed, type NoticeKind } from '../../call/disclosure.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import type { GateScene } from '../conversation/voicemail-gate.js';
import { EndFrame, type Frame, TTSSpeakFrame } from '../pipeline/frames/index.js';
import { HeardProof, ProofFrame, type ProvenTimes } from '../transports/heard-proof.js';
import { SpeechMark } from '../transports/output-marks.js';
import type { CallPipeline } from './call-pipeline.js';
import { type CheckedNotices, type Notice, type NoticeWords, wordingIn } from './parts/notices-part.js';

/** How often a notice is said that is not known to have been heard. */
const TIMES = 2;
/** A voice that has not said a notice after so long never will, in milliseconds: the notice, the wait for the far end, and the voice's own. */
const LONGEST_MS = 40_000;

export interface OpeningScene {
  readonly notices: CheckedNotices;
  readonly pipeline: CallPipeline;
  readonly runner: CallRunnerLink | undefined;
  readonly call: CallInfo;
  /** What the call was asked for with: its `language` may be the one to speak. */
  readonly asked: { readonly language?: unknown };
}

/** What a call begins with: nothing else of the bot's is heard before it was heard. */
export class CallOpening {
  /** Undefined while nothing of this is being said, or waits to be. */
  #saying: Deferred<void> | undefined = deferred();
  /** The voice has not said all of what was last to be heard. */
  #isUnsaid = false;
  /** What who listens now has heard. */
  readonly #heard: Set<NoticeKind>;

  constructor(private readonly scene: OpeningScene) {
    const { heardNotices } = scene.runner ?? {};
    this.#heard = new Set((['disclosure', 'recording'] as const).filter((kind) => heardNotices?.[kind]));
    void scene.pipeline.over.then(() => this.#said());
  }

  /** For what else the bot says by itself: resolves when it may, before the bot function goes on, or the call is over; undefined: it may now. */
  get underWay(): Promise<void> | undefined {
    return this.#saying?.promise;
  }

  /** Resolves when the other party has heard what they have to hear first, or the call is over. Never rejects. */
  async say(): Promise<void> {
    if (this.#disclosure || this.#recordingNotice) this.scene.pipeline.keepPast();
    if (!this.#heard.has('disclosure')) await this.#disclose();
    await this.#announceRecording();
    this.#said();
  }

  /** For what finds out who has answered: a machine, or the person behind a screening assistant, has to hear it too. */
  get gate(): GateScene {
    const { pipeline, notices } = this.scene;
    const isSilent = !this.#disclosure && !notices.recording;
    return {
      past: pipeline.past,
      disclose: isSilent ? undefined : () => this.#sayToOther(),
      screened: () => {
        this.#heard.clear();
        this.scene.runner?.forgetNotices?.();
      },
    };
  }

  /** Says to another listener that a machine calls, and what they have not heard. Resolves as {@link say}. */
  async #sayToOther(): Promise<void> {
    this.#saying ??= deferred();
    await this.#disclose();
    await this.#announceRecording();
    this.#said();
  }

  /** Undefined where the call has none. */
  get #disclosure(): Notice | undefined {
    const { call, notices } = this.scene;
    const { disclosure, declared } = notices;
    return isDisclosed(declared, call) ? disclosure : undefined;
  }

  /** Undefined where the call is not recorded, too. */
  get #recordingNotice(): Notice | undefined {
    const { runner, notices } = this.scene;
    return runner?.isRecorded?.() ? notices.recording : undefined;
  }

  #said(): void {
    this.#saying?.resolve();
    this.#saying = undefined;
  }

  /** Says that a machine calls, where that is to be said. Resolves as {@link say}. */
  async #disclose(): Promise<void> {
    const { pipeline, asked } = this.scene;
    const disclosure = this.#disclosure;
    if (!disclosure || (await this.#say('disclosure', wordingIn(disclosure, asked.language)))) return;
    pipeline.send(new EndFrame(this.#isUnsaid ? 'provider_error' : 'telephony_error'));
    await pipeline.over;
  }

  /** Says that the call is recorded, where that is to be said and was not heard. Resolves as {@link say}. */
  async #announceRecording(): Promise<void> {
    const notice = this.#recordingNotice;
    if (!notice || this.#heard.has('recording')) return;
    await this.#say('recording', wordingIn(notice, this.scene.asked.language));
  }

  /** @returns whether it was heard to its end */
  async #say(kind: NoticeKind, words: NoticeWords): Promise<boolean> {
    const { pipeline, runner, call } = this.scene;
    const heardBy = call.direction === 'outbound' ? call.to : call.from;
    if (words.language !== undefined) pipeline.speak(words.language);
    for (let time = 1; time <= TIMES && !pipeline.isOver; time += 1) {
      if (kind === 'recording' && !runner?.isRecorded?.()) return false; // they have objected to it meanwhile
      const times = await this.#saidOnce(words);
      if (!times) continue;
      this.#heard.add(kind);
      const heard: HeardNotice = { text: words.text, ...times, ...(heardBy !== undefined && { heardBy }) };
      runner?.timeline?.note({ type: 'notice_heard', notice: kind, ...heard });
      runner?.tellNotice?.(kind, heard); // with which what was noted before is told
      return true;
    }
    if (!pipeline.isOver) pipeline.report(unheard(kind));
    return false;
  }

  /** @returns when it was heard; undefined where that is not known */
  async #saidOnce({ text, sound }: NoticeWords): Promise<ProvenTimes | undefined> {
    const { pipeline, runner } = this.scene;
    const tape = runner?.tape;
    const proof = new HeardProof(() => tape?.watchWords());
    const mark = new SpeechMark();
    this.#isUnsaid = false;
    const unsaid = () => {
      this.#isUnsaid = true;
      proof.cut();
    };
    const said: Frame = sound ?? new TTSSpeakFrame(text, { appendToContext: false, unsaid });
    for (const frame of [new ProofFrame(proof), said, mark]) pipeline.send(frame);
    const limit = timeLimit(LONGEST_MS);
    const isLate = new Promise<void>((resolve) => limit.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([mark.reached.promise, pipeline.over, isLate]);
    const times = pipeline.isOver ? undefined : proof.times;
    return times && { ...times, ...(await tape?.findWords()) };
  }
}

function unheard(kind: NoticeKind): VoicebotError {
  const [what, then] =
    kind === 'disclosure'
      ? ['that a machine calls', 'the call is ended']
      : ['that the call is recorded', 'it is not recorded'];
  return new VoicebotError('VB_NOTICE_UNHEARD', `it was said twice ${what}; ${then}`);
}
