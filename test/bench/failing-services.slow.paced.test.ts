import { failingCall } from '../../bench/failing/failing-call.js';
import { FAILURES } from '../../bench/failing/failing-services.js';

const MOMENTS = [...new Set(FAILURES.map(({ what, when }) => `${what} at the ${when}`))];

test.each(MOMENTS)(
  'with a second, every word is heard once when one fails: %s',
  async (moment) => {
    const failures = FAILURES.filter(({ what, when }) => `${what} at the ${when}` === moment);
    const heard = await Promise.all(failures.map((failure) => failingCall({ ...failure, hasSecond: true })));
    for (const [index, { lost, twice, isSorry }] of heard.entries()) {
      const { how } = failures[index] ?? {};
      expect({ how, lost, twice, isSorry }).toEqual({ how, lost: 0, twice: 0, isSorry: false });
    }
  },
  120_000,
);
