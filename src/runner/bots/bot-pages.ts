import { VoicebotError } from '../../base/errors.js';
import type { OpenPage, Pages } from '../../providers/daily/client/pages.js';
import type { MessageFromBot, MessageToBot } from './messages.js';

type Request = Extract<MessageFromBot, { type: 'open_page' | 'close_page' }>;

/** How long a page without its bot gets to leave the room, so that the provider need not find out by itself, in milliseconds. */
const LEAVE_MS = 500;

/** The pages that the runner's browser has for one bot process. */
export class BotPages {
  /** By request; undefined while a page is being opened. */
  readonly #pages = new Map<number, OpenPage | undefined>();

  constructor(
    private readonly pages: Pages | undefined,
    private readonly tell: (message: MessageToBot) => void,
  ) {}

  receive(request: Request): void {
    if (request.type === 'open_page') void this.#open(request.requestId, request.url);
    else this.#close(request.requestId);
  }

  /** The process is gone: its pages notice, and leave their rooms before they are closed. */
  closeAll(): void {
    const pages = [...this.#pages.values()];
    this.#pages.clear();
    setTimeout(() => {
      for (const page of pages) page?.close();
    }, LEAVE_MS).unref();
  }

  async #open(requestId: number, url: string): Promise<void> {
    this.#pages.set(requestId, undefined);
    try {
      if (!this.pages) throw new VoicebotError('VB_BROWSER_FAILED', 'this runner keeps no browser');
      const page = await this.pages.open(url);
      void page.gone.then(() => this.#gone(requestId));
      if (!this.#pages.has(requestId)) return page.close(); // the bot does not want it any more
      this.#pages.set(requestId, page);
      this.tell({ type: 'page_opened', requestId });
    } catch (error) {
      this.#pages.delete(requestId);
      const problem = VoicebotError.fieldsOf(error, 'VB_BROWSER_FAILED');
      this.tell({ type: 'page_opened', requestId, problem });
    }
  }

  #close(requestId: number): void {
    const page = this.#pages.get(requestId);
    this.#pages.delete(requestId);
    page?.close();
  }

  #gone(requestId: number): void {
    if (this.#pages.delete(requestId)) this.tell({ type: 'page_gone', requestId });
  }
}
