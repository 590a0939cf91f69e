import { ControlFrame, DataFrame, SystemFrame } from './frame.js';
import type { LLMMessage, ToolCall, ToolResult } from './llm-messages.js';
import type { ModelResponse } from './turn.js';

/** Adds messages to the conversation's context; `run` asks the model for an answer to them. */
export class LLMMessagesAppendFrame extends ControlFrame {
  constructor(
    readonly messages: readonly LLMMessage[],
    readonly run = false,
  ) {
    super();
  }
}

/** Asks the model for an answer to the context as it is. While the caller speaks it waits for the end of their turn. */
export class LLMRunFrame extends ControlFrame {}

/** The model begins to answer. Every such frame is followed by exactly one end, unless an interruption comes between. */
export class LLMResponseStartFrame extends DataFrame {
  constructor(readonly response: ModelResponse) {
    super();
  }
}

/** The next piece of an answer: a token or some, as they arrive. */
export class LLMTextFrame extends DataFrame {
  constructor(
    readonly response: ModelResponse,
    readonly text: string,
  ) {
    super();
  }
}

/** The model has said all of this answer; what it wants called follows. */
export class LLMResponseEndFrame extends DataFrame {
  constructor(readonly response: ModelResponse) {
    super();
  }
}

/** Functions begin to run. Travels both ways. */
export class FunctionCallsStartedFrame extends SystemFrame {
  /** @param mutesCaller what the caller says meanwhile does not count */
  constructor(
    readonly calls: readonly ToolCall[],
    readonly mutesCaller: boolean,
  ) {
    super();
  }
}

/** The same functions have all returned, failed, run out of time or been cancelled. Travels both ways. */
export class FunctionCallsEndedFrame extends SystemFrame {
  constructor(readonly results: readonly ToolResult[]) {
    super();
  }
}
