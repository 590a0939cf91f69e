import { SpeechLanguageFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { LiveStage } from './live-stage.js';

/** Languages that the session was to write the caller's words down in, in order. */
const languagesOf = (stage: LiveStage) =>
  stage.fake.session.messages
    .filter(({ type }) => type === 'session.update')
    .map(({ session }) => (session as { audio: { input: { transcription: { language?: string } } } }).audio)
    .map(({ input }) => input.transcription.language);

test('the words of the caller are written down in the language that is spoken', async () => {
  await using stage = await LiveStage.start();
  stage.join();
  await stage.until(() => stage.fake.sessions[0] && languagesOf(stage).length > 0, 'a session');
  stage.emit(new SpeechLanguageFrame('de-AT'));
  await stage.until(() => languagesOf(stage).at(-1) === 'de', 'the session is told');
  expect(stage.errors).toEqual([]);
});

test('a session that was given a language of its own keeps it, and that is told', async () => {
  await using stage = await LiveStage.start({ live: { transcription: { language: 'en' } } });
  stage.join();
  stage.emit(new SpeechLanguageFrame('de'));
  await stage.until(() => stage.errors.length > 0, 'a warning');
  expect(stage.errors.map(({ message }) => message)).toEqual([expect.stringContaining('English')]);
});
