import { createOpenAI } from '@ai-sdk/openai';
import { Pipeline, PipelineTask, type RunnerArguments } from 'voicebot';
import {
  Conversation,
  defineTool,
  energyDetector,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  LLMContextFrame,
  type Turn,
  type TurnTimes,
} from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { z } from 'zod';
import { commonNow, commonTime } from '../processes/clock.js';
import { openTransport } from './pipeline-on.js';

/** Times are of the clock that all processes have in common, in milliseconds. */
export interface DecidedTurn extends TurnTimes {
  /** The caller has finished, and the model is about to be asked. */
  readonly decided: number;
}

/** What has happened in all calls since it was last taken. */
export const happened: { turns: DecidedTurn[]; bargeIns: number[] } = { turns: [], bargeIns: [] };

await LLMService.load();
const isHasty = process.env.BENCH_HASTY === 'true';
const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseURL = '' } = process.env;
const openai = createOpenAI({ apiKey, baseURL });

const openingHours = defineTool({
  name: 'opening_hours',
  description: 'Tells when the bakery is open.',
  parameters: z.object({ day: z.string() }),
  execute: () => 'seven to six',
});

/** Stands between the conversation and the model. */
class TurnWatch extends FrameProcessor {
  readonly #decidedAt = new Map<Turn, number>();

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof LLMContextFrame) this.#decidedAt.set(frame.turn, commonNow());
    this.push(frame, direction);
  }

  /** Tells of a turn that is over. */
  over(id: number): void {
    for (const [turn, decided] of this.#decidedAt) {
      if (turn.id !== id) continue;
      const times = Object.entries(turn.times).map(([step, at]) => [step, commonTime(at)]);
      happened.turns.push({ decided, ...Object.fromEntries(times) });
      this.#decidedAt.delete(turn);
    }
  }
}

/** A conversation with everything a bot has. In haste, no longer than its options allow is waited for what the caller may yet say. */
export async function bot(args: RunnerArguments): Promise<void> {
  const transport = await openTransport(args, 'Converser');
  const conversation = new Conversation({
    system: 'You answer the telephone of a bakery. One or two short sentences at a time.',
    greeting: 'Hello, this is the bakery. How can I help you?',
    tools: [openingHours],
    log: () => {},
    ...(isHasty && {
      turns: { silenceMs: 100 },
      bargeIn: { minSpeechMs: 100 },
      detector: energyDetector({ hangoverMs: 50 }),
    }),
  });
  const watch = new TurnWatch();
  conversation.on('turn', ({ turn }) => watch.over(turn));
  conversation.on('interrupted', () => happened.bargeIns.push(commonNow()));
  conversation.on('failed', (error) => console.error(error));
  const pipeline = new Pipeline([
    transport.input(),
    new DeepgramSTT(),
    conversation.user(),
    watch,
    new LLMService({ model: openai.chat('fake') }),
    new CartesiaTTS(),
    transport.output(),
    conversation.assistant(),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal, idleTimeoutMs: 0 }).run();
}
