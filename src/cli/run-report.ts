import type { CallRecord } from '../runner/call-registry.js';
import type { Runner } from '../runner/runner.js';
import { type Output, plain } from './output.js';
import { packageVersion } from './package-root.js';
import type { TransportKind } from './run-provider.js';
import type { StopSignal } from './signals.js';

/** Tells a person and a program what the runner does. */
export class RunReport {
  /** Each live call as it was when its latest line was printed. */
  readonly #told = new Map<string, CallRecord>();

  constructor(
    private readonly output: Output,
    private readonly runner: Runner,
  ) {
    runner.on('call', (call) => this.#call(call));
    runner.on('bot_output', (line) => {
      output.event('bot_output', { line });
      output.line(`${output.paint.dim('bot |')} ${line}`);
    });
    runner.on('problem', (message) => output.warn(message));
  }

  /** @param number the bot's number, when it is known */
  ready(transport: TransportKind, number: string | undefined, isSandbox: boolean): void {
    const { port, url, addresses } = this.runner;
    const { publicUrl, answerUrl, hangupUrl, dialinUrl } = addresses;
    const urls = transport === 'carrier' ? { answerUrl, hangupUrl } : { dialinUrl };
    this.output.event('ready', { port, url, transport, publicUrl, ...urls, number, sandbox: isSandbox });
    const { paint } = this.output;
    const row = (name: string, value: string) => this.output.line(`  ${paint.dim(name.padEnd(11))}${value}`);
    this.output.line(`${paint.bold('voicebot')} ${packageVersion()}`);
    row('server', url);
    if (number) row('number', isSandbox ? `${number} (sandbox)` : number);
    if (isSandbox) {
      this.output.line(
        `${paint.green('Ready.')} Call the bot from another terminal: ${paint.bold('npx voicebot call')}`,
      );
      this.output.line(`Or have it call somebody: ${paint.bold('npx voicebot dialout +15551234567')}`);
      return;
    }
    if (transport === 'rooms') {
      row('webhook', dialinUrl);
      this.output.line(
        `${paint.green('Ready.')} Set it as room_creation_api in the number's dial-in configuration, then dial ${number ?? 'the number'}.`,
      );
      return;
    }
    row('answer URL', `${answerUrl} (POST)`);
    row('hangup URL', `${hangupUrl} (POST)`);
    this.output.line(
      `${paint.green('Ready.')} Set these two URLs in the number's application at the carrier, then dial ${number ?? 'the number'}.`,
    );
  }

  stopping(signal: StopSignal, liveCalls: number): void {
    this.output.event('stopping', { signal, liveCalls });
    const calls = liveCalls === 1 ? '1 call' : `${liveCalls} calls`;
    const what = signal === 'SIGTERM' ? `${calls} may finish first` : `ending ${calls}`;
    this.output.line(liveCalls === 0 ? 'Stopping.' : `Stopping: ${what}. Once more to leave at once.`);
  }

  #call(call: CallRecord): void {
    const { paint } = this.output;
    this.output.event('call', { call });
    const before = this.#told.get(call.id);
    const isNews = call.state !== before?.state || call.attempt !== before.attempt;
    if (!isNews) return; // something changed that only programs are told
    if (call.state === 'ended') this.#told.delete(call.id);
    else this.#told.set(call.id, call);
    const id = call.id.slice(0, call.id.startsWith('out_') ? 12 : 8);
    this.output.line(`${paint.dim(`call ${id}`)}  ${this.#news(call, before)}`);
  }

  #news(call: CallRecord, before: CallRecord | undefined): string {
    const { state, direction, from, to, attempt, endReason, startedAt, connectedAt, endedAt } = call;
    const { paint } = this.output;
    const isDialled = direction === 'outbound';
    if (state === 'dialling') return `dialling ${plain(to)}`;
    if (state === 'ringing') return isDialled ? 'ringing' : `ringing from ${plain(from)} to ${plain(to)}`;
    if (state === 'ended') {
      const seconds = ((endedAt ?? Date.now()) - startedAt) / 1_000;
      return `ended: ${paint.bold(endReason ?? 'unknown')} after ${seconds.toFixed(1)} s`;
    }
    const bot = attempt === 1 ? '' : paint.yellow(` (bot ${attempt}: an earlier one failed)`);
    if (state === 'connected') return `${paint.green(state)}${bot}`;
    if (state === 'starting' && before?.state === 'transferring') return `back from the transfer${bot}`;
    if (state === 'starting' && isDialled && attempt === 1 && connectedAt === undefined) return 'answered';
    return `${state}${bot}`;
  }
}
