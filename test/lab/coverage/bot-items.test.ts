import { readFileSync } from 'node:fs';
import { botItems, type CoverageKind } from '../../../src/lab/coverage/bot-items.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

const read = (source: string, file = '/bot.ts') => botItems(new Map([[file, source]]));
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
  ["call.converse({ voicemail: { screening: { reason: 'A bakery.' } }, reason: 'no' })", ['A bakery. :1']],
  ["call.say?.('Perhaps.')", ['Perhaps. :1']],
  ["// call.say('not this')\nlogger.info('nor this'); say('nor that')", []],
  ['interface A { greeting: string; say: string }', []],
  ["type A = { greeting: 'Hi.' }; const { say: spoken = 'No.' } = more; if (ok ? goodbye : 'No.') a()", []],
  [
    "call.say('Typed.' as Text);\ncall.converse({ greeting: (ok ? 'Yes.' : 'No.') satisfies Text })",
    ['Typed. :1', 'Yes. :2', 'No. :2'],
  ],
  ["const greeting = 'Hello.';\ncall.converse({ greeting, 'goodbye': 'Bye.' })", ['Hello. :1', 'Bye. :2']],
  ["class A {\n  #text = 'Field';\n  text = 'Another.';\n  b() { call.say(this.#text + c.text) }\n}", ['Field… :4']],
  [`call.say(on || a === 'b' ? 'It\\'s\\u0021\\x41.' : "b'c.")`, ["It's!A. :1", "b'c. :1"]],
  [`call.say(\`A \${f(\`d \${e}}\`, {g: 1})} b \${\`c \${ok ? \`d\` : ''} e\`}.\`)`, ['A…b c…e. :1']],
  [`if (on) /'/.test(a / b);\nf(/'[/"]/u); call.say('Heard.') // "`, ['Heard. :2']],
  [`function greet(name = 'Ada') {\n  call.say(\`Hello \${name}.\`);\n}`, ['Hello…. :2']],
  ["/* it's\n*/ call.say(`One\nand.`); call\n.say('Two.')", ['One\nand. :2', 'Two. :4']],
])('finds the sentences of %s', (source, sentences) => {
  expect(namesOf(source, 'sentence')).toEqual(sentences);
});

test.each([
  ['call.say(words())', 1],
  [`call.say(\`\${first} \${second}\`)`, 1],
  ["call.say('3')", 1],
  ['call.converse({ greeting: config.greeting })', 1],
  ["call.say(cond ? 'Yes.' : other)", 1],
  ["call.converse({ idle: [first,\n...more], say: (ok && 'Yes.') || null })", 2],
  ['const talk = (greeting: Greeting) => call.converse({ greeting })', 1],
  ["call.say(ok || a === 'b' ? 'All.' : undefined)", 0],
])('of %s it counts %d texts that are no literals', (source, count) => {
  expect(read(source).unread).toHaveLength(count);
});

test.each([
  ["if (key === '1') a(); else if ('2' == heard?.keys) b();", ['1 :1', '2 :1']],
  ["switch (digit) {\n  case '#': break;\n  case '12': break;\n}", ['# :2', '12 :3']],
  ["const MENU = { '1': a, 2: b, other: c };\nMENU[heard?.keys ?? '']", ['1 :1', '2 :1']],
  ["if (status === '1') a(); switch (day) { case '2': } const X = { '3': 1 }; X[day]", []],
  ["if (key === 'hello') a();", []],
  ["class A {\n  readonly #menu = { '1': a, 2() {} } as const;\n  b() { this.#menu?.[c.digit!] }\n}", ['1 :2', '2 :2']],
  ["switch (key) { case '1': switch (day) { case '5': } case '2': }", ['1 :1', '2 :1']],
])('finds the keys of %s', (source, keys) => {
  expect(namesOf(source, 'key')).toEqual(keys);
});

test('a function is a field of tools, whatever it is given', () => {
  const source = "call.converse({ tools: { 'a-b': { input: { c: 1 } }, d, e() { return { f: 1 }; }, ...more } })";
  expect(namesOf(source, 'function')).toEqual(['a-b :1', 'd :1', 'e :1']);
});

test('reads what is no TypeScript too, and takes the text of JSX for no string', () => {
  const source = "const a = <p greeting=\"No.\">It's call.say('not this')</p>;\ncall.say('This.');";
  const sentences = (file: string) => read(source, file).items.filter(({ kind }) => kind === 'sentence');
  for (const file of ['/bot.tsx', '/bot.jsx']) expect(sentences(file).map(({ name }) => name)).toEqual(['This.']);
  expect(read("call.say('A < b.')", '/bot.cjs').items).toHaveLength(2);
});

test('of a source that cannot be parsed, the line of its fault is unread, and nothing is counted', () => {
  for (const source of ["call.say('A.');\n'a", '\n`a $' + '{b', '\n`a $' + '{', '\n/* a', '\na /', '\n/[', '\n"\\'])
    expect(read(source)).toEqual({
      items: [{ kind: 'end', name: 'caller_hung_up', file: undefined, line: undefined }],
      unread: [{ file: '/bot.ts', line: 2 }],
    });
});

test('a source that is nested too deep is unread too', () => {
  expect(read(`call.say('A.'); ${'if (b) c(); else '.repeat(20_000)} d();`).unread).toEqual([
    { file: '/bot.ts', line: 1 },
  ]);
});

test('a fault that leaves no doubt of the rest is passed over', () => {
  expect(namesOf("const a = 1; const a = 2;\nreturn call.say('A.');", 'sentence')).toEqual(['A. :2']);
  expect(namesOf("class A { b(@C() d: string) { call.say('A.'); } }", 'sentence')).toEqual(['A. :1']);
});

test('an end and a transfer are where they are called, not where they are written', () => {
  const source =
    'class A { async hangUp() {}\n transfer() {} }\nfunction endCall() {}\ncall.transfer(to);\ncall.hangUp()';
  expect(namesOf(source, 'end')).toEqual(['bot_ended :5', 'transferred :4', 'caller_hung_up']);
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
