import * as filters from '../../../src/audio/polyphase-filter.js';
import { rehearseStream } from '../../../src/transports/stream/rehearsal.js';

test('takes frames in and out at every usual rate, says nothing, and is over', async () => {
  const problems = jest.spyOn(console, 'error');
  await rehearseStream();
  expect(problems).not.toHaveBeenCalled();
  const cached = filters.polyphaseFilter(8_000, 24_000);
  expect(filters.polyphaseFilter(8_000, 24_000)).toBe(cached);
});
