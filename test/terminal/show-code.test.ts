import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { outputOf, processContext } from '../../src/terminal/context.js';
import { errorDocs } from '../../src/terminal/error-docs.js';
import { Output } from '../../src/terminal/output.js';
import { showCode } from '../../src/terminal/show-code.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { readAll } from './read-all.js';

const ADDRESS = errorDocs('VB_PORT_IN_USE');
const { FORCE_HYPERLINK } = process.env;

afterEach(() => {
  delete process.env.FORCE_HYPERLINK;
  if (FORCE_HYPERLINK !== undefined) process.env.FORCE_HYPERLINK = FORCE_HYPERLINK;
});

/** What is shown of a code. @param isForced whether the terminal makes links, as the environment says; undefined: says nothing */
async function shown(isTTY: boolean, isForced: boolean | undefined, directory = PACKAGE_ROOT): Promise<string> {
  delete process.env.FORCE_HYPERLINK;
  if (isForced !== undefined) process.env.FORCE_HYPERLINK = isForced ? '1' : '0';
  const stderr = new PassThrough();
  const environment = { NO_COLOR: '1' };
  const context = { ...processContext(), stdout: new PassThrough(), stderr: Object.assign(stderr, { isTTY }) };
  const here = { ...context, environment, directory };
  await showCode('VB_PORT_IN_USE', await outputOf(here), here);
  return readAll(stderr);
}

test('the address of a code is that of a file that is there, and its section', () => {
  const { hash } = new URL(ADDRESS);
  expect(hash).toBe('#vb_port_in_use');
  expect(existsSync(fileURLToPath(ADDRESS))).toBe(true);
});

test('a terminal that makes links gets one', async () => {
  expect(await shown(true, true)).toBe(`  \u001b]8;;${ADDRESS}\u001b\\VB_PORT_IN_USE\u001b]8;;\u001b\\\n`);
});

test('another terminal shows the path, from the working directory or from the root, whichever is shorter', async () => {
  expect(await shown(true, false)).toBe('  VB_PORT_IN_USE: docs/errors.md#vb_port_in_use\n');
  const far = await shown(
    true,
    false,
    '/a/folder/that/is/a/very/long/way/down/below/the/root/of/this/machine/indeed/it/is',
  );
  expect(far).toBe(`  VB_PORT_IN_USE: ${PACKAGE_ROOT}docs/errors.md#vb_port_in_use\n`);
});

test('a file or a pipe gets the code alone', async () => {
  expect(await shown(false, undefined)).toBe('  VB_PORT_IN_USE\n');
});

test('what comes from outside cannot leave the text of a link', async () => {
  const stderr = new PassThrough();
  new Output({ stdout: new PassThrough(), stderr }).link('a\u001b]8;;http://evil\u001b\\b', ADDRESS);
  expect(readAll(stderr)).not.toContain('\u001b]8;;http');
});
