/** Tokens of one answer. */
export interface FakeModelUsage {
  readonly input: number;
  readonly cached?: number | undefined;
  readonly output: number;
}

/** What a fake model answers to one request. Times are milliseconds. */
export interface FakeModelReply {
  /** What it says. A string is sent word by word; a list as its pieces. */
  readonly text?: string | readonly string[] | undefined;
  /** The functions it wants called, after the text. An input that is a string is sent as it stands, JSON or not. */
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly input: unknown }> | undefined;
  /** What it says that it charges for the whole answer, in tokens; the cached ones are some of the input. Default: none. */
  readonly usage?: FakeModelUsage | undefined;
  /** Wait before the first byte of the answer. Default 0. */
  readonly delayMs?: number | undefined;
  /** Wait before each further piece of the text. Default 0. */
  readonly tokenDelayMs?: number | undefined;
  /** Refuses the request with this HTTP status and {@link error}. */
  readonly status?: number | undefined;
  /** With {@link status}: after how many seconds the client may ask again, as `Retry-After`. */
  readonly retryAfterS?: number | undefined;
  /** The provider's words: of the refusal, or, without a status, of an error in the stream after the text. */
  readonly error?: string | undefined;
  /** Breaks the connection after so many pieces of the text. */
  readonly breakOffAfter?: number | undefined;
  /** Sends what there is of the text, and then nothing more, not even the end. */
  readonly hang?: true | undefined;
}

/** One message as the model was sent it, whichever of the two wires it came by. */
export interface FakeModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** What the assistant wanted called. */
  readonly toolCalls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly input: unknown }>;
  /** The call that a tool's message answers. */
  readonly toolCallId?: string | undefined;
}

/** A request that a fake model was sent. */
export interface FakeModelRequest {
  /** `/v1/chat/completions` or `/v1/responses`. */
  readonly path: string;
  /** All fields as they came. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly messages: readonly FakeModelMessage[];
  /** Names of the functions that were offered. */
  readonly tools: readonly string[];
  /** When its last byte came in, in `performance.now()` milliseconds. */
  readonly receivedAt: number;
  /** When the client broke it off before its end, in `performance.now()` milliseconds. */
  readonly abortedAt: number | undefined;
  /** Resolves when it is over: true when the client broke it off. */
  readonly ended: Promise<boolean>;
}

/** The pieces a reply's text is sent in. */
export function piecesOf({ text = [] }: FakeModelReply): readonly string[] {
  return typeof text === 'string' ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) : text;
}
