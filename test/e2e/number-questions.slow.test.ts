import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTerminal, inTerminals, type Terminal } from '../cli/in-terminal.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { freePort } from '../free-port.js';
import { ACCOUNT_SID, AUTH_TOKEN } from '../providers/twilio/api-account.js';
import { BARE, DESK, DESK_URL, NumbersAccount, ON_TRUNK, TRUNK_SID } from '../providers/twilio/routed-account.js';
import { TunnelServer } from '../runner/tunnel/tunnel-server.js';
import { processes, until } from './processes.js';
import { Voicebot } from './voicebot.js';

const VOICE = { capabilities: { voice: true, sms: true } };
const FLOW_URL = `https://webhooks.twilio.com/v1/Accounts/${ACCOUNT_SID}/Flows/FW0123456789abcdef0123456789abcdef`;
const ON_FLOW = '+12025550102';
const QUESTION = 'Take the number? [y/N] ';

let account: NumbersAccount;
let home: string;
let port: number;
let before: string;
beforeEach(async () => {
  account = await NumbersAccount.start([
    { voice_url: DESK_URL, voice_method: 'GET', ...VOICE },
    VOICE,
    { voice_url: FLOW_URL, ...VOICE },
    { trunk_sid: TRUNK_SID, ...VOICE },
    { capabilities: { voice: false, sms: true } },
  ]);
  home = mkdtempSync(join(tmpdir(), 'voicebot-question-'));
  port = await freePort();
  before = await account.dump();
});
afterEach(async () => {
  await account[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const environment = (number: string | undefined) => ({
  TWILIO_ACCOUNT_SID: ACCOUNT_SID,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  CARRIER_API_URL: account.apiUrl,
  ...(number && { TWILIO_PHONE_NUMBER: number }),
});

const runArgs = () => ['run', '--dialin', '--port', String(port), '--public-url', `http://127.0.0.1:${port}`];

/** A run in a terminal. @returns what it has shown, with its exit code at the end */
function runIn(
  number: string | undefined,
  use: (terminal: Terminal) => Promise<void>,
  more = '',
  args = runArgs(),
): Promise<string> {
  const command = `'${process.execPath}' '${PACKAGE_ROOT}bin/voicebot.js' ${args.join(' ')} ${more}; echo "exit $?"`;
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, TERM: 'xterm', VOICEBOT_HOME: home, ...environment(number) };
  return inTerminal(command, use, { cwd: home, env });
}

const changes = () => account.requests.filter(({ method }) => method !== 'GET');

inTerminals(
  'a number that others answer is asked for, and a no changes nothing (needs script)',
  async () => {
    const shown = await runIn(DESK, async (terminal) => {
      await terminal.shows(QUESTION);
      terminal.type('\r');
      await terminal.shows('exit ');
    });
    expect(shown).toContain(`${DESK} is answered by ${DESK_URL} (set on the number)`);
    expect(shown).toContain('callers reach the bundled demo instead');
    expect(shown).toContain('falls back to that address');
    expect(shown).toContain('goes back to exactly that');
    expect(shown).toContain(`${DESK} stays as it is.`);
    expect(shown).toContain('exit 2');
    expect(changes()).toEqual([]);
  },
  60_000,
);

inTerminals(
  'a public address that leads elsewhere is told before a number is asked for (needs script)',
  async () => {
    const shown = await runIn(DESK, (terminal) => terminal.shows('exit '), `--port ${await freePort()}`);
    expect(shown).toContain('VB_TUNNEL_FAILED');
    expect(shown).not.toContain(QUESTION);
    expect(changes()).toEqual([]);
  },
  60_000,
);

/** Asks for a call to a country that may not be called: who may dial at all is told so. */
const start = () =>
  fetch(`http://127.0.0.1:${port}/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: '+447700900123' }),
  });

inTerminals(
  'nobody is called before the answer (needs script)',
  async () => {
    await runIn(DESK, async (terminal) => {
      await terminal.shows(QUESTION);
      const early = await start();
      expect([early.status, await early.text()]).toEqual([503, expect.stringContaining('VB_TUNNEL_FAILED')]);
      expect(changes()).toEqual([]);
      terminal.type('y\r');
      await terminal.shows('Ctrl+C gives the number back.', 40_000);
      expect((await start()).status).toBe(403);
      terminal.type('\x03');
      await terminal.shows('exit ');
    });
    expect(await account.dump()).toBe(before);
  },
  60_000,
);

/** How many names it has given out. */
async function namesAt({ url }: TunnelServer): Promise<number> {
  const status = (await (await fetch(`${url}/api/status`)).json()) as { tunnels: number };
  return status.tunnels;
}

inTerminals(
  'a tunnel that has moved before the answer has the number at its new name, and at no other (needs script)',
  async () => {
    let tunnels = await TunnelServer.start();
    const { url, port: tunnelPort } = tunnels;
    const throughTunnel = [
      'run',
      '--dialin',
      '--port',
      String(port),
      '--tunnel',
      'localtunnel',
      '--tunnel-server',
      url,
    ];
    const shown = await runIn(
      DESK,
      async (terminal) => {
        await terminal.shows(QUESTION);
        await tunnels.stop();
        tunnels = await TunnelServer.start({ port: tunnelPort, baseName: 'moved.localhost' });
        await until(async () => (await namesAt(tunnels)) > 0, 'it has a name there', 20_000);
        terminal.type('y\r');
        await terminal.shows('Ctrl+C gives the number back.', 40_000);
        terminal.type('\x03');
        await terminal.shows('exit ');
      },
      '',
      throughTunnel,
    );
    await tunnels.stop();
    expect(shown).toContain('exit 130');
    const pointed = changes().map(({ body }) => new URLSearchParams(body).get('VoiceUrl'));
    expect(pointed).toEqual([expect.stringContaining('.moved.localhost:'), DESK_URL]);
    expect(await account.dump()).toBe(before);
  },
  90_000,
);

inTerminals(
  'Ctrl+C at the question changes nothing (needs script)',
  async () => {
    const shown = await runIn(DESK, async (terminal) => {
      await terminal.shows(QUESTION);
      terminal.type('\x03');
      await terminal.shows('exit ');
    });
    expect(shown).toContain('exit 130');
    expect(changes()).toEqual([]);
  },
  60_000,
);

inTerminals(
  'a signal at the question does not wait for the answer (needs script)',
  async () => {
    const shown = await runIn(DESK, async (terminal) => {
      await terminal.shows(QUESTION);
      const own = new RegExp(`voicebot\\.js run --dialin --port ${port}\\b`);
      const [runner] = processes().filter(({ command }) => own.test(command) && !command.includes('script'));
      process.kill(runner?.pid ?? 0, 'SIGTERM');
      await terminal.shows('exit ');
    });
    expect(shown).toContain('exit 143');
    expect(changes()).toEqual([]);
  },
  60_000,
);

inTerminals.each([
  ['an address', DESK, `${DESK_URL} (set on the number)`],
  ['a Studio flow', ON_FLOW, `${FLOW_URL} (Studio flow FW0123456789abcdef0123456789abcdef)`],
  ['a SIP trunk', ON_TRUNK, `SIP trunk ${TRUNK_SID}`],
])(
  'a yes takes a number on %s, which goes back to that, byte for byte (needs script)',
  async (_what, number, who) => {
    const shown = await runIn(number, async (terminal) => {
      await terminal.shows(QUESTION);
      terminal.type('y\r');
      await terminal.shows('Ctrl+C gives the number back.', 40_000);
      expect(account.number(number)).toMatchObject({ voice_url: `http://127.0.0.1:${port}/answer`, trunk_sid: null });
      terminal.type('\x03');
      await terminal.shows('exit ');
    });
    expect(shown).toContain(`${number} is answered by ${who}.`);
    expect(shown).toContain(`${number} was given back to ${who}`);
    expect(await account.dump()).toBe(before);
  },
  90_000,
);

