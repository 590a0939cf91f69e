import type { DoNotCallOutcome } from '../../call/do-not-call.js';
import { doNotCallNote } from './do-not-call-note.js';
import { defineTool, type Tool } from './tool.js';

export interface DoNotCallTool {
  /** What the model calls it. */
  readonly name: string;
  readonly description: string | undefined;
  /** The other party hears what became of it without the model. */
  readonly isTold: boolean;
  /** Puts the other party on the list. Never rejects. */
  list(): Promise<DoNotCallOutcome>;
}

/** Longest that writing it down and telling it may take, in milliseconds. */
const LIMIT_MS = 60_000;

/** A function with which the model puts the other party's number on the do-not-call list. */
export const doNotCallTool = ({ name, description, isTold, list }: DoNotCallTool): Tool =>
  defineTool({
    name,
    description:
      description ??
      'Puts the number of the person on the line on the do-not-call list. Call it as soon as they say in any way that they do not want to be called again; do not confirm it before it has returned.',
    parameters: { type: 'object', properties: {} },
    timeoutMs: LIMIT_MS,
    survivesInterruption: true,
    async execute() {
      const outcome = await list();
      return { outcome, note: doNotCallNote(outcome, isTold) };
    },
  });
