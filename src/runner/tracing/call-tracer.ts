import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import type { CallInfo } from '../../call/call.js';
import { type BotEntry, epochOf, type TimelineEvent, type TimelineStep } from '../../call/timeline.js';
import { requestAttributes, spanName, switchAttributes } from './gen-ai.js';
import { spanContextOf, traceparentOf } from './traceparent.js';

export type OpenTelemetry = typeof import('@opentelemetry/api');

type EntryOf<Type extends BotEntry['type']> = Extract<BotEntry, { type: Type }>;

export interface TracedCall {
  readonly call: CallInfo;
  readonly transport: 'carrier' | 'rooms';
  /** The span that the call's is to hang below. */
  readonly traceparent?: string | undefined;
  /** Whether spans may show what is said, what functions are given and return, and phone numbers. */
  readonly showsContent: boolean;
}

/** A span that others hang below. */
interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** The steps of a turn that are no spans of their own, as events of its span. */
const STEPS = { firstTokenMs: 'first_token', firstAudioMs: 'first_audio', firstReleasedMs: 'first_heard' } as const;

/**
 * Makes spans of what a bot notes of its call:
 *
 * ```
 * voicebot.call
 *   voicebot.setup
 *   voicebot.turn
 *     speech_to_text, chat, execute_tool, text_to_speech
 *   voicebot.transfer
 * ```
 *
 * Names follow the semantic conventions where there are some; what is ours begins with `voicebot.`.
 */
export class CallTracer {
  readonly #api: OpenTelemetry;
  readonly #tracer: Tracer;
  readonly #root: OpenSpan;
  readonly #id: string;
  readonly #showsContent: boolean;
  /** By what ends them. */
  readonly #open = new Map<string, OpenSpan>();
  readonly #services = new Map<string, EntryOf<'service'>>();

  /** The beginning of a call. @returns undefined when no SDK would take its spans */
  static begin(api: OpenTelemetry, call: TracedCall, at = epochOf(performance.now())): CallTracer | undefined {
    const tracer = new CallTracer(api, call, at);
    return api.isSpanContextValid(tracer.#root.span.spanContext()) ? tracer : undefined;
  }

  private constructor(api: OpenTelemetry, { call, transport, traceparent, showsContent }: TracedCall, at: number) {
    this.#api = api;
    this.#tracer = api.trace.getTracer('voicebot');
    this.#id = call.id;
    this.#showsContent = showsContent;
    const parent = traceparent === undefined ? undefined : spanContextOf(traceparent);
    this.#root = this.#start(
      'voicebot.call',
      {
        kind: api.SpanKind.SERVER,
        attributes: {
          'voicebot.call.direction': call.direction,
          'voicebot.call.attempt': call.attempt,
          'voicebot.transport': transport,
          ...this.#content(() => ({ 'voicebot.call.from': call.from, 'voicebot.call.to': call.to })),
        },
      },
      at,
      parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT,
    );
    this.#begin('setup', 'voicebot.setup', {}, at);
  }

