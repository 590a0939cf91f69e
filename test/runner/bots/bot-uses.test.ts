import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBot } from '../../../src/runner/bots/bot-source.js';
import { usesOf } from '../../../src/runner/bots/bot-uses.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const usesIn = (code: string) => usesOf({ file: '/bot.mjs', code });

test.each([
  ['demo', true, []],
  ['echo', false, []],
  ['hello', false, []],
  ['answer', true, ['deepgram', 'cartesia', 'openai']],
  ['dial', true, ['deepgram', 'cartesia', 'openai']],
  ['transfer', true, ['deepgram', 'cartesia', 'openai']],
])('sees what the template %s needs', async (name, operator, providers) => {
  const source = await prepareBot(join(ROOT, 'templates', name, 'bot.ts'), { keepsJavaScript: true });
  expect(usesOf(source)).toEqual({ operator, providers, wholeAnswerVoice: false });
});

test.each([
  ['transport.sipCallTransfer()', true],
  ['transport.sipCallTransfer({})', true],
  ['transport.sipCallTransfer({ toEndPoint: operatorNumber() })', true],
  ["transport.sipCallTransfer({ toEndPoint: '+4930123456' })", false],
  ["const operatorNumber = '+4930123456'", false],
  ['transferTo(process.env.OPERATOR_NUMBER)', true],
  ['transferTo(undefined, {})', true],
  ['call.transfer()', true],
  ["call.transfer(undefined, { warm: { brief: 'A caller.' } })", true],
  ["call.transfer(operatorNumber({ isWarm: true }), { warm: { brief: 'A caller.' } })", true],
  ["call.transfer('+4930123456')", false],
])('%s: transfers to OPERATOR_NUMBER: %s', (code, operator) => {
  expect(usesIn(code).operator).toBe(operator);
});

test.each([
  ["vb.requireKeys('my bot', ['elevenlabs', 'google'])", ['elevenlabs', 'google']],
  ["import { anthropic } from '@ai-sdk/anthropic'", ['anthropic']],
  ['const key = process.env.OPENAI_API_KEY', ['openai']],
  ["import { createXai } from '@ai-sdk/xai'", ['xai']],
  ["import { elevenLabs } from '@ai-sdk/elevenlabs'", ['elevenlabs']],
  ["console.log('google it')", []],
  ['defineBot({ stt: deepgram(), tts: elevenlabs({}) })', ['deepgram', 'elevenlabs']],
  ['tts: cartesia()', ['cartesia']],
])('%s: needs %j', (code, providers) => {
  expect(usesIn(code).providers).toEqual(providers);
});

test.each([
  ["tts: openai.speech('gpt-4o-mini-tts')", true],
  ["tts: gateway.speechModel('openai/tts-1')", false],
  ['tts: cartesia()', false],
])('%s: speaks whole answers: %s', (code, wholeAnswerVoice) => {
  expect(usesIn(code).wholeAnswerVoice).toBe(wholeAnswerVoice);
});

test.each([
  ['defineBot({ transcriptionEnabled: true, llm, tts })', 'ears'],
  ["transcriptionEnabled: { language: 'de' }", 'ears'],
  ['const transcriptionEnabled = true; defineBot({ transcriptionEnabled, tts })', 'ears'],
  ['defineBot({ transcriptionEnabled: true, stt: deepgram() })', 'events'],
  ['new RoomsTransport(url, token, name, { transcriptionEnabled: true }); new DeepgramSTT()', 'events'],
  ['transcriptionEnabled: false', undefined],
  ['stt: deepgram()', undefined],
])('%s: has the room provider transcribe as its %s', (code, transcription) => {
  expect(usesIn(code).transcription).toBe(transcription);
});

test.each([
  ["deepgram({ language: 'de' })", 'de'],
  ["new DeepgramSTT({ language: 'es-419' })", 'es-419'],
  ["const translate = { language: 'fr' }; call.converse({ tools: [f(1)], language: 'pt-BR' })", 'pt-BR'],
  ["translate({ text, language: 'fr' }); defineBot({ stt: deepgram({ language: 'it' }) })", 'it'],
  ["book({ language: 'fr' }); defineBot({ transcriptionEnabled: { language: 'nl' } })", 'nl'],
  ["lines = { language: 'sv' }", 'sv'],
  ['stt: deepgram()', undefined],
])('%s: speaks %s', (code, language) => {
  expect(usesIn(code).language).toBe(language);
});

test('reads the file itself where it was not compiled', () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-uses-'));
  const file = join(directory, 'bot.mjs');
  writeFileSync(file, 'export async function bot() { new vb.DeepgramTTS(); }\n');
  expect(usesOf({ file }).providers).toEqual(['deepgram']);
  rmSync(directory, { recursive: true });
});
