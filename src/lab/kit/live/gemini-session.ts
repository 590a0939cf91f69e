import type { WebSocket } from 'ws';
import { faultOf } from './check-fields.js';
import type { FakeLiveItem, FakeLiveReply } from './fake-live-reply.js';
import { type FakeFields, type FakeLiveFormat, FakeLiveSession, type FakeLiveSetting } from './fake-live-session.js';
import { FakeTurns } from './fake-turns.js';
import { GEMINI_MESSAGES, geminiFault } from './gemini-shapes.js';
import { GeminiTurn } from './gemini-turn.js';
import { toldWords } from './told-words.js';

const LONGEST_MS = 10 * 60_000;
const INVALID = 1007;
const POLICY = 1008;

interface GeminiSetup {
  readonly model: string;
  readonly systemInstruction?: { readonly parts?: ReadonlyArray<{ readonly text?: string }> };
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<{ readonly name: string }> }>;
  readonly realtimeInputConfig?: {
    readonly automaticActivityDetection?: { readonly disabled?: boolean; readonly silenceDurationMs?: number };
    readonly activityHandling?: string;
  };
  readonly sessionResumption?: { readonly handle?: string };
  readonly inputAudioTranscription?: object;
  readonly outputAudioTranscription?: object;
}

/** One session on Gemini's live wire. Its messages are JSON in binary frames, as the real ones. */
export class GeminiSession extends FakeLiveSession {
  /** What the client has set up. @internal */
  settings: GeminiSetup | undefined;
  #rate = 16_000;
  #turns: FakeTurns | undefined;
  readonly #items: FakeLiveItem[] = [];
  #turn: GeminiTurn | undefined;
  /** Functions whose results are awaited, by id. */
  readonly #calls = new Map<string, string>();
  #speechAtMs = 0;
  #ids = 0;

  constructor(
    socket: WebSocket,
    setting: FakeLiveSetting,
    private readonly number: number,
    private readonly resume: (handle: string) => readonly FakeLiveItem[] | undefined,
  ) {
    super(socket, setting);
  }

  override get items(): readonly FakeLiveItem[] {
    return this.#items;
  }

  /** Whether the model is in a turn. */
  get isResponding(): boolean {
    return this.#turn?.isOver === false;
  }

  /** With it another session goes on with this conversation. */
  get handle(): string {
    return `fake-handle-${this.number}`;
  }

  protected override get inputFormat(): FakeLiveFormat {
    return { type: 'audio/pcm', rate: this.#rate };
  }

  override open(): void {
    this.limitTo(LONGEST_MS);
  }

  /** Says that the connection ends soon. */
  goAway(timeLeftMs: number): void {
    this.send({ goAway: { timeLeft: `${timeLeftMs / 1_000}s` } });
  }

  override expire(): void {
    this.goAway(0);
    this.close(POLICY, 'The session has reached its longest time.');
  }

  protected override encode(message: string | FakeFields): Buffer {
    return Buffer.from(String(super.encode(message)));
  }

  protected override end(): void {
    this.#turn?.end();
  }

  protected override receiveNonsense(): void {
    this.close(INVALID, 'Invalid JSON payload received.');
  }

  protected override receive(fields: FakeFields): void {
    const fault = faultOf(fields, GEMINI_MESSAGES);
    if (fault) {
      this.close(INVALID, geminiFault(fault).slice(0, 120));
      return;
    }
    if (Object.keys(fields).length !== 1) {
      this.close(INVALID, 'Request contains an invalid argument.');
      return;
    }
    if ((fields.setup === undefined) !== (this.settings !== undefined)) {
      this.close(INVALID, 'setup must be the first message and only the first');
      return;
    }
    if (fields.setup) this.#setUp(fields.setup as unknown as GeminiSetup);
    else if (fields.realtimeInput) this.#take(fields.realtimeInput as FakeFields);
    else if (fields.clientContent) this.#takeContent(fields.clientContent as FakeFields);
    else this.#takeResults((fields.toolResponse as { functionResponses: FakeFields[] }).functionResponses);
  }

  #setUp(setup: GeminiSetup): void {
    const { handle } = setup.sessionResumption ?? {};
    const items = handle ? this.resume(handle) : [];
    if (!items) {
      this.close(POLICY, 'BidiGenerateContent session not found');
      return;
    }
    this.#items.push(...items);
    this.settings = setup;
    this.send({ setupComplete: {} });
    this.#tellHandle();
  }