inTerminals(
  'without an address, and with --yes, nothing is asked (needs script)',
  async () => {
    for (const [number, more] of [
      [BARE, ''],
      [DESK, '--yes'],
    ] as const) {
      const shown = await runIn(
        number,
        async (terminal) => {
          await terminal.shows('Ctrl+C gives the number back.', 40_000);
          terminal.type('\x03');
          await terminal.shows('exit ');
        },
        more,
      );
      expect(shown).not.toContain(QUESTION);
      expect(await account.dump()).toBe(before);
    }
  },
  120_000,
);

test('without a terminal it goes on with a line, and what a killed run has left is taken without one', async () => {
  const options = { home, cwd: home, environment: environment(DESK) };
  await using run = new Voicebot(runArgs(), options);
  await run.events.next(({ event }) => event === 'ready', 40_000);
  run.signal('SIGKILL');
  await run.exit;
  expect(await account.dump()).not.toBe(before);

  const shown = await runIn(DESK, async (terminal) => {
    await terminal.shows('Ctrl+C gives the number back.', 40_000);
    terminal.type('\x03');
    await terminal.shows('exit ');
  });
  expect(shown).not.toContain(QUESTION);
  expect(shown).toContain(`${DESK} was given back to ${DESK_URL} (set on the number)`);
  expect(await account.dump()).toBe(before);
}, 120_000);

test('what a killed run has left goes back at once where nobody is asked, though others answer the number', async () => {
  await using killed = new Voicebot(runArgs(), { home, cwd: home, environment: environment(BARE) });
  await killed.events.next(({ event }) => event === 'ready', 40_000);
  killed.signal('SIGKILL');
  await killed.exit;
  expect(await account.dump()).not.toBe(before);

  const [command = '', ...more] = runArgs();
  const args = [command, 'missing.ts', ...more];
  await using run = new Voicebot(args, { home, cwd: home, environment: environment(DESK) });
  expect(await run.exit).not.toBe(0);
  expect(run.events.all).toContainEqual(expect.objectContaining({ event: 'restored', number: BARE }));
  expect(await account.dump()).toBe(before);
}, 90_000);

inTerminals(
  'among several numbers a person chooses, and none without voice is offered (needs script)',
  async () => {
    const shown = await runIn(undefined, async (terminal) => {
      await terminal.shows('Which one? [1-4] ');
      terminal.type('9\r');
      await until(() => terminal.shown.split('Which one? ').length > 2, 'it asks again', 20_000);
      terminal.type('2\r');
      await terminal.shows(`Dial ${BARE}.`, 40_000);
      terminal.type('\x03');
      await terminal.shows('exit ');
    });
    expect(shown).toContain(`4  ${ON_TRUNK}  answered by SIP trunk ${TRUNK_SID}`);
    expect(shown).not.toContain('+12025550104');
    expect(await account.dump()).toBe(before);
  },
  90_000,
);
