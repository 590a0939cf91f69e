import { type Deferred, deferred } from '../../base/async/deferred.js';
import { VoicebotError } from '../../base/errors.js';
import type { OpenPage, Pages } from '../../providers/daily/client/pages.js';
import type { MessageFromBot, MessageToBot } from './messages.js';

type PageAnswer = Extract<MessageToBot, { type: 'page_opened' | 'page_gone' }>;

interface AskedPage {
  /** Resolves with who has opened it, or is to open it. */
  readonly opened: Deferred<'runner' | 'nobody'>;
  readonly gone: Deferred<void>;
}

/** `close` resolves when nothing is left of the browser. */
type OwnPages = Pages & { close(): Promise<void> };

/** Opens the pages of a bot's process in the browser that its runner keeps. When the runner is gone, another browser has to do. */
export class RunnerPages implements Pages {
  readonly #asked = new Map<number, AskedPage>();
  #requests = 0;
  #isRunnerGone = false;
  #own: OwnPages | undefined;

  /**
   * @param send to the runner
   * @param ownPages where pages are opened without it
   */
  constructor(
    private readonly send: (message: MessageFromBot) => void,
    private readonly ownPages: () => OwnPages,
  ) {}

  async open(url: string): Promise<OpenPage> {
    if (this.#isRunnerGone) return this.#openOurselves(url);
    this.#requests += 1;
    const requestId = this.#requests;
    const page: AskedPage = { opened: deferred(), gone: deferred() };
    this.#asked.set(requestId, page);
    this.send({ type: 'open_page', requestId, url });
    if ((await page.opened.promise) === 'nobody') return this.#openOurselves(url);
    return { gone: page.gone.promise, close: () => this.#close(requestId) };
  }

  receive(answer: PageAnswer): void {
    const page = this.#asked.get(answer.requestId);
    if (!page) return;
    if (answer.type === 'page_gone') this.#forget(answer.requestId);
    else if (!answer.problem) page.opened.resolve('runner');
    else {
      this.#asked.delete(answer.requestId);
      page.opened.reject(VoicebotError.revive(answer.problem));
    }
  }

  /** Its browser ends with the runner, and the pages with that. */
  runnerGone(): void {
    this.#isRunnerGone = true;
    for (const [requestId, { opened }] of this.#asked) {
      opened.resolve('nobody'); // means nothing where the runner has opened it
      this.#forget(requestId);
    }
  }

  /** Resolves when nothing is left of what has been started without the runner. */
  async close(): Promise<void> {
    await this.#own?.close();
  }

  #openOurselves(url: string): Promise<OpenPage> {
    this.#own ??= this.ownPages();
    return this.#own.open(url);
  }

  #close(requestId: number): void {
    if (this.#asked.has(requestId)) this.send({ type: 'close_page', requestId });
    this.#forget(requestId);
  }

  #forget(requestId: number): void {
    this.#asked.get(requestId)?.gone.resolve();
    this.#asked.delete(requestId);
  }
}
