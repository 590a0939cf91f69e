import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the examples leave out, because a reader of the page has it. An example's own names go before these. */
const PREAMBLE = `
  import type { BotFunction, CarrierRunnerArguments, Pipeline, PipelineTask, RoomsTransport, WebSocketTransport } from 'voicebot';
  import type { Conversation, FrameProcessor, OutputAudioFrame } from 'voicebot/pipeline';
  declare global {
    const args: CarrierRunnerArguments;
    const transport: WebSocketTransport & RoomsTransport;
    const stt: FrameProcessor, llm: FrameProcessor, tts: FrameProcessor;
    const conversation: Conversation;
    const pipeline: Pipeline;
    const task: PipelineTask;
    const bot: BotFunction;
    const Menu: new () => FrameProcessor;
    const FakePhone: typeof import('voicebot/testing').FakePhone;
    const greeting: OutputAudioFrame;
    const prompt: (name: string) => OutputAudioFrame;
    const phoneNumber: string;
    const metrics: { observe(ms: number | undefined): void };
    const loadModel: (sampleRate: number) => Promise<{ probability(pcm: Int16Array): Promise<number> }>;
  }`;

/** Every TypeScript example of a page, by the line it begins in. */
function examplesOf(page: string): Array<[line: number, code: string]> {
  const markdown = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: code = '' }) => [
    markdown.slice(0, index).split('\n').length + 1,
    code,
  ]);
}

/** The modules that an example may import from. */
const DOORS = {
  voicebot: 'src/index.ts',
  'voicebot/pipeline': 'src/doors/pipeline.ts',
  'voicebot/services': 'src/doors/services.ts',
};

/** What a module lists, types as `type Name`. */
const exportsOf = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(
    ([, type = '', names = '']) => {
      const all = names.split(',').map((name) => name.trim());
      return all.filter(Boolean).map((name) => (name.startsWith('type ') ? name : `${type}${name}`));
    },
  );

/** Where an example imports each name from: the first of the modules that has it. */
const DOOR_OF = new Map(
  Object.entries(DOORS)
    .toReversed()
    .flatMap(([door, file]) => exportsOf(file).map((name) => [name, door] as const)),
);

const WRONG = 'wrong.md-line-1.ts';

let directory: string;
let exampleCount = 0;
/** What the compiler says of all examples, those of the documents and a wrong one: a line each. */
let complaints: string[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-examples-'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'preamble.d.ts'), PREAMBLE);
  mkdirSync(join(directory, 'page'));
  writeFileSync(
    join(directory, 'page', 'bot.ts'),
    `import type { BotFunction } from 'voicebot'; export const bot: BotFunction = async () => {}; export default bot;`,
  );
  const more = { 'voicebot/embed': 'src/assembly/embed/index.ts', 'voicebot/testing': 'src/lab/kit/index.ts' };
  const doors = Object.entries({ ...DOORS, ...more });
  const paths = Object.fromEntries(doors.map(([door, file]) => [door, [join(ROOT, file)]]));
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      // As in a generated project: no globals of a test runner.
      compilerOptions: { paths, rootDir: '/', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
      include: ['.'],
    }),
  );
  for (const page of readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })) {
    if (!page.endsWith('.md')) continue;
    for (const [line, code] of examplesOf(page)) {
      write(`${page.replaceAll('/', '-')}-line-${line}.ts`, code);
      exampleCount += 1;
    }
  }
  write(WRONG, 'new Conversation({ greets: true });\nnew Gate();');
  complaints = await check();
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

/** An example imports by itself what its page has not imported before. */
function write(name: string, code: string): void {
  const isMissing = (exported: string) => {
    const bare = exported.replace(/^type /, '');
    const isDeclared = new RegExp(`(import[^;]*[{ ]|class |const |using |function )${bare}\\b`).test(code);
    return new RegExp(`(?<![.\\w'"])${bare}\\b(?!:)`).test(code) && !isDeclared;
  };
  const missing = [...DOOR_OF].filter(([exported]) => isMissing(exported));
  const imports = missing.map(([exported, door]) => `import { ${exported} } from '${door}'; `);
  writeFileSync(join(directory, 'page', name), `${imports.join('')}${code}\nexport {};\n`);
}

/** The compiler's complaints, one a line. */
function check(): Promise<string[]> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '-p', directory, '--pretty', 'false'],
      { cwd: directory },
      (_error, stdout, stderr) => resolve(`${stdout}${stderr}`.split('\n').filter(Boolean)),
    );
  });
}

test('the TypeScript examples of the documents have no type errors', () => {
  expect(exampleCount).toBeGreaterThan(30);
  expect(complaints.filter((line) => !line.includes(WRONG))).toEqual([]);
});

test('an example with a name or an option that does not exist is found', () => {
  expect(complaints).toEqual([
    expect.stringMatching(/wrong\.md-line-1\.ts\(1,\d+\): .*greets/),
    expect.stringMatching(/wrong\.md-line-1\.ts\(2,\d+\): .*Gate/),
  ]);
});
