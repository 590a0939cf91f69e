import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type SandboxProcess, type SandboxWishes, startSandboxProcess } from '../../assembly/sandbox-process.js';
import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import type { Environment } from '../../config/environment.js';
import type { ToldEnd } from './load-ends.js';
import type { LoadCall } from './load-figures.js';
import type { CallersNews, CallersRequest, CallersSecond, LoadOrder, WrongCall } from './load-messages.js';

const ENTRY = fileURLToPath(new URL('callers-main.js', import.meta.url));

interface CallersProcessEvents {
  second: [second: CallersSecond];
  ringing: [callId: string];
  said: [callId: string, text: string];
  call_over: [callId: string];
  wrong: [call: WrongCall];
}

/** Calls that have been begun together. */
export interface BegunCalls {
  /** All have dialled. @throws as {@link over} */
  readonly dialled: Promise<void>;
  /** Of those that go on each has heard the bot. @throws as {@link over} */
  readonly heard: Promise<void>;
  /** @throws as {@link CallersProcess.lost} */
  readonly over: Promise<readonly LoadCall[]>;
}

type NewsOf<Type extends CallersNews['type']> = Extract<CallersNews, { readonly type: Type }>;

/** The process with the phone network and the callers. */
export class CallersProcess extends EventEmitter<CallersProcessEvents> {
  /** Rejects when the callers cannot call, or their process is gone. */
  readonly lost: Promise<never>;

  private constructor(
    readonly sandbox: SandboxProcess,
    private readonly child: Awaited<ReturnType<typeof startSandboxProcess>>['child'],
  ) {
    super();
    child.on('message', (news: CallersNews) => {
      if (news.type === 'second') this.emit('second', news);
      else if (news.type === 'ringing') this.emit('ringing', news.callId);
      else if (news.type === 'said') this.emit('said', news.callId, news.text);
      else if (news.type === 'wrong') this.emit('wrong', news);
      else if (news.type === 'call_over' && news.callId !== undefined) this.emit('call_over', news.callId);
    });
    this.lost = new Promise((_, reject) => {
      child.on('message', (news: CallersNews) => {
        if (news.type === 'failed') reject(new VoicebotError(news.code as ErrorCode, news.message));
      });
      void sandbox.ended.then((how) =>
        reject(new VoicebotError('VB_SANDBOX_FAILED', `the process of the callers has ended (${how})`)),
      );
    });
    this.lost.catch(() => {}); // told to those who wait for something
  }

  static async start(
    environment: Environment,
    wishes: Pick<SandboxWishes, 'carrier' | 'account' | 'answerUrl'>,
  ): Promise<CallersProcess> {
    const { child, ...sandbox } = await startSandboxProcess(environment, {
      ...wishes,
      isVerbose: false,
      expectsRooms: false,
      entry: ENTRY,
    });
    return new CallersProcess(sandbox, child);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  begin(order: LoadOrder): BegunCalls {
    const over = this.#next('all_over').then(({ calls }) => calls);
    const unlessOver = async (next: Promise<unknown>) => void (await Promise.race([next, over]));
    const dialled = unlessOver(this.#next('all_dialled'));
    const heard = unlessOver(this.#next('all_heard'));
    for (const one of [over, dialled, heard]) one.catch(() => {}); // each may be left alone
    this.#ask({ type: 'begin', ...order });
    return { over, dialled, heard };
  }

  countAfresh(): void {
    this.#ask({ type: 'count_afresh' });
  }

  /** So many of those who stay are live from now on. Resolves when they are, or dialling was stopped. @throws as {@link lost} */
  async resize(calls: number, everyMs: number): Promise<void> {
    const dialled = this.#next('all_dialled');
    this.#ask({ type: 'resize', calls, everyMs });
    await dialled;
  }

  stopDialling(): void {
    this.#ask({ type: 'stop_dialling' });
  }

  /** What has become of the calls until now. @throws as {@link lost} */
  async count(): Promise<readonly LoadCall[]> {
    const counted = this.#next('counted');
    this.#ask({ type: 'count' });
    return (await counted).calls;
  }

  hangUp(): void {
    this.#ask({ type: 'hang_up' });
  }

  noted(callId: string, event: Extract<CallersRequest, { type: 'noted' }>['event']): void {
    this.#ask({ type: 'noted', callId, event });
  }

  told(callId: string, end: ToldEnd): void {
    this.#ask({ type: 'told', callId, end });
  }

  stop(): Promise<void> {
    return this.sandbox.stop();
  }

  /** The next news of this type. @throws as {@link lost} */
  #next<Type extends CallersNews['type']>(type: Type): Promise<NewsOf<Type>> {
    const next = new Promise<NewsOf<Type>>((resolve) => {
      const take = (news: CallersNews) => {
        if (news.type !== type) return;
        this.child.off('message', take);
        resolve(news as NewsOf<Type>);
      };
      this.child.on('message', take);
    });
    return Promise.race([next, this.lost]);
  }

  #ask(request: CallersRequest): void {
    if (this.child.connected) this.child.send(request, () => {}); // one that has ended is told by `lost`
  }
}
