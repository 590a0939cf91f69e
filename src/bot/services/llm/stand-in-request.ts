/** What is used of a request: the AI SDK's `LanguageModelV3CallOptions`. */
export interface StandInRequest {
  readonly prompt: ReadonlyArray<{ readonly role: string; readonly content: string | readonly StandInPart[] }>;
  readonly tools?: readonly StandInTool[] | undefined;
  readonly toolChoice?: { readonly type: string } | undefined;
  readonly abortSignal?: AbortSignal;
}

/** What a stand-in answers: the words, and then the functions that it wants called. */
export interface StandInReply {
  readonly text?: string | undefined;
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly input?: unknown }> | undefined;
  /** How long it takes to begin, in milliseconds. */
  readonly delayMs?: number | undefined;
}

export interface StandInPart {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly output?: { readonly type: string; readonly value?: unknown };
}

export interface StandInTool {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: StandInSchema;
}

/** What is understood of a JSON schema. */
export interface StandInSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StandInSchema>>;
  readonly items?: StandInSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly StandInSchema[];
  readonly minimum?: number;
}
