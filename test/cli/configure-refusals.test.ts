/** What configure-number refuses before it asks any provider. */
import { tmpdir } from 'node:os';
import { command } from './in-process.js';

/** In a folder without a runner; the state directory is not even made. */
const configure = (args: string) =>
  command(['configure-number', ...args.split(' ').filter(Boolean)], tmpdir(), {
    VOICEBOT_HOME: `${tmpdir()}/voicebot-of-nobody`,
  }).finished;

test('everything that is wrong with the command line, at once: exit 2', async () => {
  const { exitCode, stderr } = await configure('5551234567 --url http://bot.example.com --port 0 --reset');
  expect(exitCode).toBe(2);
  for (const name of ['number 5551234567: ', '--url http://bot.example.com: ', '--port 0: ', '--reset puts back']) {
    expect(stderr).toContain(name);
  }
});

test.each(['https://', 'ftp://bot.example.com', 'https://ada:secret@bot.example.com', 'https://bot.example.com/#top'])(
  'an address that is none: %s',
  async (url) => {
    const { exitCode, stderr } = await configure(`+12025550118 --url ${url}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('must be an https address, such as https://bot.example.com');
  },
);

test('a change without a number: exit 2', async () => {
  const { exitCode, stderr } = await configure('--url http://bots.localhost:9 --dry-run --take');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--url, --dry-run, --take: name the number to change');
});

test('no credentials: exit 3, naming the variables', async () => {
  const { exitCode, stderr } = await configure('');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN, or ROOMS_API_KEY are not set');
  expect(stderr).toContain('npx voicebot run --sandbox');
});
