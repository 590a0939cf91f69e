import { RunnerOnSandbox, type RunnerOnSandboxOptions, testSandbox } from './runner-on-sandbox.js';
import { botFile, type Told } from './runner-under-test.js';

/** Call time passes eight times faster than it is. */
const TICK_MS = 2.5;

/** A runner on the sandbox's carrier whose bot transfers whom it calls. */
export class TransfersOnSandbox extends RunnerOnSandbox {
  static override async start(options: RunnerOnSandboxOptions = {}): Promise<TransfersOnSandbox> {
    const settings = { botFile: botFile('transferrer.ts'), warm: 2, silenceSeconds: 0, ...options };
    return await new TransfersOnSandbox(await testSandbox({ timing: { tickMs: TICK_MS } }), settings).serve();
  }

  #dialled = 0;

  /** Has the bot call somebody whom it then transfers. */
  async transfer(query: { to: string; meanwhile?: string }) {
    this.#dialled += 1;
    const phone_number = `+1555123${String(this.#dialled).padStart(4, '0')}`;
    const id = await this.startedCall({ phone_number }, { query: `?${new URLSearchParams(query)}` });
    const told = (): Told[] => this.told.filter(({ call }) => call === id);
    return {
      id,
      told,
      ended: () => this.nextRecord({ id, state: 'ended' }, 14_000),
      /** What came of the transfer; its bot is done then. */
      outcome: async (): Promise<Told | undefined> => {
        await this.output.next((line) => line.includes(id) && line.includes('"done"'));
        return told().find(({ event }) => event === 'outcome');
      },
      states: () => this.statesOf(id),
    };
  }
}