  /** By this, other processes continue the trace. */
  get traceparent(): string {
    return traceparentOf(this.#root.span.spanContext());
  }

  /** Does work whose spans hang below the call's. */
  run<Result>(work: () => Result): Result {
    return this.#api.context.with(this.#root.context, work);
  }

  /** Does work whose spans hang below that of a request to the model, or of a function call. */
  during<Result>(step: TimelineStep, work: () => Result): Result {
    const open = this.#open.get('call' in step ? `tool ${step.call}` : `model ${step.response}`);
    return open ? this.#api.context.with(open.context, work) : work();
  }

  note({ at, ...entry }: TimelineEvent): void {
    switch (entry.type) {
      case 'service':
        this.#services.set(entry.does, entry);
        break;
      case 'service_switched':
        this.#switched(entry, at);
        break;
      case 'caller_joined':
        this.#end('setup', at);
        break;
      case 'turn_started':
        this.#turnStarted(entry, at);
        break;
      case 'turn_ended':
        this.#turnEnded(entry, at);
        break;
      case 'model_asked':
        this.#modelAsked(entry, at);
        break;
      case 'model_answered':
        this.#modelAnswered(entry, at);
        break;
      case 'tool_called':
        this.#toolCalled(entry, at);
        break;
      case 'tool_returned':
        this.#toolReturned(entry, at);
        break;
      case 'voice_asked':
        this.#voiceAsked(entry, at);
        break;
      case 'voice_answered':
        this.#voiceAnswered(entry, at);
        break;
      case 'transfer_asked':
        this.#transferAsked(entry, at);
        break;
      case 'transfer_over':
        this.#transferOver(entry, at);
        break;
      case 'said':
        this.#said(entry, at);
        break;
    }
  }

  /** The bot is done with the call. @param errorType of what class of errors it has failed */
  end(errorType?: string, at = epochOf(performance.now())): void {
    for (const { span } of this.#open.values()) span.end(at);
    this.#open.clear();
    const { span } = this.#root;
    if (errorType !== undefined) this.#fail(span, errorType);
    span.end(at);
  }

  #switched(entry: EntryOf<'service_switched'>, at: number): void {
    const { does, to } = entry;
    this.#services.set(does, { type: 'service', does, ...to });
    this.#root.span.addEvent('voicebot.service_switched', switchAttributes(entry), at);
  }

  #turnStarted({ turn, startedAt, finalTranscriptMs }: EntryOf<'turn_started'>, at: number): void {
    const from = startedAt ?? at;
    this.#begin(`turn ${turn}`, 'voicebot.turn', { attributes: { 'voicebot.turn.number': turn } }, from);
    if (finalTranscriptMs === undefined) return;
    const { provider, model } = this.#services.get('speech_to_text') ?? {};
    const attributes = requestAttributes('speech_to_text', { provider, model });
    const options = { kind: this.#api.SpanKind.CLIENT, attributes };
    const { span } = this.#start(spanName('speech_to_text', model), options, from, this.#turn(turn));
    span.end(from + finalTranscriptMs);
  }

  #turnEnded(entry: EntryOf<'turn_ended'>, at: number): void {
    const { turn, since, startedAt, wasInterrupted, firstReleasedMs } = entry;
    const span = this.#open.get(`turn ${turn}`)?.span;
    for (const [step, name] of Object.entries(STEPS) as Array<[keyof typeof STEPS, string]>) {
      const ms = entry[step];
      if (ms !== undefined) span?.addEvent(`voicebot.${name}`, startedAt + ms);
    }
    span?.setAttributes({
      'voicebot.turn.since': since,
      'voicebot.turn.interrupted': wasInterrupted,
      ...(firstReleasedMs !== undefined && { 'voicebot.turn.time_to_first_audio': firstReleasedMs / 1_000 }),
    });
    this.#end(`turn ${turn}`, at);
  }

  #modelAsked({ turn, response, model, provider }: EntryOf<'model_asked'>, at: number): void {
    const attributes = requestAttributes('chat', { provider, model });
    const options = { kind: this.#api.SpanKind.CLIENT, attributes };
    this.#begin(`model ${response}`, spanName('chat', model), options, at, this.#turn(turn));
  }

