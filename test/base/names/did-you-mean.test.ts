import { didYouMean } from '../../../src/base/names/did-you-mean.js';

const EVENTS = ['joined', 'participant_joined', 'dialin_ready', 'dialout_answered', 'dtmf', 'left'];

test.each([
  ['dialoutAnswered', 'dialout_answered'],
  ['dailin_ready', 'dialin_ready'],
  ['DTMF', 'dtmf'],
])('%s is taken for %s', (written, meant) => {
  expect(didYouMean(written, EVENTS)).toBe(`did you mean ${meant}?`);
});

test.each(['client_connected', 'x', '', '__proto__'])('%j is like none, and all are listed', (written) => {
  expect(didYouMean(written, EVENTS)).toBe(`there are ${EVENTS.join(', ')}`);
});
