import { deferred } from '../../../src/base/async/deferred.js';
import { endCallTool } from '../../../src/bot/conversation/end-call-tool.js';
import { HandToolContext } from './hand-tool-context.js';

test('the call ends when what was said is on its way', async () => {
  const context = new HandToolContext();
  const speech = deferred();
  context.speech = speech.promise;
  const ending = endCallTool().execute({}, context);
  await Promise.resolve();
  expect(context.done).toEqual([]);
  speech.resolve();
  await ending;
  expect(context.done).toEqual(['spoken', 'ends the call: bot_ended']);
});

test('a caller who speaks over the goodbye keeps the call', async () => {
  const context = new HandToolContext();
  const speech = deferred();
  context.speech = speech.promise;
  const ending = endCallTool().execute({}, context);
  context.abort.abort();
  speech.resolve();
  await ending;
  expect(context.done).toEqual(['spoken']);
});

test('the goodbye is for a model that has said none, and names and words are the developer’s', () => {
  expect(endCallTool()).toMatchObject({ name: 'end_call', sayWhileRunning: undefined });
  const tool = endCallTool({ name: 'hang_up', description: 'Hangs up.', goodbye: 'Bye!' });
  expect(tool).toMatchObject({ name: 'hang_up', description: 'Hangs up.', sayWhileRunning: 'Bye!' });
  expect(tool.parameters).toEqual({ type: 'object', properties: {} });
});
