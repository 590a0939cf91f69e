import * as ai from 'ai';
import { z } from 'zod';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import { toModelTools } from '../../../../src/bot/services/llm/model-tools.js';

const shape = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] } as const;
const weather = { description: 'Tells the weather.', execute: () => 'rain' };

test.each([
  ['a zod schema', defineTool({ ...weather, name: 'weather', parameters: z.object({ place: z.string() }) })],
  ['a JSON Schema', defineTool({ ...weather, name: 'weather', parameters: shape })],
])('a model is shown the same of %s', async (_, tool) => {
  const tools = await toModelTools(ai, [tool]);
  expect(tools?.weather).toMatchObject({ description: 'Tells the weather.', inputSchema: { jsonSchema: shape } });
});
