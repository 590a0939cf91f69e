/** What the scripted model answers: text, functions that it calls, or both. */
export interface ModelReply {
  /** The bot says it. */
  say?: string;
  /** Functions by name, with their inputs. */
  call?: Readonly<Record<string, unknown>>;
  /** How long it thinks before the first word. Default `0ms`. */
  thinks?: `${number}s` | `${number}ms`;
}

/** What the bot asks its model. */
export interface ModelQuestion {
  /** The conversation as the model sees it, oldest first; the system prompt is its first message. */
  readonly messages: readonly ModelMessage[];
  /** The functions that it may call. */
  readonly tools: readonly string[];
  /** How often the model was asked in this call, from 1; a question that replaces the one before has its number. */
  readonly no: number;
  /** Whether it replaces the one before: that one was asked while it was open whether the caller goes on, or it failed. */
  readonly replaces: boolean;
}

/** A message of the context. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Its words; of a `tool` the result, as text. */
  readonly text: string;
  /** Of a `tool` message, the function; of an `assistant`, the functions that it has called. */
  readonly tools?: readonly string[];
  /** Of a `tool` message: what each of its functions has given, in the order of {@link tools}; of one that has failed, the error's words. */
  readonly results?: ReadonlyArray<{ readonly name: string; readonly value: unknown }>;
}

/** A model in code: in a scenario in TypeScript. `undefined`: the stand-in answers. */
export type ModelScript = (request: ModelQuestion) => ModelReply | undefined | Promise<ModelReply | undefined>;
