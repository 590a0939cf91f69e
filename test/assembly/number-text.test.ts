import { whoAnswers } from '../../src/assembly/number-text.js';

test.each([
  [{ webhookUrl: undefined, heldBy: undefined }, 'no server'],
  [{ webhookUrl: undefined, heldBy: 'application shop' }, 'application shop'],
  [{ webhookUrl: 'https://bot.example.com/answer', heldBy: undefined }, 'https://bot.example.com/answer'],
  [{ webhookUrl: 'sip:desk', heldBy: 'trunk' }, 'sip:desk (trunk)'],
])('says who answers: %j', (route, words) => {
  expect(whoAnswers(route)).toBe(words);
});

test('shows no password of an address', () => {
  const route = { webhookUrl: 'https://ada:opensesame@bot.example.com/answer', heldBy: undefined };
  expect(whoAnswers(route)).toBe('https://ada:***@bot.example.com/answer');
});

test('lets no name move the cursor of a terminal', () => {
  expect(whoAnswers({ webhookUrl: undefined, heldBy: 'desk \u001b[2J' })).toBe('desk ');
});
