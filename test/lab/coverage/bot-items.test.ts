import { readFileSync } from 'node:fs';
import { botItems, type CoverageKind } from '../../../src/lab/coverage/bot-items.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

const read = (source: string) => botItems(new Map([['/bot.ts', source]]));
const namesOf = (source: string, kind: CoverageKind) =>
  read(source)
    .items.filter((one) => one.kind === kind)
    .map(({ name, line }) => (line === undefined ? name : `${name} :${line}`));
const template = (name: string) => readFileSync(`${PACKAGE_ROOT}templates/${name}/bot.ts`, 'utf8');

test('reads the functions, transfers, sentences, keys and ends of the template answer, with their lines', () => {
  const source = template('answer');
  expect(namesOf(source, 'function')).toEqual(['opening_hours :22', 'transfer_call :27', 'end_call :28']);
  expect(namesOf(source, 'transfer')).toEqual(['answered :27', 'not answered :27']);
  expect(namesOf(source, 'key')).toEqual(['0 :32']);
  expect(namesOf(source, 'end')).toEqual(['bot_ended :19', 'transferred :27', 'caller_hung_up']);
  expect(namesOf(source, 'sentence')).toEqual([
    'Hello, this is Bluebird Bakery. :18',
    'How can I help you? :18',
    'Are you still there? :19',
    'I will hang up now. :19',
    'Goodbye! :19',
    'One moment please, I will connect you. :27',
    'Thank you for calling. :28',
  ]);
  expect(read(source).unread).toEqual([]);
});

test('follows the names of the template demo to their texts, and says which text is no literal', () => {
  const source = template('demo');
  const sentences = namesOf(source, 'sentence').map((one) => one.replace(/ :\d+$/, ''));
  expect(sentences).toEqual(
    expect.arrayContaining(['Hello!', 'Press any key to stop.', 'It is….', 'That key does nothing.', 'Goodbye!']),
  );
  expect(sentences.filter((one) => one.includes('Press 1 for the time'))).toHaveLength(1);
  expect(namesOf(source, 'key').map((one) => one.slice(0, 1))).toEqual(['2', '1', '0', '9']);
  const [line = ''] = read(source).unread.map((one) => source.split('\n')[one.line - 1]);
  expect(line).toContain('await connect(call)');
});

test.each([
  ["call.say('One.')", ['One. :1']],
  ["await call.say(ok ? 'Yes, sir.' : 'No.')", ['Yes, sir. :1', 'No. :1']],
  ["call.say(name === 'Ada' ? 'Hello.' : text)", ['Hello. :1']],
  ["call.say('Hello ' + name + ', how are you?')", ['Hello…, how are you? :1']],
  [`const A = 'Good ';\ncall.say(\`\${A}morning. \${b()} Bye.\`)`, ['Good morning. :2', 'Bye. :2']],
  ["const TEXT: string = 'Typed.';\ncall.say(TEXT)", ['Typed. :1']],
  ["let text = 'First.';\nwhile (on) {\n  call.say(text);\n  text = 'Second.';\n}", ['First. :1', 'Second. :4']],
  ["const A = 'One.'\nconst B = 'Two'\n  + ' more.'\ncall.say(A)\ncall.say(B)", ['One. :1', 'Two more. :2']],
  ["call.say('It is ' + (late ? 'late' : 'early') + ' now.')", ['It is…now. :1']],
  ["const text = 'No.';\ncall.say('Say ' + other.text + ' or ' + text.length + '.')", ['Say…or…. :2']],
  ["call.converse({ idle: ['Hm?', 'Still there?'] })", ['Hm? :1', 'Still there? :1']],
  ["call.converse({ voicemail: { message: 'Call back.', timeoutMs: 1 }, message: 'no' })", ['Call back. :1']],
  ["call.say?.('Perhaps.')", ['Perhaps. :1']],
  ["// call.say('not this')\nlogger.info('nor this'); say('nor that')", []],
  ['interface A { greeting: string; say: string }', []],
])('finds the sentences of %s', (source, sentences) => {
  expect(namesOf(source, 'sentence')).toEqual(sentences);
});

test.each([
  ['call.say(words())', 1],
  [`call.say(\`\${first} \${second}\`)`, 1],
  ["call.say('3')", 1],
  ['call.converse({ greeting: config.greeting })', 1],
  ["call.say(cond ? 'Yes.' : other)", 1],
  ["call.say('All.')", 0],
])('of %s it counts %d texts that are no literals', (source, count) => {
  expect(read(source).unread).toHaveLength(count);
});

test.each([
  ["if (key === '1') a(); else if ('2' == heard?.keys) b();", ['1 :1', '2 :1']],
  ["switch (digit) {\n  case '#': break;\n  case '12': break;\n}", ['# :2', '12 :3']],
  ["const MENU = { '1': a, 2: b, other: c };\nMENU[heard?.keys ?? '']", ['1 :1', '2 :1']],
  ["if (status === '1') a(); switch (day) { case '2': } const X = { '3': 1 }; X[day]", []],
  ["if (key === 'hello') a();", []],
])('finds the keys of %s', (source, keys) => {
  expect(namesOf(source, 'key')).toEqual(keys);
});

test('a function is a field of tools, whatever it is given', () => {
  const source = "call.converse({ tools: { 'a-b': { input: { c: 1 } }, d, e() { return { f: 1 }; }, ...more } })";
  expect(namesOf(source, 'function')).toEqual(['a-b :1', 'd :1', 'e :1']);
});

test('what stands in several files counts once, and where it was found first', () => {
  const { items } = botItems(
    new Map([
      ['/bot.ts', "import './more.js';\ncall.say('Hello.')"],
      ['/more.ts', "call.say('Hello.'); call.hangUp()"],
    ]),
  );
  expect(items.map(({ kind, name, file }) => [kind, name, file])).toEqual([
    ['sentence', 'Hello.', '/bot.ts'],
    ['end', 'bot_ended', '/more.ts'],
    ['end', 'caller_hung_up', undefined],
  ]);
});
