import { type OptionNames, refuseUnknownOptions } from '../../base/names/option-names.js';
import { defineTool, type Tool } from './tool.js';

/** What {@link endCallTool} says, and when the model uses it. */
export interface EndCallToolOptions {
  /** Tells the model when to end the call. Default: when the caller has said goodbye or wants nothing more. */
  description?: string | undefined;
  /** Said before the end, unless the model has said goodbye in its own words. Default: nothing. */
  goodbye?: string | undefined;
  /** What the model calls it. Default `end_call`. */
  name?: string | undefined;
}

const OPTIONS: OptionNames<EndCallToolOptions> = { description: true, goodbye: true, name: true };

/** Longest a goodbye may take, in milliseconds. */
const GOODBYE_LIMIT_MS = 60_000;

/**
 * A function with which the model ends the call, when what it has said is over. A caller who speaks over the goodbye before
 * all of it has been made keeps the call.
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is not known
 */
export function endCallTool(options: EndCallToolOptions = {}): Tool {
  refuseUnknownOptions(options, OPTIONS);
  const { description, goodbye, name = 'end_call' } = options;
  return defineTool({
    name,
    description:
      description ??
      'Ends the call. Call it when the caller has said goodbye or needs nothing more; say goodbye in the same answer.',
    parameters: { type: 'object', properties: {} },
    timeoutMs: GOODBYE_LIMIT_MS,
    sayWhileRunning: goodbye,
    async execute(_input, { spoken, endCall, signal }) {
      await spoken();
      if (!signal.aborted) endCall();
      return { ended: true };
    },
  });
}
