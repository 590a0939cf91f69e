import { isBackchannel } from '../../src/call/backchannels.js';

test.each([
  'Uh-huh.',
  'mm',
  'Mhm, okay!',
  'Ja, genau',
  'sí',
  'Oui',
  'D’accord.',
  'I see, I see',
  'All right',
  'okay yeah',
])('is said by one who listens: %s', (text) => {
  expect(isBackchannel(text)).toBe(true);
});

test.each(['', '…', 'no', 'Okay, stop', 'I see a table', 'all', 'yes, on Sunday'])(
  'says something, or is nothing: "%s"',
  (text) => {
    expect(isBackchannel(text)).toBe(false);
  },
);
