import { whoAnswers } from '../../assembly/number-text.js';
import { restoredLine } from '../../assembly/restore-numbers.js';
import type { TransportKind } from '../../assembly/transports.js';
import { cleanText } from '../../base/clean-text.js';
import { VoicebotError } from '../../base/errors.js';
import { placeOf } from '../../base/exception/exception.js';
import { packageVersion } from '../../base/package-version.js';
import { nodeProblem } from '../../base/process/node-lines.js';
import type { CallRecord } from '../../call/call-record.js';
import { endWords } from '../../call/end-text.js';
import type { Config } from '../../config/config.js';
import { BotLoadError } from '../../runner/bots/bot-load-error.js';
import type { RoomTrial } from '../../runner/calls/rooms/trial-room.js';
import type { GiveBackOutcome, NumberLease } from '../../runner/numbers/number-lease.js';
import type { Runner } from '../../runner/runner.js';
import type { ReachCheck, Tunnel } from '../../runner/tunnel/tunnel.js';
import { errorEvent } from '../../terminal/error-event.js';
import type { Output } from '../../terminal/output.js';
import { callLabel } from '../../terminal/output.js';
import type { StopSignal } from '../../terminal/signals.js';
import { lengthOf } from '../calls/call-text.js';
import { BotExceptions } from './bot-exceptions.js';
import { tellService } from './service-report.js';
import { TalkReport } from './talk-report.js';

/** With the command to call, the line that says that a run is ready has so many characters: in a narrower terminal that would break. */
const READY_WIDTH = 95;

/** Of what a run consists of: names, and beside them what they are. In characters. */
const ROW_INDENT = 13;
/** Of what happens in a call, behind the time of day and the call. In characters. */
const newsIndent = (callId: string) => 9 + callLabel(callId).length + 2;

export interface ReadyNews {
  /** The bot file, for people. */
  bot: string;
  transport: TransportKind;
  /** The bot's number, when it is known. */
  number: string | undefined;
  lease: NumberLease | undefined;
  tunnel: Tunnel | undefined;
  isSandbox: boolean;
  /** Where calls come by a carrier: whose. */
  carrier: string | undefined;
  /** Where the user's application is told of calls, without what may be secret of the address. */
  events: string | undefined;
  /** Stand-ins serve the calls in place of the services that need keys. */
  standIns?: boolean;
  environmentFiles: Config['environmentFiles'];
  /** Of the Node.js that the runner and its bots run on. */
  nodeVersion: string;
  /** How long it took from the start of the command, in milliseconds. */
  ms: number;
  /** The run serves a task of its own: people are not told to call its bot. */
  hasTask?: boolean;
}

/** Tells a person and a program what the runner does. */
export class RunReport {
  #hasHiddenBots = false;
  /** Each live call as it was when its latest line was printed. */
  readonly #told = new Map<string, CallRecord>();
  /** Whom the bot of each live call wants to transfer it to. */
  readonly #destinations = new Map<string, string>();
  readonly #exceptions: BotExceptions;
  readonly #talk: TalkReport;

