import { createOpenAI } from '@ai-sdk/openai';
import 'ai'; // beforehand: while Node reads files, a hasty clock runs ahead
import { endCallTool } from '../../../../src/bot/conversation/end-call-tool.js';
import { defineTool, type ToolContext } from '../../../../src/bot/conversation/tool.js';
import { type Frame, type FrameDirection, TTSSpeakFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import { FakeLanguageModel, type FakeModelScript } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { LiveStage } from './live-stage.js';

hurried();

const PARAMETERS = { type: 'object', properties: {} } as const;

/** A voice that has nothing to say. */
class Voice extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame) frame.settle();
    else this.push(frame, direction);
  }
}

/** A call with a model that hands over what the caller has asked for. */
async function callOf(delegate: FakeModelScript, execute: (context: ToolContext) => unknown, voice?: FrameProcessor) {
  const far = await FakeLanguageModel.start({ replies: delegate });
  const llm = new LLMService({ model: createOpenAI({ apiKey: 'k', baseURL: far.url }).chat('gpt-4.1-mini') });
  const tools = [
    defineTool({
      name: 'work',
      description: 'Works.',
      parameters: PARAMETERS,
      execute: (_, context) => execute(context),
    }),
    endCallTool(),
  ];
  const fake = { texts: ['Do it.'], replies: { delegates: true } as const };
  const stage = await LiveStage.continuous({ fake, conversation: { tools }, ...(voice && { voice }) }, llm);
  stage.join();
  stage.speak(600);
  return {
    stage,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await far[Symbol.asyncDispose]();
    },
  };
}

const work = { toolCalls: [{ name: 'work', input: {} }] };
const end = { toolCalls: [{ name: 'end_call', input: {} }] };

describe('functions of a live model that takes its turns itself', () => {
  test('what a function wants said is heard before it goes on', async () => {
    let heard: string[] | undefined;
    const execute = async ({ say }: ToolContext) => {
      await say('I will connect you.');
      heard = call.stage.fake.session.items.map(({ text }) => text);
    };
    await using call = await callOf([work, { text: ['Done.'] }], (context) => execute(context));
    await call.stage.says('Done.');
    expect(heard).toContain('I will connect you.');
  });

  test('a function that waits for what was said waits for what the model was given to say, and no longer', async () => {
    let heard: string[] | undefined;
    const execute = async ({ spoken }: ToolContext) => {
      await spoken();
      heard = call.stage.fake.session.items.map(({ text }) => text);
      await spoken();
    };
    await using call = await callOf([{ ...work, text: ['I look that up.'] }, { text: ['Done.'] }], (context) =>
      execute(context),
    );
    await call.stage.says('Done.');
    expect(heard).toContain('I look that up.');
    expect(call.stage.fake.session.context.map(({ content }) => content)).toEqual(['I look that up.', 'Done.']);
  });

  test.each([
    ['', undefined],
    [', and a voice stands beside the model', new Voice()],
  ])('what the delegate says is heard before its function ends the call%s', async (_, voice) => {
    await using call = await callOf([{ ...end, text: ['Your cake is baked. Goodbye!'] }], () => {}, voice);
    await call.stage.until(() => call.stage.hungUp, 'the call is over');
    expect(call.stage.told.join(' ')).toContain('Your cake is baked. Goodbye!');
  });
});