  #tellHandle(): void {
    if (this.settings?.sessionResumption) {
      this.send({ sessionResumptionUpdate: { newHandle: this.handle, resumable: true } });
    }
  }

  #take({ audio, audioStreamEnd, text, activityStart, activityEnd }: FakeFields): void {
    const { automaticActivityDetection: detection } = this.settings?.realtimeInputConfig ?? {};
    if ((activityStart || activityEnd) && !detection?.disabled) {
      const reason = 'Explicit activity control is not supported when automatic activity detection is enabled.';
      this.close(INVALID, reason);
      return;
    }
    if (activityStart) this.#callerBegins(this.audioMs);
    if (audio) this.#hear(audio as { data: string; mimeType: string });
    if (activityEnd || (audioStreamEnd && this.#turns?.isSpeaking)) this.#callerEnds(this.audioMs);
    if (text === undefined) return;
    this.#remember({ role: 'user', text: String(text) });
    this.#turn?.interrupt();
    this.#respond();
  }

  #hear({ data, mimeType = '' }: { data: string; mimeType?: string }): void {
    const rate = Number(/^audio\/pcm;rate=(\d+)$/.exec(mimeType)?.[1] ?? (mimeType === 'audio/pcm' ? 16_000 : 0));
    if (rate > 0 && rate !== this.#rate) {
      this.#rate = rate;
      this.#turns = undefined;
    }
    const pcm = rate > 0 ? this.take(data) : undefined;
    if (!pcm) {
      this.close(INVALID, `Unsupported audio: ${mimeType}`);
      return;
    }
    const { automaticActivityDetection: detection } = this.settings?.realtimeInputConfig ?? {};
    this.#turns ??= new FakeTurns(this.#rate, this.options.silenceMs ?? detection?.silenceDurationMs ?? 500);
    for (const { type, atMs } of this.#turns.hear(pcm)) {
      if (detection?.disabled) continue;
      if (type === 'started') this.#callerBegins(atMs);
      else this.#callerEnds(atMs);
    }
  }

  #callerBegins(atMs: number): void {
    this.#speechAtMs = atMs;
    if (this.settings?.realtimeInputConfig?.activityHandling === 'NO_INTERRUPTION') return;
    this.#turn?.interrupt();
    if (this.#calls.size === 0) return;
    this.send({ toolCallCancellation: { ids: [...this.#calls.keys()] } });
    this.#calls.clear();
  }

  #callerEnds(atMs: number): void {
    const text = this.texts.shift() ?? '';
    this.#remember({ role: 'user', text, audioMs: Math.max(0, atMs - this.#speechAtMs) });
    if (this.settings?.inputAudioTranscription && text) {
      this.later(this.options.transcriptDelayMs ?? 0, () => this.#transcribe(text));
    }
    this.#respond();
  }

  #transcribe(text: string): void {
    for (const [word] of toldWords(text)) {
      this.send({ serverContent: { inputTranscription: { text: word } } });
    }
    this.send({ serverContent: { inputTranscription: { finished: true } } });
  }

  #takeContent({ turns = [], turnComplete }: FakeFields): void {
    for (const { role, parts } of turns as Array<{ role?: string; parts?: Array<{ text?: string }> }>) {
      const text = (parts ?? []).map((part) => part.text ?? '').join('');
      this.#remember({ role: role === 'model' ? 'assistant' : 'user', text });
    }
    this.#turn?.interrupt();
    if (turnComplete) this.#respond();
  }

  #takeResults(results: readonly FakeFields[]): void {
    for (const { id, response } of results) {
      const name = this.#calls.get(String(id));
      if (name === undefined) {
        this.close(INVALID, `There is no function call with id ${String(id)}.`);
        return;
      }
      if (typeof response !== 'object' || response === null || Array.isArray(response)) {
        this.close(INVALID, "Invalid value at 'tool_response.function_responses[0].response'");
        return;
      }
      this.#calls.delete(String(id));
      const text = JSON.stringify(response);
      this.#remember({ type: 'function_call_output', role: 'tool', text, callId: String(id), name });
    }
    if (this.#calls.size === 0) this.#respond();
  }

  /** The model takes a turn, once it has ended the one before. */
  #respond(): void {
    if (this.#turn && !this.#turn.isOver) this.#turn.interrupt();
    const { systemInstruction, tools = [], outputAudioTranscription } = this.settings as GeminiSetup;
    const instructions = (systemInstruction?.parts ?? []).map(({ text = '' }) => text).join('');
    const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
    const reply = this.nextReply({ items: this.items, instructions, tools: names });
    const stage = {
      tell: (serverContent: FakeFields, beside: FakeFields = {}) => this.send({ serverContent, ...beside }),
      speak: (text: string) => this.speak(text, { type: 'audio/pcm' as const, rate: 24_000 }),
      drop: () => this.dropConnection(),
      close: (code: number, reason: string) => this.close(code, reason),
      call: (calls: NonNullable<FakeLiveReply['toolCalls']>) => this.#call(calls),
      begin: (text: string, totalMs: number) => this.#begin(text, totalMs),
      isTranscribed: outputAudioTranscription !== undefined,
      delayMs: this.options.delayMs ?? 0,
      betweenChunksMs: this.options.betweenChunksMs ?? 20,
    };
    const turn = new GeminiTurn(stage, reply);
    this.#turn = turn;
    void turn.play().then(() => this.#tellHandle());
  }

  #call(calls: NonNullable<FakeLiveReply['toolCalls']>): void {
    const functionCalls = calls.map(({ name, input }) => {
      const id = this.#newId('function-call');
      this.#calls.set(id, name);
      const args = typeof input === 'string' ? JSON.parse(input) : (input ?? {});
      this.#remember({ type: 'function_call', role: 'assistant', text: JSON.stringify(args), callId: id, name });
      return { id, name, args };
    });
    this.send({ toolCall: { functionCalls } });
  }

  #begin(text: string, totalMs: number): (audioMs: number) => void {
    this.#remember({ role: 'assistant', text: '', isTruncated: true });
    const at = this.#items.length - 1;
    return (audioMs) => {
      const kept = text.slice(0, Math.floor((audioMs * text.length) / totalMs));
      this.#items[at] = { ...(this.#items[at] as FakeLiveItem), text: kept, audioMs, isTruncated: audioMs < totalMs };
    };
  }

  #remember(item: Partial<FakeLiveItem> & Pick<FakeLiveItem, 'role' | 'text'>): void {
    this.#items.push({ id: this.#newId('item'), type: 'message', audioMs: 0, isTruncated: false, ...item });
  }

  #newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}-fake${this.number}x${this.#ids}`;
  }
}