  constructor(
    private readonly output: Output,
    private readonly runner: Runner,
    /** Whether the log for programs has what bots write. */
    private readonly logsBots = false,
  ) {
    this.#exceptions = new BotExceptions(output);
    runner.on('call', (call) => this.#call(call));
    this.#talk = new TalkReport(output);
    runner.on('noted', (callId, event) => {
      if (event.type === 'transfer_asked') this.#destinations.set(callId, event.to);
      this.#talk.see(callId, event);
    });
    runner.on('bot_output', (line, callId, exception) => {
      if (exception) {
        this.#exceptions.failed(line, callId, exception);
        output.log('error', 'a bot has thrown an error', { callId, code: exception.code, place: placeOf(exception) });
        return;
      }
      output.event('bot_output', { callId, line });
      this.#logBot(line, callId);
      const whose = callId === undefined ? '' : `${callLabel(callId)}  `;
      output.news(`${output.paint.dim(`${whose}bot |`)} ${line}`);
    });
    runner.on('problem', (message, error) => {
      output.warn(message, { error });
      if (error instanceof BotLoadError && error.exception) this.#exceptions.notLoaded(error.exception);
    });
    runner.on('service', (service) => tellService(output, service));
    runner.on('reloaded', (file, ms) => {
      output.event('reloaded', { file, ms });
      output.log('info', 'new calls get the bot as it is now', { ms: Math.round(ms) });
      output.news(`${output.paint.green('✔')} New calls get the bot as it is now (loaded in ${Math.round(ms)} ms)`);
    });
    runner.on('reload_failed', (error) => {
      const { exception } = error instanceof BotLoadError ? error : {};
      const told = errorEvent(VoicebotError.fieldsOf(error, 'VB_BOT_LOAD_FAILED'));
      output.event('reload_failed', { ...told, ...(exception && { exception }) });
      output.log('error', 'new calls get the bot as it was before', { error });
      output.news(`${output.paint.red('✖')} ${error.message}`, 'error');
      if (exception) this.#exceptions.notLoaded(exception);
      output.line('  New calls get the bot as it was before. Save again to try again.');
    });
  }

  /** Everything a person wants to see once, and a program wants to know. */
  ready({
    bot,
    transport,
    number,
    lease,
    tunnel,
    isSandbox,
    carrier,
    events,
    standIns = false,
    environmentFiles,
    nodeVersion,
    ms,
    hasTask = false,
  }: ReadyNews): void {
    const { port, url, addresses } = this.runner;
    const { publicUrl, answerUrl, hangupUrl, dialinUrl } = addresses;
    const urls = transport === 'carrier' ? { answerUrl, hangupUrl } : { dialinUrl };
    this.output.event('ready', {
      port,
      url,
      transport,
      ...(carrier && { carrier }),
      publicUrl,
      ...urls,
      number,
      sandbox: isSandbox,
      standIns,
      bot,
      ms: Math.round(ms),
      ...(tunnel && { tunnel: tunnel.kind }),
      ...(lease && { was: lease.route }),
      ...(events && { events }),
    });
    const kept = { transport, carrier, port, sandbox: isSandbox, standIns, ms: Math.round(ms) };
    this.output.log('info', 'the runner is ready', { version: packageVersion(), ...kept });
    const { paint } = this.output;
    const row = (name: string, value: string) =>
      this.output.line(`  ${paint.dim(name.padEnd(ROW_INDENT - 2))}${this.output.wrapped(value, ROW_INDENT)}`);
    this.output.line(`${paint.bold('voicebot')} ${packageVersion()}`);
    if (!hasTask) row('bot', bot);
    if (standIns) row('stand-ins', 'a voice without a key, a scripted model, typed sentences: no vendor is asked');
    const aside = isSandbox ? '' : '; no carrier is involved';
    if (!hasTask) row('phone', `${paint.bold(url)} – talk to the bot in the browser${aside}`);
    if (tunnel) row('public', publicUrl);
    if (tunnel) row('', `${tunnel.kind}: ${tunnel.note}`);
    if (number)
      row(
        'number',
        isSandbox ? `${number} (${['sandbox', ...(carrier ? [`playing ${carrier}`] : [])].join(', ')})` : number,
      );
    if (lease) row('was', whoAnswers(lease.route));
    if (events) row('events', events);
    for (const { file, names } of environmentFiles) row(file, names.join(', '));
    const problem = nodeProblem(nodeVersion);
    if (problem) this.output.warn(`Node.js ${problem.message}. ${problem.fix}`);
    if (hasTask) return;
    const ready = paint.green(`Ready in ${Math.round(ms)} ms.`);
    if (isSandbox) {
      const gap = (this.output.columns ?? READY_WIDTH) < READY_WIDTH ? '\n  ' : ' ';
      const call = paint.bold('npx voicebot call');
      this.output.line(`${ready} Call the bot in the browser, or from another terminal:${gap}${call}`);
      this.output.line(`Or have it call a number: ${paint.bold('npx voicebot dialout +15551234567')}`);
    } else if (lease) {
      this.output.line(`${ready} Dial ${number}. Ctrl+C gives the number back.`);
    } else {
      const set = transport === 'carrier' ? `${answerUrl} and ${hangupUrl}` : dialinUrl;
      row('webhooks', set);
      const how = 'No number is pointed here: add --dialin for that, or set them yourself.';
      this.output.line(this.output.wrapped(`${ready} ${how}`, 0));
    }
  }

  roomTried(trial: RoomTrial): void {
    const { joinMs, isHeard, allowsDialout, transcription } = trial;
    const tried = transcription && { transcription: transcription.works };
    this.output.event('room_tried', { joinMs, heard: isHeard, dialout: allowsDialout, ...tried });
    this.output.log('info', 'a trial room was joined', { ms: Math.round(joinMs), wasHeard: isHeard });
    const told = joinedLine(trial);
    this.output.line(`${told.charAt(0).toUpperCase()}${told.slice(1)}`);
    if (!allowsDialout) this.output.warn(`${NO_DIALOUT.message}. ${NO_DIALOUT.fix}`);
  }

  /** Keys are listened to. */
  keysReady(): void {
    this.output.line(this.output.paint.dim('Press o to call the bot in the browser, h for all keys, q to quit.'));
  }

  tunnelLost(kind: string, reason: string): void {
    this.output.event('tunnel_lost', { kind, reason });
    this.output.log('error', 'the tunnel is down', { kind });
    const { paint } = this.output;
    const what = kind === 'public-url' ? 'The public address does not lead here: ' : 'The tunnel is down: ';
    this.output.news(`${paint.red('✖')} ${what}${reason}. Callers cannot get through; trying again …`, 'error');
  }

  /** @param hasMoved it has another name now, which the provider has been given */
  tunnelBack(url: string, hasMoved: boolean): void {
    this.output.event('tunnel_back', { publicUrl: url, moved: hasMoved });
    this.output.log('info', 'the tunnel is back', { moved: hasMoved });
    const where = hasMoved ? `${url}, and the number points there now` : url;
    this.output.news(`${this.output.paint.green('✔')} Callers get through again: ${where}`);
  }

  tunnelState({ kind, url, note }: Tunnel, check: ReachCheck): void {
    const state = check.isReached ? `answers in ${check.ms} ms` : `no answer: ${check.reason}`;
    this.output.line(`${kind} ${url}: ${state} (${note})`);
  }

  givenBack({ number, route }: NumberLease, outcome: GiveBackOutcome): void {
    this.output.event('given_back', { number, outcome });
    this.output.log('info', 'the number was given back', { outcome });
    const told =
      outcome === 'left_to_others'
        ? `${number} stays with the other runners of the cluster; the last of them gives it back`
        : restoredLine({ number, outcome, route });
    this.output.line(this.output.wrapped(told, 2));
  }

  stillHeld(number: string): void {
    this.output.warn(`${number} still points at this runner. Give it back with: npx voicebot restore`);
  }

  stopping(signal: StopSignal, liveCalls: number): void {
    this.output.event('stopping', { signal, liveCalls });
    this.output.log('info', 'the runner stops', { signal, liveCalls });
    const calls = liveCalls === 1 ? '1 call' : `${liveCalls} calls`;
    const what = signal === 'SIGTERM' ? `${calls} may finish first` : `ending ${calls}`;
    this.output.news(liveCalls === 0 ? 'Stopping.' : `Stopping: ${what}. Once more to leave at once.`);
  }

  /** No half line is left where the shell writes next. */
  close(): void {
    this.#talk.close();
  }

  #call(call: CallRecord): void {
    const { paint } = this.output;
    this.output.event('call', { callId: call.id, call });
    const before = this.#told.get(call.id);
    const isNews = call.state !== before?.state || call.attempt !== before.attempt;
    if (!isNews) return; // something changed that only programs are told
    if (call.state === 'ended') {
      this.#told.delete(call.id);
      this.#destinations.delete(call.id);
      this.#exceptions.ended(call.id);
    } else this.#told.set(call.id, call);
    this.#logCall(call);
    const news = this.output.wrapped(this.#news(call, before), newsIndent(call.id));
    this.output.news(`${paint.dim(callLabel(call.id))}  ${news}`);
  }

  /** Who calls whom is in the record of the call. */
  #logCall({ id: callId, state, direction, attempt, endReason, startedAt, endedAt }: CallRecord): void {
    const seconds = endedAt === undefined ? undefined : (endedAt - startedAt) / 1_000;
    this.output.log('info', 'call', { callId, state, direction, attempt, endReason, seconds });
  }

