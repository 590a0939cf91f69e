import { readFileSync } from 'node:fs';
import { keptOf } from '../../../src/call/folder/kept-entry.js';
import type { BotEntry } from '../../../src/call/timeline.js';

const ENTRIES: Readonly<Record<string, BotEntry>> = {
  said: { type: 'said', speaker: 'caller', text: 'My card number is 4111' },
  saying: { type: 'saying', text: 'You said 4111', startsAt: 5 },
  keys: { type: 'keys', direction: 'in', keys: '4111' },
  wire: { type: 'wire', direction: 'out', name: 'dtmf', detail: '41' },
  mark: { type: 'wire', direction: 'out', name: 'mark', detail: 'm1' },
  called: { type: 'tool_called', call: '1', name: 'pay', input: { card: '4111' } },
  returned: { type: 'tool_returned', call: '1', name: 'pay', output: 'paid with 4111', isError: false, ms: 5 },
};
const kept = (secrecy: Parameters<typeof keptOf>[1]) =>
  Object.fromEntries(Object.entries(ENTRIES).map(([name, entry]) => [name, keptOf(entry, secrecy)]));

test('everything is kept as it is, unless somebody says otherwise', () => {
  expect(kept({ hidesTalk: false, maskDigits: false })).toEqual(ENTRIES);
});

test('where talk is hidden nothing of what is said, pressed, or given to functions is', () => {
  const now = kept({ hidesTalk: true, maskDigits: false });
  expect(JSON.stringify(now)).not.toContain('41');
  expect(now).toMatchObject({
    said: undefined,
    saying: undefined,
    keys: undefined,
    wire: undefined,
    mark: ENTRIES.mark,
  });
  expect(now).toMatchObject({ called: { name: 'pay' }, returned: { name: 'pay', isError: false } });
});

test('keys can be masked, each by itself', () => {
  const now = kept({ hidesTalk: false, maskDigits: true });
  expect(now).toMatchObject({ keys: { keys: '••••' }, wire: { detail: '••' }, said: ENTRIES.said, mark: ENTRIES.mark });
});

test('the documentation names each kind of event', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const kinds = [...read('src/call/timeline.ts').matchAll(/readonly type: '(\w+)'/g)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(20);
  expect(kinds.filter((kind) => !read('docs/calls.md').includes(`\`${kind}\``))).toEqual([]);
});
