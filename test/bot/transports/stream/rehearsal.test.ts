import * as filters from '../../../../src/base/audio/polyphase-filter.js';
import { rehearseStream } from '../../../../src/bot/transports/stream/rehearsal.js';
import { carriers } from '../../../../src/providers/registry/carriers.js';

const { CARRIER } = process.env;
afterEach(() => {
  if (CARRIER === undefined) delete process.env.CARRIER;
  else process.env.CARRIER = CARRIER;
});

test.each(Object.keys(carriers))(
  'takes frames of %s in and out at every usual rate, says nothing, and is over',
  async (name) => {
    process.env.CARRIER = name;
    const problems = jest.spyOn(console, 'error');
    await rehearseStream();
    expect(problems).not.toHaveBeenCalled();
    const cached = filters.polyphaseFilter(8_000, 24_000);
    expect(filters.polyphaseFilter(8_000, 24_000)).toBe(cached);
  },
);
