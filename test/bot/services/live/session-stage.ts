import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import { LiveSession } from '../../../../src/bot/services/live/live-session.js';
import { buzz, type FakeLiveOptions } from '../../../../src/lab/kit/index.js';
import { FAR_ENDS, type FarEnd } from './live-stage.js';

const RATE = 8_000;
const FAST: FakeLiveOptions = { characterMs: 5, betweenChunksMs: 5 };

/** A live session alone, on loopback: what it is asked, and what goes wrong in it. */
export class SessionStage implements AsyncDisposable {
  static async start(farEnd: FarEnd, options: FakeLiveOptions = {}): Promise<SessionStage> {
    const { fake, model } = await FAR_ENDS[farEnd]({ ...FAST, ...options });
    const next = fake.nextSession();
    const stage = new SessionStage(fake, model as never);
    await next;
    await fake.session.until(() => fake.session.told.length > 0 && fake.session.messages.length > 0);
    return stage;
  }

  readonly session: LiveSession;
  readonly context = new LLMContext({ system: 'You are a shop.' });
  readonly troubles: string[] = [];
  /** What the caller's words were told as. */
  readonly words: string[] = [];

  private constructor(
    readonly fake: Awaited<ReturnType<(typeof FAR_ENDS)[FarEnd]>>['fake'],
    model: never,
  ) {
    this.session = new LiveSession(resolveLiveOptions({ model, answerTimeoutMs: 2_000 }), RATE, {
      interim: (text) => this.words.push(`interim ${text}`),
      final: (text) => this.words.push(`final ${text}`),
      late: (_, text) => this.words.push(`late ${text}`),
      troubled: ({ message }) => this.troubles.push(message),
      unknown: () => {},
    });
    this.session.open();
    this.session.introduce(this.context);
  }

  /** Has a text said. */
  say(text: string) {
    const said = { text: '' };
    const listener = {
      audio: () => {},
      text: (delta: string) => {
        said.text += delta;
      },
    };
    return { answer: this.session.ask({ key: {}, text }, listener), said };
  }

  /** The caller has spoken for half a second. */
  speak(): void {
    this.session.caller.begin();
    for (let ms = 0; ms < 500; ms += 20) this.session.write(buzz(20, RATE));
    this.session.caller.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.close();
    await this.fake[Symbol.asyncDispose]();
  }
}
