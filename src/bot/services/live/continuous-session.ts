import { Resampler } from '../../../base/audio/resampler.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { ServiceUsage } from '../../../call/usage.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { decodeAudio, encodeAudio } from './live-audio.js';
import { LiveLink } from './live-link.js';
import type { ResolvedLiveOptions } from './live-options.js';
import { LiveUsage } from './live-usage.js';
import type { LiveFormat } from './manner.js';
import { formatOf, openaiFormatFor } from './manners.js';
import type { LiveConfig, LiveErrorEvent, LiveServerEvent } from './realtime-model.js';
import { UnknownEvents } from './server-events.js';

/** The vendor takes so many messages of what was said before. */
const MOST_MESSAGES = 128;
/** Sound and notes for a session that is not there yet, at most: of sound, in milliseconds. */
const MAX_WAITING_MS = 5_000;
const MOST_NOTES = 100;
/** The session's clock is the caller's sound: where none comes for so long, it gets silence, in milliseconds. */
const PACE_MS = 100;
/** The sound of a session never stops: where it does, the session hangs; so long is waited where a cascade can go on, in milliseconds. */
const HANG_MS = 600;
/** So far its sound may be ahead of the clock, in milliseconds. */
const MAX_AHEAD_MS = 10_000;

/** How a note is taken: as an order, as what is to be known, or as what is to be said. */
export type ContinuousChannel = 'instructions' | 'thinking' | 'commentary';

export interface ContinuousListener {
  /** The model's next sound, silence included. */
  audio(pcm: Int16Array): void;
  /** Words, and when they are said by the clock of the session's sound, in milliseconds. */
  words(of: 'user' | 'assistant', delta: string, startMs: number, endMs: number): void;
  /** Work is handed over. */
  delegated(id: string): void;
  /** Another session begins: nothing more comes of the one before. */
  renewed(): void;
  /** Something went wrong: it was mended, unless `isFinal`. */
  troubled(error: ProviderError): void;
  unknown(kind: string): void;
  /** The vendor charges for it. */
  used?(usage: ServiceUsage): void;
}

/** The sessions of a model that speaks and listens all the time, one after the other, in one call. */
export class ContinuousSession {
  readonly format: LiveFormat;
  readonly #link: LiveLink;
  readonly #resampler: Resampler;
  readonly #unknown: UnknownEvents;
  readonly #usage: LiveUsage;
  readonly #pace: NodeJS.Timeout;
  #context: LLMContext | undefined;
  #waiting: Int16Array[] = [];
  #notes: Array<() => void> = [];
  #isReady = false;
  #isMuted = false;
  #isOver = false;
  /** When the caller's sound came last, and when the model's did; monotonic, in milliseconds. */
  #wroteAt = performance.now();
  #heardAt = performance.now();
  #readyAt = 0;
  #gotMs = 0;
  /** Looks in a row that saw no new sound. */
  #quietTicks = 0;
  /** Sessions in a row that nothing came of. */
  #silent = 0;

