/** A process with hotkeys, for a test that is its terminal. */
import { Hotkeys } from '../../dist/terminal/hotkeys.js';

const keys = new Hotkeys(
  process.stdin,
  [
    { key: 'h', help: 'say hello', run: () => say('hello') },
    { key: 'd', help: 'ask', run: async () => say(`answer <${await keys.prompt('number? ')}>`) },
    { key: 'c', help: 'crash', run: () => setImmediate(() => Promise.reject(new Error('as ordered'))) },
    { key: 'q', help: 'close', run: () => keys.close() },
  ],
  { output: process.stderr, onError: (error) => say(error.message) },
);
const alive = setInterval(() => {}, 1_000);
process.once('SIGINT', () => {
  say('interrupted');
  keys.close();
  clearInterval(alive);
});
say(`active ${keys.isActive}`);
if (!keys.isActive) clearInterval(alive);

function say(line) {
  process.stderr.write(`${line}\n`);
}
