interface Change {
  readonly item: string;
}
type Reports = Readonly<Record<string, ReadonlyMap<string, string>>>;
interface ChangesModule {
  changesSince(released: Reports, reports: Reports): Change[];
  unreleased(changelog: string): string[];
  unnamed(changes: readonly Change[], bullets: readonly string[], released: Reports, reports: Reports): string[];
}
interface VersionsModule {
  refusalsOf(asked: object): string[];
  datedChangelog(changelog: string, version: string, day: string): string;
}

const scripts = new URL('../../scripts/reports/', import.meta.url);
let changes: ChangesModule;
let versions: VersionsModule;
beforeAll(async () => {
  changes = await import(new URL('changes.mjs', scripts).href);
  versions = await import(new URL('versions.mjs', scripts).href);
});

const report = (items: Readonly<Record<string, string>>): Reports => ({ api: new Map(Object.entries(items)) });
const BEFORE = { Call: 'class', 'Call.say': 'say(text: string): void', 'run --port': 'takes <port>', 'Old.hold': 'x' };

/** What is missing in the changelog. */
function missing(after: Readonly<Record<string, string>>, ...bullets: readonly string[]): string[] {
  const [released, reports] = [report(BEFORE), report(after)];
  const lines = bullets.map((bullet) => `- ${bullet}\n`).join('');
  const changelog = `# Changelog\n\n## Unreleased\n\n${lines}\n## 1.0.0 – 2026-01-01\n\n- \`Call.hold\`\n`;
  return changes.unnamed(changes.changesSince(released, reports), changes.unreleased(changelog), released, reports);
}

test('what has not changed needs no line', () => {
  expect(missing(BEFORE)).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>>, string, string]>([
  ['added', { ...BEFORE, 'Call.hold': 'hold(): void' }, 'Call.hold has been added', '`call.hold()` holds'],
  ['changed', { ...BEFORE, 'run --port': 'switch' }, 'run --port has changed', '`--port` is a switch'],
  [
    'removed',
    { Call: 'class', 'Call.say': BEFORE['Call.say'], 'run --port': 'takes <port>' },
    'Old.hold has been removed',
    'no `Old.hold`',
  ],
])(
  'what was %s is named in the section of what is not released, or a sentence says that it is not',
  (_, after, sentence, line) => {
    expect(missing(after)).toEqual([expect.stringContaining(sentence)]);
    expect(missing(after, line)).toEqual([]);
    expect(missing(after, line.replaceAll('`', ''))).toHaveLength(1);
  },
);

test('a short form counts only when nothing that has stayed is called so', () => {
  expect(missing({ ...BEFORE, 'Call.hold': 'hold(): void' }, '`hold` is new')).toHaveLength(1); // Old.hold has stayed
  expect(missing({ ...BEFORE, 'Call.wait': 'wait(): void' }, '`wait` is new')).toEqual([]);
});

test.each([
  ['Call.holdMusic', '`call.holdMusic`'],
  ['Call.hold.now', '`Call.hold.now`'],
  ['run --port-range', '`--port-range`'],
])('a longer name is not the name of a part of it: %s', (longer, named) => {
  const after = { ...BEFORE, 'Call.hold': 'hold(): void', 'run --port': 'switch', [longer]: 'new' };
  expect(missing(after, `${named}`).filter((sentence) => !sentence.startsWith(longer))).toHaveLength(2);
});

test('members of what is new need no name of their own; those of what was there do', () => {
  const added = { Bridge: 'class', 'Bridge.add': 'add(): void', 'run --host': 'takes <host>' };
  expect(missing({ ...BEFORE, ...added }, '`Bridge`')).toEqual([expect.stringContaining('run --host has been added')]);
});

/** Why a version may not follow 1.2.3, or another one. */
function refusals(version: string, after: Readonly<Record<string, string>>, line = '`x`', before = '1.2.3'): string[] {
  const [released, reports] = [report({ ...BEFORE, 'Call.old': '(deprecated) old(): void' }), report(after)];
  const known = changes.changesSince(released, reports);
  return versions.refusalsOf({ before, version, changes: known, bullets: [`- ${line}`], released, reports });
}
const SAME = { ...BEFORE, 'Call.old': '(deprecated) old(): void' };

test.each([
  ['1.2.3', '1.2.4'],
  ['1.2.3', '1.3.0'],
  ['1.2.3', '2.0.0'],
  ['1.2.3', '2.0.0-rc.1'],
  ['1.0.0-rc.1', '1.0.0-rc.2'],
  ['1.0.0-rc.1', '1.0.0'],
])('after %s comes %s', (before, version) => {
  expect(refusals(version, SAME, '`x`', before)).toEqual([]);
});

test.each([
  ['1.2.3', '1.2.5'],
  ['1.2.3', '1.2.3'],
  ['1.2.3', '1.3.1'],
  ['1.2.3', 'v1.3.0'],
  ['1.2.3', '1.03.0'],
  ['1.0.0-rc.1', '1.0.0-rc.3'],
  ['1.0.0-rc.1', '1.0.1'],
])('after %s does not come %s', (before, version) => {
  expect(refusals(version, SAME, '`x`', before)).toHaveLength(1);
});

test('a name that is gone or not what it was takes a major version, unless it was deprecated or is compatible', () => {
  const { 'Old.hold': _, ...gone } = SAME;
  expect(refusals('1.3.0', gone)).toEqual([expect.stringContaining('Old.hold of reports/api.txt is gone')]);
  expect(refusals('2.0.0', gone)).toEqual([]);
  expect(refusals('1.3.0', BEFORE)).toEqual([]); // Call.old, which was deprecated
  expect(refusals('1.2.4', BEFORE)).toHaveLength(1);
  const changed = { ...SAME, 'Call.say': 'say(text: string, how?: How): void' };
  expect(refusals('1.3.0', changed, '`call.say`')).toEqual([expect.stringContaining('is not what it was')]);
  expect(refusals('1.3.0', changed, '`call.say` takes more (compatible)')).toEqual([]);
  expect(refusals('1.3.0', { ...SAME, 'Call.say': `(deprecated) ${BEFORE['Call.say']}` })).toEqual([]);
});

test('what is new takes a minor version', () => {
  const added = { ...SAME, 'Call.hold': 'hold(): void' };
  expect([refusals('1.2.4', added), refusals('1.3.0', added)]).toEqual([[expect.stringContaining('is new')], []]);
});

test('a release without a line in the changelog is refused', () => {
  const asked = { before: '1.2.3', version: '1.2.4', changes: [], released: report({}), reports: report({}) };
  expect(versions.refusalsOf({ ...asked, bullets: [] })).toEqual([expect.stringContaining('Nothing stands under')]);
});

test('what was not released gets the version and the day, and the next begins empty', () => {
  const dated = versions.datedChangelog('# Changelog\n\n## Unreleased\n\n- `x`\n', '1.0.0', '2026-12-01');
  expect(dated).toBe('# Changelog\n\n## Unreleased\n\n## 1.0.0 – 2026-12-01\n\n- `x`\n');
  expect(changes.unreleased(dated)).toEqual([]);
});
