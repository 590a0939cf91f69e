import type { ProviderError } from '../../../../src/base/provider-error.js';
import type { Ear } from '../../../../src/bot/services/stt/ear.js';
import { AiEarDialect, type AiEarsOptions } from '../../../../src/bot/services/stt/from-ai.js';
import { socketEars } from '../../../../src/bot/services/stt/socket-ear.js';

const LIMIT_MS = 8_000;

/** What an ear of a model has told. */
export class HeardWords implements Disposable {
  readonly interims: string[] = [];
  readonly finals: Array<{ text: string; untilMs: number | undefined }> = [];
  readonly troubles: ProviderError[] = [];
  readonly ear: Ear;

  constructor(
    dialect: AiEarDialect,
    readonly sampleRate: number,
    giveUpAfterMs: number,
  ) {
    this.ear = socketEars(dialect, giveUpAfterMs).create(sampleRate, {
      interim: (text) => this.interims.push(text),
      final: (text, _endsUtterance, untilMs) => this.finals.push({ text, untilMs }),
      endOfTurn: () => {},
      troubled: (error) => this.troubles.push(error),
    });
  }

  /** What a caller says, in frames of 20 ms: `voice` and silence alternate, in milliseconds. */
  hear(...lengths: number[]): void {
    const frame = this.sampleRate / 50;
    for (const [index, ms] of lengths.entries()) {
      for (let at = 0; at < ms; at += 20) {
        this.ear.write(index % 2 === 0 ? voice(frame, this.sampleRate, at) : new Int16Array(frame));
      }
    }
  }

  [Symbol.dispose](): void {
    this.ear.close();
  }
}

/** Ears of a model that was asked what it takes. */
export async function startAiEars(options: AiEarsOptions, { sampleRate = 8_000 } = {}): Promise<HeardWords> {
  const dialect = new AiEarDialect(options);
  await dialect.load();
  return new HeardWords(dialect, sampleRate, options.giveUpAfterMs ?? 4_000);
}

/** A buzz whose loudness sways as a voice does. */
function voice(length: number, sampleRate: number, fromMs: number): Int16Array {
  return Int16Array.from({ length }, (_, i) => {
    const t = fromMs / 1_000 + i / sampleRate;
    const sway = 0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t);
    return 6_000 * sway * (Math.sin(2 * Math.PI * 220 * t) + 0.5 * Math.sin(2 * Math.PI * 660 * t));
  });
}

/** Resolves when `condition` holds. For what tells nobody that it happened. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true in time`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
