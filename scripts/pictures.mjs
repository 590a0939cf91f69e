// Makes the pictures of the README again, from a call to the template `answer` with stand-ins: `npm run pictures`. Needs tmux, and Chromium
// in /usr/bin/chromium or where CHROMIUM says. Look at the pictures before you commit them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PICTURES = join(ROOT, 'docs', 'pictures');
const RUN = 'npx voicebot run templates/answer/bot.ts --stand-ins';
const CALL = 'npx voicebot call --say "When are you open on Sunday?" --say "Please connect me with a person."';
const STYLE_CODES = new RegExp(`${'\u001b'}\\[([\\d;]*)m`);
const COLUMNS = 112;
const ROWS = 50;

const home = mkdtempSync(join(tmpdir(), 'voicebot-pictures-'));
const socket = `voicebot-pictures-${process.pid}`;
const tmux = (...args) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
const screenOf = (terminal, ...options) => tmux('capture-pane', '-p', ...options, '-t', terminal);

try {
  openTerminal('runner', 'new-session', '-d', '-x', `${COLUMNS}`, '-y', `${ROWS}`);
  type('runner', RUN);
  const [, url] = await shows('runner', /(http:\S+).*q to quit/s);
  openTerminal('caller', 'new-window', '-d');
  type('caller', CALL);
  await shows('caller', /ended after/);
  await shows('runner', /ended after/);
  mkdirSync(PICTURES, { recursive: true });
  for (const terminal of ['runner', 'caller']) {
    writeFileSync(
      join(PICTURES, `${terminal}.svg`),
      drawTerminal(screenOf(terminal, '-e'), `The terminal of the ${terminal}`),
    );
  }
  await photograph(url);
  tmux('send-keys', '-t', 'runner', 'q');
  await shows('runner', /Stopping/);
} finally {
  tmux('kill-server');
  rmSync(home, { recursive: true });
}

/** A shell in the clone, without anything of this machine's own that would show in the picture. */
function openTerminal(name, ...how) {
  const { PATH, HOME } = process.env;
  const ours = { VOICEBOT_HOME: home, VOICEBOT_PORT: '0', npm_config_userconfig: '/dev/null', PS1: '$ ' };
  const environment = { PATH, HOME, LANG: 'C.UTF-8', TERM: 'screen-256color', ...ours };
  const pairs = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
  const flag = how[0] === 'new-session' ? '-s' : '-n';
  tmux(...how, flag, name, '-c', ROOT, 'env', '-i', ...pairs, 'sh');
  if (flag === '-s') tmux('rename-window', '-t', name, name);
}

function type(terminal, line) {
  tmux('send-keys', '-t', terminal, '-l', line);
  tmux('send-keys', '-t', terminal, 'Enter');
}

/** Waits until a terminal shows this. */
async function shows(terminal, pattern) {
  for (const until = Date.now() + 120_000; Date.now() < until; await wait(200)) {
    const found = pattern.exec(screenOf(terminal));
    if (found) return found;
  }
  throw new Error(`never shown: ${pattern}\n${screenOf(terminal)}`);
}

/** The page of the call: wide and light, narrow and dark. */
async function photograph(url) {
  const { calls } = await (await fetch(`${url}/calls`)).json();
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
  try {
    for (const [name, colorScheme, width, height] of [
      ['page', 'light', 1_280, 1_180],
      ['page-narrow-dark', 'dark', 400, 860],
    ]) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height }, locale: 'en-GB' });
      await page.goto(`${url}/#/calls/${encodeURIComponent(calls[0].id)}`);
      await page.getByRole('button', { name: 'Play' }).waitFor(); // the recording is there
      await page.waitForLoadState('networkidle').catch(() => {}); // a stream of events may stay open
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    }
  } finally {
    await browser.close();
  }
}

/** What a terminal shows, with its colours, as SVG. @param screen text with the escape sequences of `tmux capture-pane -e` */
function drawTerminal(screen, title) {
  const [size, lineHeight, margin] = [13, 19, 16];
  const advance = size * 0.602; // of a character, as most monospaced fonts have it
  const lines = linesOf(screen.trimEnd());
  if (
    lines
      .at(-1)
      ?.map(({ words }) => words)
      .join('') === '$'
  )
    lines.pop(); // waits for the next command
  let widest = 0;
  const text = lines.map((pieces, row) => {
    let column = 0;
    const spans = pieces.map(({ style, words }) => {
      const x = margin + column * advance;
      column += words.length;
      widest = Math.max(widest, column);
      const length = (words.length * advance).toFixed(1);
      return `<tspan x="${x.toFixed(1)}" textLength="${length}" class="${style}">${escaped(words)}</tspan>`;
    });
    return `<text y="${margin + (row + 1) * lineHeight - 5}">${spans.join('')}</text>`;
  });
  const [width, height] = [Math.ceil(widest * advance + 2 * margin), text.length * lineHeight + 2 * margin];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
  rect { fill: #14181d }
  text { fill: #d6dbe1; font: ${size}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre }
  .bold { font-weight: bold; fill: #ffffff } .dim { fill: #8b949e } .red { fill: #ff7b72 } .green { fill: #56d364 } .yellow { fill: #e3b341 }
</style>
<rect width="100%" height="100%" rx="8"/>
${text.join('\n')}
</svg>
`;
}

/** The pieces of each line and how each looks, which goes on from line to line. */
function linesOf(screen) {
  const weights = { 1: 'bold', 2: 'dim', 22: '' };
  const colours = { 31: 'red', 32: 'green', 33: 'yellow', 39: '' };
  let [weight, colour] = ['', ''];
  return screen.split('\n').map((line) =>
    line.split(STYLE_CODES).flatMap((piece, at) => {
      if (at % 2 === 0) return piece === '' ? [] : [{ style: `${weight} ${colour}`.trim(), words: piece }];
      for (const code of piece.split(';')) {
        if (Number(code) === 0) [weight, colour] = ['', ''];
        weight = weights[code] ?? weight;
        colour = colours[code] ?? colour;
      }
      return [];
    }),
  );
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
