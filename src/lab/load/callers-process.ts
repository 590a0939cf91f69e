import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type SandboxProcess, type SandboxWishes, startSandboxProcess } from '../../assembly/sandbox-process.js';
import { deferred } from '../../base/async/deferred.js';
import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import type { Environment } from '../../config/environment.js';
import type { ToldEnd } from './load-ends.js';
import type { LoadCall } from './load-figures.js';
import type { CallersNews, CallersRequest, CallersSecond, LoadOrder, WrongCall } from './load-messages.js';

const ENTRY = fileURLToPath(new URL('callers-main.js', import.meta.url));

const GONE = 'the process of the callers has ended';
const failure = ({ code, message }: Extract<CallersNews, { readonly type: 'failed' }>) =>
  new VoicebotError(code as ErrorCode, message);

interface CallersProcessEvents {
  second: [second: CallersSecond];
  ringing: [callId: string];
  said: [callId: string, text: string];
  call_over: [callId: string];
  wrong: [call: WrongCall];
}

/** Calls that have been begun together. */
export interface BegunCalls {
  /** All have dialled. @throws what {@link over} throws */
  readonly dialled: Promise<void>;
  /** Of those that go on each has heard the bot. @throws what {@link over} throws */
  readonly heard: Promise<void>;
  /** @throws VoicebotError when the callers cannot call, or their process is gone */
  readonly over: Promise<readonly LoadCall[]>;
}

/** The process with the phone network and the callers. */
export class CallersProcess extends EventEmitter<CallersProcessEvents> {
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
    const allDialled = deferred();
    const allHeard = deferred();
    const over = new Promise<readonly LoadCall[]>((resolve, reject) => {
      const settle = (done: () => void) => {
        this.child.off('message', take).off('exit', gone);
        done();
      };
      const take = (news: CallersNews) => {
        if (news.type === 'all_dialled') allDialled.resolve();
        else if (news.type === 'all_heard') allHeard.resolve();
        else if (news.type === 'all_over') settle(() => resolve(news.calls));
        else if (news.type === 'failed') settle(() => reject(failure(news)));
      };
      const gone = () => settle(() => reject(new VoicebotError('VB_SANDBOX_FAILED', GONE)));
      this.child.on('message', take).once('exit', gone);
      this.#ask({ type: 'begin', ...order });
    });
    const until = (one: Promise<void>) => {
      const first = Promise.race([one, over.then(() => {})]);
      first.catch(() => {}); // `over` rejects as well
      return first;
    };
    return { over, dialled: until(allDialled.promise), heard: until(allHeard.promise) };
  }

  countAfresh(): void {
    this.#ask({ type: 'count_afresh' });
  }

  /** So many of those who stay are live from now on. Resolves when they are, or dialling was stopped. @throws as {@link begin} */
  async resize(calls: number, everyMs: number): Promise<void> {
    const dialled = this.#next('all_dialled');
    this.#ask({ type: 'resize', calls, everyMs });
    await dialled;
  }

  stopDialling(): void {
    this.#ask({ type: 'stop_dialling' });
  }

  /** What has become of the calls until now. @throws as {@link begin} */
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

  /** The next news of this type. */
  #next<Type extends CallersNews['type']>(type: Type): Promise<Extract<CallersNews, { readonly type: Type }>> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        this.child.off('message', take).off('exit', gone);
        done();
      };
      const take = (news: CallersNews) => {
        if (news.type === type) settle(() => resolve(news as Extract<CallersNews, { readonly type: Type }>));
        else if (news.type === 'failed') settle(() => reject(failure(news)));
      };
      const gone = () => settle(() => reject(new VoicebotError('VB_SANDBOX_FAILED', GONE)));
      this.child.on('message', take).once('exit', gone);
    });
  }

  #ask(request: CallersRequest): void {
    if (this.child.connected) this.child.send(request);
  }
}
