/** A function that the model wants called. */
export interface ToolCall {
  /** The model's own name for this call. */
  readonly id: string;
  readonly name: string;
  /** As the model gave it: not checked. */
  readonly input: unknown;
}

/** What became of a call; `output` can be written as JSON. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly output: unknown;
  readonly isError: boolean;
}

/** One entry of what a model is shown. */
export type LLMMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      /** Only what the caller has heard, once it has been said. May be empty when there are calls. */
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** The caller spoke over it: the rest was never heard. */
      readonly isInterrupted?: true;
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };
