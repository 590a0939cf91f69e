import { PassThrough } from 'node:stream';
import { LastLine } from '../../src/terminal/last-line.js';
import { Output } from '../../src/terminal/output.js';
import { readAll } from './read-all.js';

/** A terminal of so many columns, with what stands in it: lines as a terminal shows them, the last one unfinished. */
function terminal(columns: number) {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns });
  const output = new Output({ stdout: new PassThrough(), stderr, canRewriteLines: true });
  let written = '';
  const screen = () => {
    written += readAll(stderr);
    return written.split('\n').map((line) => line.split('\r\u001b[2K').at(-1) ?? '');
  };
  const show = (heard: string, upcoming: string) =>
    output.rewrite({
      head: 'bot: ',
      heard,
      upcoming,
      paint: { head: (text) => text, upcoming: (text) => `<${text}>` },
    });
  return { output, screen, show, stderr };
}

test('a line is written again in its place, and what else is written stands above it', () => {
  const { output, screen, show } = terminal(80);
  show('', 'Good morning.');
  expect(screen()).toEqual(['bot: <Good morning.>']);
  show('Good ', 'morning.');
  output.line('a key was pressed');
  expect(screen()).toEqual(['a key was pressed', 'bot: Good <morning.>']);
  output.rewrite(undefined);
  output.line('bot: Good morning.');
  expect(screen()).toEqual(['a key was pressed', 'bot: Good morning.', '']);
});

test('in a narrow terminal it never breaks: words around the one that is heard are left', () => {
  const lines = [28, 12, 4, 1].map((columns) => {
    const { screen, show } = terminal(columns);
    show('one two three four five ', 'six seven eight nine ten');
    const [line = ''] = screen();
    expect(line.replace(/[<>]/g, '').length).toBeLessThan(columns);
    return line;
  });
  expect(lines[0]).toBe('bot: … four five <six …>');
});

test('wide characters count twice, and nothing of a text is obeyed', () => {
  const { screen, show } = terminal(14);
  show('', '東京東京東京');
  expect(screen()).toEqual(['bot: <東京東…>']);
  show('東京', '大阪');
  expect(screen()).toEqual(['bot: 東京<大阪>']);
  show('\u001b[2J', 'x');
  expect(screen().at(-1)).not.toContain('\u001b');
});

test('the same line is not written twice', () => {
  const { show, stderr, screen } = terminal(80);
  show('Good ', 'morning.');
  screen();
  show('Good ', 'morning.');
  expect(stderr.read()).toBeNull();
});

test('while something else writes the last line again, it is away', () => {
  const stream = new PassThrough();
  const line = new LastLine(stream);
  const parts = { head: '', heard: 'Good', upcoming: '', paint: { head: String, upcoming: String } };
  line.show(parts);
  const resume = line.pause();
  line.show({ ...parts, heard: 'Good morning.' });
  line.above('a line\n');
  expect(readAll(stream)).toBe('\r\u001b[2KGood\r\u001b[2Ka line\n');
  resume();
  expect(readAll(stream)).toBe('\r\u001b[2KGood morning.');
});

test('where lines cannot be written again, and for programs, nothing is shown', () => {
  for (const options of [{}, { canRewriteLines: true, json: true }]) {
    const stderr = new PassThrough();
    const output = new Output({ stdout: new PassThrough(), stderr, ...options });
    output.rewrite({ head: 'bot: ', heard: 'a', upcoming: 'b', paint: { head: String, upcoming: String } });
    expect(stderr.read()).toBeNull();
  }
});