  /** It may write what callers say. */
  #logBot(line: string, callId: string | undefined): void {
    if (this.logsBots) this.output.log('info', 'bot output', { source: 'bot', callId, line });
    else if (!this.#hasHiddenBots)
      this.output.log('info', 'what bots write is not logged', { hint: 'VOICEBOT_LOG_BOTS=on' });
    this.#hasHiddenBots = true;
  }

  #news(call: CallRecord, before: CallRecord | undefined): string {
    const { state, direction, from, to, attempt, endReason, connectedAt } = call;
    const { paint } = this.output;
    const isDialled = direction === 'outbound';
    const bot = attempt === 1 ? '' : paint.yellow(` (bot ${attempt}: an earlier one failed or is late)`);
    if (state === 'dialling') return `dialling ${short(to)}${bot}`;
    if (state === 'ringing' && isDialled) return `ringing${bot}`;
    if (state === 'ringing') return `ringing from ${short(from ?? 'a withheld number')} to ${short(to)}`;
    if (state === 'ended') {
      const why = endReason ? `: ${endWords(endReason, direction)} ${paint.dim(`(${endReason})`)}` : '';
      return `ended after ${lengthOf(call)} s${why}`;
    }
    if (before?.state === 'transferring' && state !== 'transferring') return `back from the transfer${bot}`;
    const destination = this.#destinations.get(call.id);
    if (state === 'transferring' && destination !== undefined) return `transferring to ${short(destination)}${bot}`;
    if (state === 'connected') return `${paint.green(state)}${bot}`;
    if (state === 'starting' && isDialled && attempt === 1 && connectedAt === undefined) return 'answered';
    return `${state}${bot}`;
  }
}

/** A number or address, as far as it fits into a line. */
const short = (party: string) => cleanText(party, 64);

/** Of an account whose rooms no call may go out of. */
export const NO_DIALOUT = {
  message: 'the account may not dial out, so calls to numbers and transfers to them fail',
  fix: 'Have dial-out enabled for this account, which needs a plan that includes it',
};

/** Why the provider's transcription did not start in a trial room; undefined where it did, or was not tried. */
export function transcriptionRefused({ transcription }: RoomTrial): VoicebotError | undefined {
  if (!transcription || transcription.works) return undefined;
  const detail = `startTranscription: ${cleanText(transcription.problem, 300)}`;
  const hint =
    'have transcription enabled for this account, which needs a paid plan, or give the bot ears of its own: stt';
  return new VoicebotError('VB_ROOMS_REQUEST_FAILED', detail, { hint });
}

/** That a trial room was joined, for people. */
export function joinedLine({ joinMs, isHeard }: RoomTrial): string {
  const heard = isHeard
    ? 'heard and was heard'
    : 'it has a place for one participant only, so whether sound comes through could not be tried';
  return `joined a trial room in ${(joinMs / 1_000).toFixed(1)} s: ${heard}`;
}
