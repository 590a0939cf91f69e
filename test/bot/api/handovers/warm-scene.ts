import type { BotParts } from '../../../../src/bot/api/bot-parts.js';
import type { Call } from '../../../../src/bot/api/index.js';
import type { CallTransferOptions } from '../../../../src/bot/api/transfer-options.js';
import { type Frame, type FrameDirection, TranscriptionFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import type { TransferOutcome } from '../../../../src/call/transfer-outcome.js';
import { callOn, FakeLink, Line, until } from './line.js';

export const TO = '+12025550177';
/** 30 characters: 600 ms of the voice's tone. */
export const BRIEF = 'A caller about their invoice. ';

/** Ears that a test gives the words: one for each call, in order. */
export class Ears extends FrameProcessor {
  static all: Ears[] = [];

  constructor() {
    super();
    Ears.all.push(this);
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
  }

  hear(text: string): void {
    this.push(new TranscriptionFrame(text, true));
  }
}

export interface Scene extends AsyncDisposable {
  readonly call: Call;
  readonly caller: Line;
  readonly colleague: Line;
  readonly runner: FakeLink;
  readonly outcomes: TransferOutcome[];
  /** Begins one, and resolves when the colleague hears the briefing. */
  transfer(
    warm?: Partial<NonNullable<CallTransferOptions['warm']>>,
    announce?: string,
  ): Promise<{ outcome: Promise<TransferOutcome> }>;
}

export async function scene(parts?: BotParts): Promise<Scene> {
  const caller = await Line.open();
  const colleague = await Line.open();
  const runner = new FakeLink();
  runner.dial = () => colleague;
  const { call } = await callOn(caller, runner, parts);
  const outcomes: TransferOutcome[] = [];
  call.on('transfer', (outcome) => outcomes.push(outcome));
  return {
    call,
    caller,
    colleague,
    runner,
    outcomes,
    async transfer(warm = {}, announce) {
      const outcome = call.transfer(TO, { ...(announce && { announce }), warm: { brief: BRIEF, ...warm } });
      await until(() => colleague.heard.length > 5, 'the colleague is briefed');
      return { outcome };
    },
    async [Symbol.asyncDispose]() {
      caller.hangUp();
      colleague.hangUp();
      await call.ended;
      await caller[Symbol.asyncDispose]();
      await colleague[Symbol.asyncDispose]();
    },
  };
}

/** The caller talks to the bot: keys reach it, and it is heard. */
export async function isBack({ call, caller }: Scene): Promise<void> {
  const keys: string[] = [];
  call.on('dtmf', ({ digit }) => keys.push(digit));
  caller.press('9');
  await until(() => keys.length > 0, 'the caller is with the bot');
  const count = caller.heard.length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(caller.heard.length - count).toBeLessThan(6); // no music
  expect(await call.say('back')).toBe(true);
}
