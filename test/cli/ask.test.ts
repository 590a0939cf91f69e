import type { Environment } from '../../src/config/environment.js';
import { ask, processContext } from '../../src/terminal/context.js';
import { StoppedBySignal } from '../../src/terminal/signals.js';
import { Keyboard, Screen } from './keyboard.js';

function terminal(environment: Environment = {}) {
  const keyboard = new Keyboard();
  const screen = new Screen();
  const own = { stdin: keyboard, stdout: new Screen(), stderr: screen } as unknown as NodeJS.Process;
  return { keyboard, screen, context: processContext(own, environment) };
}

test('asks the person at the terminal, and takes the answer without spaces around it', async () => {
  const { context, keyboard, screen } = terminal();
  const answer = ask(context, 'Folder: ');
  await keyboard.type(' ', 'm', 'e', ' ', '\r');
  expect(await answer).toBe('me');
  expect(screen.shown).toContain('Folder: ');
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s at a question ends the command as a signal does: 130, and nothing to print', async (_name, key) => {
  const { context, keyboard } = terminal();
  const left = ask(context, 'Folder: ').catch((thrown: unknown) => thrown);
  await keyboard.type(key);
  const error = await left;
  expect(error).toBeInstanceOf(StoppedBySignal);
  expect(error).toMatchObject({ exitCode: 130 });
});

test.each([
  ['1', true],
  ['true', true],
  ['false', false],
  ['0', false],
  ['', false],
  [undefined, false],
])('with CI=%s nobody is asked: %s', async (CI, isNobodyThere) => {
  expect(terminal({ CI }).context.keyboard === undefined).toBe(isNobodyThere);
});

test('a question to nobody has no answer', async () => {
  const { context, screen } = terminal({ CI: '1' });
  expect(await ask(context, 'Folder: ')).toBeUndefined();
  expect(screen.shown).toBe('');
});
