/** What a fake live model does in one of its turns. Times are milliseconds. */
export interface FakeLiveReply {
  /** What it says. By default every character is 60 ms of a tone. */
  readonly text?: string | undefined;
  /** The functions that it wants called, after the text. An input that is a string is sent as it stands, JSON or not. */
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly input: unknown }> | undefined;
  /** Hands work to the client, after the text; of continuous models only. */
  readonly delegates?: true | undefined;
  /** Wait before the first audio. Default: {@link FakeLiveOptions.delayMs}. */
  readonly delayMs?: number | undefined;
  /** It fails, after its text if it has one, with these words of the provider's, such as `rate_limit_exceeded`. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** Sends what there is of the text, and then nothing more, not even the end. */
  readonly hang?: true | undefined;
  /** The connection breaks, after so much audio of the text. */
  readonly dropAfterMs?: number | undefined;
}

/** What one item of the conversation is, as the model remembers it. */
export interface FakeLiveItem {
  readonly id: string;
  readonly type: 'message' | 'function_call' | 'function_call_output';
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /**
   * What was said, as far as the model remembers it: of a message that was truncated the characters that are whole in the
   * audio that it kept. Of a function the JSON of its input, of its result the result.
   */
  readonly text: string;
  /** Audio that the model remembers, in milliseconds; 0 for what was written. */
  readonly audioMs: number;
  readonly isTruncated: boolean;
  /** Of functions and their results. */
  readonly callId?: string | undefined;
  readonly name?: string | undefined;
}

/** What a turn of the model is made from. */
export interface FakeLiveMoment {
  /** What the model remembers, oldest first. */
  readonly items: readonly FakeLiveItem[];
  /** The instructions that hold for this turn. */
  readonly instructions: string;
  /** Names of the functions that were offered. */
  readonly tools: readonly string[];
  /** Turns of the model before this one, in all sessions. */
  readonly count: number;
}

/** What the model says: the same in every turn; a list, in order, whose last is then repeated; or what a function decides. */
export type FakeLiveScript = FakeLiveReply | readonly FakeLiveReply[] | ((moment: FakeLiveMoment) => FakeLiveReply);

/** How a fake live model behaves. */
export interface FakeLiveOptions {
  /** What it does, turn by turn. Default: it says `Yes.` */
  replies?: FakeLiveScript;
  /**
   * What the caller says: one text for each turn of the caller, as its transcript. A function is asked once for each
   * session. Default: nothing is understood, and the model answers all the same.
   */
  texts?: readonly string[] | ((session: number) => readonly string[]);
  /** What it does when it is given an instruction in mid-session; of continuous models only. Default: nothing. */
  instructed?: (content: string) => FakeLiveReply | undefined;
  /** The one key that is accepted. Default: any. */
  apiKey?: string;
  /** Wait before the first audio of an answer, in milliseconds. Default 0. */
  delayMs?: number;
  /** Wait before the transcript of what the caller said, in milliseconds. Default 0. */
  transcriptDelayMs?: number;
  /** Time from one word of such a transcript to the next, where they are told word by word, in milliseconds. Default 0. */
  interimMs?: number;
  /** Time that each message is on its way, to the model and from it, in milliseconds. Default 0. */
  latencyMs?: number;
  /** How long a character is spoken, in milliseconds. Default 60. */
  characterMs?: number;
  /** Makes the audio of a text. Default: a tone, so long that every character lasts `characterMs`. */
  audio?: (text: string, sampleRate: number) => Int16Array;
  /** Time between two messages, each with 100 ms of audio, in milliseconds. Default 20: five times faster than real time. */
  betweenChunksMs?: number;
  /** Silence that ends a turn of the caller, in milliseconds. Default: what the client asks for, else the provider's. */
  silenceMs?: number;
  /** Longest session, in milliseconds. Default: the provider's. */
  sessionLimitMs?: number;
}

/** The script as a function, for all sessions of one provider. */
export function playScript(script: FakeLiveScript = { text: 'Yes.' }): (moment: FakeLiveMoment) => FakeLiveReply {
  if (typeof script === 'function') return script;
  if (!Array.isArray(script)) return () => script as FakeLiveReply;
  const replies = script as readonly FakeLiveReply[];
  return ({ count }) => replies[count] ?? replies.at(-1) ?? {};
}
