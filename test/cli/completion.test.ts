import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEMPLATE_NAMES } from '../../src/cli/init/templates.js';
import { command } from './in-process.js';

const SHELLS = ['bash', 'zsh', 'fish'];

let directory: string;
let commands: string[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-completion-'));
  for (const shell of SHELLS) {
    const { exitCode, stdout, stderr } = await command(['completion', shell], directory).finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    writeFileSync(join(directory, shell), stdout);
  }
  const { stdout } = await command(['--help'], directory).finished;
  const list = stdout.slice(stdout.indexOf('Commands:'));
  commands = [...list.matchAll(/^ {2}([\w-]+) /gm)].map(([, name = '']) => name);
});
afterAll(() => rmSync(directory, { recursive: true }));

function describeIn(shell: string, tests: () => void): void {
  const isInstalled = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  (isInstalled ? describe : describe.skip)(`in ${shell} (needs ${shell})`, tests);
}

/** What a real bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const script = `
    source "$1"; shift
    complete -p voicebot > /dev/null || exit
    COMP_WORDS=("$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    compopt() { printf 'compopt %s\\n' "$*"; }
    _voicebot
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '--noprofile', '-u', '-c', script, 'bash', join(directory, 'bash'), 'voicebot'];
  const { stdout, stderr, status } = spawnSync('bash', [...args, ...words], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter(Boolean);
}

describeIn('bash', () => {
  test('every command is offered, and every option that its help shows', async () => {
    expect(commands).toEqual(expect.arrayContaining(['run', 'call', 'init', 'completion', 'help']));
    expect(offered('')).toEqual(expect.arrayContaining([...commands, '--version', '--help']));
    for (const name of commands.filter((name) => name !== 'help')) {
      const { stdout } = await command([name, '--help'], directory).finished;
      const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag);
      expect(options).toContain('--help');
      expect(offered(name, '--').sort()).toEqual(options.sort());
    }
  });

  test.each([
    [['ca'], ['call', 'campaign', 'calls', 'calling-rules']],
    [
      ['run', '--transport', ''],
      ['carrier', 'rooms'],
    ],
    [['run', '--transport', 'r'], ['rooms']],
    [['run', '--transport', '=', 'c'], ['carrier']],
    [
      ['run', '--transport', '='],
      ['carrier', 'rooms'],
    ],
    [['run', '--json', '--transport', 'c'], ['carrier']],
    [['run', 'bot.ts', '--dial'], ['--dialin']],
    [
      ['run', '--port', ''],
      [], // a value of one's own
    ],
    [['run', ''], ['compopt -o default']], // a bot file
    [['run', '--port', '1', ''], ['compopt -o default']],
    [['run', '--port', '=', '1', ''], ['compopt -o default']],
    [['call', '--wav', 'a'], ['compopt -o default']],
    [['init', ''], ['compopt -o dirnames']],
    [['init', '--template', ''], [...TEMPLATE_NAMES]],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['help', 'comp'], ['completion']],
    [['nonsense'], []],
    [['run', '--nonsense'], []],
  ])('after %j it offers %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  test('after its argument a command offers options only', () => {
    expect(offered('run', 'bot.ts', '')).toEqual(expect.arrayContaining(['--port', '--host']));
    expect(offered('run', 'bot.ts', '')).not.toContain('compopt -o default');
  });

  test('what is hidden is not offered', () => {
    expect(offered('init', '--v')).toEqual(['--verbose']);
  });
});

test.each(SHELLS)('the script for %s names every command', (shell) => {
  const script = readFileSync(join(directory, shell), 'utf8');
  for (const name of commands) expect(script).toContain(name);
});

for (const shell of SHELLS) {
  describeIn(shell, () => {
    test('its script is one that it can read', () => {
      expect(spawnSync(shell, ['-n', join(directory, shell)], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    });
  });
}

describeIn('fish', () => {
  test('it offers options, their choices and their descriptions', () => {
    const complete = (line: string) => {
      const script = `source ${join(directory, 'fish')}; complete -C '${line}'`;
      return spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    };
    expect(complete('voicebot run --transport r')).toEqual([expect.stringMatching(/^rooms\t/)]);
    expect(complete('voicebot run --tr')).toEqual([expect.stringMatching(/^--transport\thow calls reach the bot/)]);
    expect(complete('voicebot comp')).toEqual([expect.stringMatching(/^completion\t/)]);
  });
});

test('another shell is refused with those there are', async () => {
  const { exitCode, stdout, stderr } = await command(['completion', 'tcsh'], directory).finished;
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('Allowed choices are bash, zsh, fish');
});
