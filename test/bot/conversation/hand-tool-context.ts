import type { ToolContext } from '../../../src/bot/conversation/tool.js';

/** What a function does with its context, in order, without a conversation. */
export class HandToolContext implements ToolContext {
  readonly done: string[] = [];
  readonly call = { id: 'call-1', name: 'tool', input: {} };
  readonly abort = new AbortController();
  /** What the caller still has to hear. */
  speech: Promise<void> = Promise.resolve();

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  say = async (text: string): Promise<void> => {
    this.done.push(`says ${text}`);
  };

  spoken = async (): Promise<void> => {
    await this.speech;
    this.done.push('spoken');
  };

  endTurn = (): void => {
    this.done.push('ends the turn');
  };

  endCall = (reason = 'bot_ended'): void => {
    this.done.push(`ends the call: ${reason}`);
  };
}