  #modelAnswered(entry: EntryOf<'model_answered'>, at: number): void {
    const { response, firstTokenMs, inputTokens, outputTokens, finishReason, error, errorType = '_OTHER' } = entry;
    const span = this.#open.get(`model ${response}`)?.span;
    span?.setAttributes({
      ...(firstTokenMs !== undefined && { 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1_000 }),
      ...(inputTokens !== undefined && { 'gen_ai.usage.input_tokens': inputTokens }),
      ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
      ...(finishReason !== undefined && { 'gen_ai.response.finish_reasons': [finishReason] }),
    });
    this.#end(`model ${response}`, at, error === undefined ? undefined : errorType);
  }

  #toolCalled({ turn, call, name, input }: EntryOf<'tool_called'>, at: number): void {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': call,
      ...this.#content(() => ({ 'gen_ai.tool.call.arguments': JSON.stringify(input) })),
    };
    this.#begin(`tool ${call}`, spanName('execute_tool', name), { attributes }, at, this.#turn(turn));
  }

  #toolReturned({ call, output, isError, errorType = '_OTHER' }: EntryOf<'tool_returned'>, at: number): void {
    const span = this.#open.get(`tool ${call}`)?.span;
    span?.setAttributes(this.#content(() => ({ 'gen_ai.tool.call.result': JSON.stringify(output) })));
    this.#end(`tool ${call}`, at, isError ? errorType : undefined);
  }

  #voiceAsked({ utterance, turn }: EntryOf<'voice_asked'>, at: number): void {
    const { provider, model } = this.#services.get('text_to_speech') ?? {};
    const attributes = requestAttributes('text_to_speech', { provider, model });
    const options = { kind: this.#api.SpanKind.CLIENT, attributes };
    const parent = turn === undefined ? this.#active : this.#turn(turn);
    this.#begin(`voice ${utterance}`, spanName('text_to_speech', model), options, at, parent);
  }

  #voiceAnswered({ utterance, ms, firstAudioMs, outcome }: EntryOf<'voice_answered'>, at: number): void {
    const span = this.#open.get(`voice ${utterance}`)?.span;
    if (firstAudioMs !== undefined) span?.addEvent('voicebot.first_audio', at - ms + firstAudioMs);
    span?.setAttribute('voicebot.speech.cancelled', outcome === 'cancelled');
    this.#end(`voice ${utterance}`, at, outcome === 'failed' ? '_OTHER' : undefined);
  }

  #transferAsked({ to }: EntryOf<'transfer_asked'>, at: number): void {
    const attributes = this.#content(() => ({ 'voicebot.transfer.to': to }));
    const options = { kind: this.#api.SpanKind.CLIENT, attributes };
    this.#begin('transfer', 'voicebot.transfer', options, at, this.#active);
  }

  #transferOver({ status }: EntryOf<'transfer_over'>, at: number): void {
    const hasFailed = status !== 'answered' && status !== 'caller_left';
    this.#open.get('transfer')?.span.setAttribute('voicebot.transfer.status', status);
    this.#end('transfer', at, hasFailed ? status : undefined);
  }

  #said({ speaker, text }: EntryOf<'said'>, at: number): void {
    if (!this.#showsContent) return;
    this.#root.span.addEvent('voicebot.said', { 'voicebot.speaker': speaker, 'voicebot.text': text }, at);
  }

  /** Of what is going on where it is asked for: a function, or the call. */
  get #active(): Context {
    const active = this.#api.context.active();
    const { traceId } = this.#root.span.spanContext();
    return this.#api.trace.getSpanContext(active)?.traceId === traceId ? active : this.#root.context;
  }

  #turn(turn: number | undefined): Context {
    return this.#open.get(`turn ${turn}`)?.context ?? this.#root.context;
  }

  #begin(key: string, name: string, options: SpanOptions, at: number, parent = this.#root.context): void {
    this.#end(key, at);
    this.#open.set(key, this.#start(name, options, at, parent));
  }

  #start(name: string, options: SpanOptions, startTime: number, parent: Context): OpenSpan {
    const attributes = { 'gen_ai.conversation.id': this.#id, ...options.attributes };
    const span = this.#tracer.startSpan(name, { ...options, attributes, startTime }, parent);
    return { span, context: this.#api.trace.setSpan(parent, span) };
  }

  #end(key: string, at: number, errorType?: string): void {
    const span = this.#open.get(key)?.span;
    this.#open.delete(key);
    if (span && errorType !== undefined) this.#fail(span, errorType);
    span?.end(at);
  }

  #fail(span: Span, errorType: string): void {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
  }

  #content(attributes: () => Attributes): Attributes {
    return this.#showsContent ? attributes() : {};
  }
}