  /** @param sampleRate of the caller's sound, in hertz */
  constructor(
    private readonly options: ResolvedLiveOptions,
    private readonly sampleRate: number,
    private readonly listener: ContinuousListener,
  ) {
    this.format = openaiFormatFor(sampleRate);
    this.#resampler = new Resampler(sampleRate, this.format.sampleRate);
    this.#usage = new LiveUsage(options, (usage) => listener.used?.(usage));
    this.#unknown = new UnknownEvents(/^$/, (kind) => listener.unknown(kind));
    this.#link = new LiveLink(
      options.model,
      {
        opened: () => this.#start(),
        event: (event) => this.#onEvent(event),
        lost: () => this.#usage.ended(),
        mended: (error) => listener.troubled(error),
        gaveUp: (error) => this.#giveUp(error),
      },
      options.isReplaceable,
    );
    this.#pace = setInterval(() => this.#tick(), PACE_MS);
  }

  /** The conversation, which tells what the session is for. */
  introduce(context: LLMContext): void {
    if (this.#context === context || this.#isOver) return;
    const isOpen = this.#link.isOpen;
    this.#context = context;
    if (isOpen) this.#link.renew(this.#link.failure('a session gives way to that of the conversation'));
    else this.#link.open();
  }

  /** The caller's next samples. */
  write(pcm: Int16Array): void {
    this.#wroteAt = performance.now();
    this.#send(pcm);
  }

  /** Whether what the caller says does not count. */
  mute(isMuted: boolean): void {
    if (this.#isMuted === isMuted) return;
    this.#isMuted = isMuted;
    if (this.#isReady) this.#tellMute();
  }

  /** Tells the session something. @param delegationId the work that it answers */
  append(channel: ContinuousChannel, content: string, delegationId: string | null = null): void {
    if (this.#isOver) return;
    if (!this.#link.isOpen && !this.#context) this.#link.open();
    const send = () => {
      const providerOptions = { openai: { channel } };
      this.#link.send({ type: 'context-append', content, delegationId, providerOptions });
    };
    if (this.#isReady) send();
    else if (this.#notes.length < MOST_NOTES) this.#notes.push(send);
  }

  /** Ends it in good order; nothing more is told. */
  close(): void {
    if (this.#isReady) this.#link.send({ type: 'session-close' });
    this.#usage.ended();
    this.#isOver = true;
    this.#isReady = false;
    clearInterval(this.#pace);
    this.#link.close();
  }

  #start(): void {
    this.#isReady = false;
    this.listener.renewed();
    this.#heardAt = performance.now();
    this.#link.send({ type: 'session-start', config: this.#config() });
  }

  #config(): LiveConfig {
    const { voice, providerOptions } = this.options;
    const format = formatOf(this.format);
    const { instructions, input } = briefing(this.#context);
    return {
      instructions,
      ...(voice !== undefined && { voice }),
      inputAudioFormat: format,
      outputAudioFormat: format,
      providerOptions: { openai: { ...(input.length > 0 && { input }), ...providerOptions } } as never,
    };
  }

  #onEvent(event: LiveServerEvent): void {
    this.#usage.see(event);
    if (event.type === 'session-started') this.#onReady();
    else if (event.type === 'audio-chunk') this.#onAudio(event.delta);
    else if (event.type === 'transcript-fragment')
      this.listener.words(event.speaker, event.delta, event.startMs, event.endMs);
    else if (event.type === 'delegation-created') {
      if (event.target !== 'provider') this.listener.delegated(event.delegationId);
    } else if (event.type === 'session-closed') this.#renew(`the session is over: ${event.reason ?? 'no reason told'}`);
    else if (event.type === 'error') this.#onError(event);
    else if (event.type === 'custom') this.#unknown.seeKind(event.rawType);
    else if (event.type !== 'session-usage' && event.type !== 'command-acknowledged') this.#unknown.see(event);
  }

  #onReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#usage.opened();
    this.#readyAt = performance.now();
    this.#heardAt = this.#readyAt;
    this.#gotMs = 0;
    this.#link.markAlive();
    if (this.#isMuted) this.#tellMute();
    for (const pcm of this.#waiting.splice(0)) this.#send(pcm);
    for (const note of this.#notes.splice(0)) note();
  }

  #onAudio(audio: string): void {
    const pcm = decodeAudio(this.format, audio);
    this.#heardAt = performance.now();
    this.#silent = 0;
    this.#quietTicks = 0;
    this.#gotMs += (pcm.length * 1_000) / this.format.sampleRate;
    if (this.#gotMs - (this.#heardAt - this.#readyAt) > MAX_AHEAD_MS + MAX_WAITING_MS) {
      this.#renew('the session sends sound faster than it can be heard');
      return;
    }
    this.#link.markWorking();
    this.listener.audio(pcm);
  }

  #onError(event: LiveErrorEvent): void {
    const failure = this.#link.failureOf(event);
    if (this.#isReady) this.listener.troubled(failure);
    else this.#refuse(failure);
  }

  #send(pcm: Int16Array): void {
    if (!this.#isReady) {
      this.#waiting.push(pcm);
      const most = (MAX_WAITING_MS * this.sampleRate) / 1_000 / Math.max(1, pcm.length);
      if (this.#waiting.length > most) this.#waiting.shift();
      return;
    }
    const samples = this.#resampler.process(pcm);
    if (samples.length === 0) return;
    this.#link.send({ type: 'input-audio-append', audio: encodeAudio(this.format, samples) });
  }

  #tellMute(): void {
    this.#link.send({ type: this.#isMuted ? 'input-audio-mute' : 'input-audio-unmute' });
  }

  /** Keeps the clock of the session going, and finds one that answers nothing. */
  #tick(): void {
    const now = performance.now();
    if (!this.#isReady) return;
    if (now - this.#wroteAt >= 2 * PACE_MS) {
      this.#send(new Int16Array((this.sampleRate * PACE_MS) / 1_000));
      this.#wroteAt += PACE_MS;
    }
    const { answerTimeoutMs, isReplaceable } = this.options;
    this.#quietTicks += 1;
    const hasStopped = isReplaceable && this.#gotMs > 0 && this.#quietTicks * PACE_MS > HANG_MS;
    if (!hasStopped && now - this.#heardAt < answerTimeoutMs) return;
    this.#silent += 1;
    const words = `no sound for ${Math.round(now - this.#heardAt)} ms`;
    if (isReplaceable || this.#silent > 1) this.#refuse(this.#link.failure(words));
    else this.#renew(words);
  }

  #renew(words: string): void {
    this.#isReady = false;
    this.#link.renew(this.#link.failure(words));
  }

  #refuse(failure: ProviderError): void {
    this.#link.close();
    this.#giveUp(failure.asFinal());
  }

  #giveUp(error: ProviderError): void {
    if (this.#isOver) return;
    this.#usage.ended();
    this.#isOver = true;
    this.#isReady = false;
    clearInterval(this.#pace);
    this.listener.troubled(error);
  }
}

/** What a session is told before it begins: its task, and what was said before. */
function briefing(context: LLMContext | undefined) {
  const messages = context?.messages ?? [];
  const spoken = messages.findIndex(({ role }) => role !== 'system');
  const first = spoken < 0 ? messages : messages.slice(0, spoken);
  const rest = spoken < 0 ? [] : messages.slice(spoken);
  const input = rest.flatMap((message) => {
    if (message.role === 'tool') {
      const told = message.results.map(({ name, output }) => `${name} has returned ${JSON.stringify(output)}`);
      return [inputOf('developer', told.join('\n'))];
    }
    const role = message.role === 'system' ? 'developer' : message.role;
    return message.content ? [inputOf(role, message.content)] : [];
  });
  const instructions = first.map((message) => ('content' in message ? message.content : '')).join('\n\n');
  return { instructions, input: input.slice(-MOST_MESSAGES) };
}

const inputOf = (role: 'developer' | 'user' | 'assistant', text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
