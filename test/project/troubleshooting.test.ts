import { lineOf } from '../../src/call/turn-report.js';
import { filesIn, read } from './repository.js';

const page = read('docs/troubleshooting.md');

/** What the page says that the terminal shows: the code in the first cells of its tables, without names and commands. */
const quotes = page
  .split(/^\| You see .*$/m)
  .slice(1)
  .flatMap((table) => [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (.*?) \|/gm)])
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
  .flatMap(([, code = '']) => (code.includes(' ') && !code.startsWith('npx ') ? [code] : []));

test('what the page has the reader look for is what voicebot writes', () => {
  const sources = filesIn('src', '.ts').map(read).join('\n');
  expect(quotes.length).toBeGreaterThan(30);
  expect(quotes.filter((quote) => !quote.split('…').every((piece) => sources.includes(piece)))).toEqual([]);
});

test('the times of a turn are written as in the page', () => {
  const line = lineOf({
    turn: 1,
    since: 'caller_stopped',
    finalTranscriptMs: 199,
    modelRequestedMs: 502,
    firstTokenMs: 793,
    speechRequestedMs: 840,
    firstAudioMs: 1_096,
    firstReleasedMs: 1_097,
    wasInterrupted: false,
  });
  expect(page).toContain(`\n${line}\n`);
});
