import type { BotOptions } from '../../../src/bot/api/define-bot.js';
import { defineBot } from '../../../src/bot/api/index.js';
import { runnerOf } from '../../../src/bot/api/open-transport.js';
import {
  type Frame,
  type FrameDirection,
  OutputAudioFrame,
  TTSSpeakFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { SttService } from '../../../src/bot/services/stt/index.js';
import type { HeardNotice } from '../../../src/call/disclosure.js';
import type { CallRunnerLink } from '../../../src/call/runner-link.js';
import type { BotFunction } from '../../../src/index.js';
import { FakePhone, type FakePhoneOptions, FakeRoom } from '../../../src/lab/kit/index.js';

/** Loud enough for a phone to hear. */
export const hum = (ms: number) => Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3));

/** A voice that hums: 20 ms for each character. It notes what it says. */
export class Hum extends FrameProcessor {
  constructor(private readonly note: (text: string) => void) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    const isText = frame instanceof TTSSpeakFrame;
    if (isText) this.note(frame.text);
    this.push(isText ? new OutputAudioFrame(hum(frame.text.length * 20), 8_000) : frame, direction);
    if (isText) frame.settle();
  }
}

export interface Opening {
  readonly parts: Omit<BotOptions, 'onCall'> & Partial<Pick<BotOptions, 'onCall'>>;
  /** What the runner does otherwise than one that records nothing. */
  readonly runner?: Partial<CallRunnerLink>;
  readonly isRoom?: boolean;
  /** Default true: it hums. */
  readonly hasVoice?: boolean;
  readonly options?: FakePhoneOptions;
  /** Has ears that understand what {@link OpenedCall.understands} says. */
  readonly hasEars?: boolean;
  /** What is noted goes into this list. */
  readonly done?: string[];
}

/** A call whose bot says something first, and what happened in it, in order. */
export class OpenedCall implements AsyncDisposable {
  readonly heard: Array<HeardNotice & { readonly kind: string }> = [];
  #understand: (text: string, isFinal?: boolean) => void = () => {};
  phone!: FakePhone | FakeRoom;

  /** @param done such as `says Hello.`, `heard disclosure`, `goes on` */
  private constructor(readonly done: string[]) {}

  static async begin(opening: Opening): Promise<OpenedCall> {
    const { parts, runner, isRoom, hasVoice = true, hasEars, options, done = [] } = opening;
    const call = new OpenedCall(done);
    const { onCall, ...more } = parts;
    const served = defineBot({
      ...(hasVoice && { tts: () => new Hum((text) => done.push(`says ${text}`)) }),
      ...(hasEars && { stt: () => call.#ears() }),
      ...more,
      async onCall(it) {
        done.push('goes on');
        await onCall?.(it);
      },
    });
    const bot: BotFunction = async (args) => {
      const link = runnerOf(args);
      const tellNotice: CallRunnerLink['tellNotice'] = (kind, heard) => {
        done.push(`heard ${kind}`);
        call.heard.push({ kind, ...heard });
      };
      if (link) Object.assign(link, { tellNotice, ...runner });
      await served(args);
    };
    call.phone = await (isRoom ? FakeRoom : FakePhone).call(bot, { direction: 'outbound', ...options });
    return call;
  }

  /** The ears understand this. */
  understands(text: string): void {
    this.#understand(text);
  }

  /** The same, and it may change. */
  seemsToUnderstand(text: string): void {
    this.#understand(text, false);
  }

  /** What the bot has said, in order. */
  get said(): string[] {
    return this.done.flatMap((one) => (one.startsWith('says ') ? [one.slice(5)] : []));
  }

  #ears(): SttService {
    return new SttService({
      provider: 'own',
      create: (_rate, listener) => {
        this.#understand = (text, isFinal = true) => (isFinal ? listener.final(text, true) : listener.interim(text));
        return { droppedMs: 0, write() {}, close() {} };
      },
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.phone[Symbol.asyncDispose]();
  }
}
