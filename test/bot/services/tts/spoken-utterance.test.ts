import {
  type Frame,
  OutputAudioFrame,
  TTSTextFrame,
  TTSTimingFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { SpokenUtterance } from '../../../../src/bot/services/tts/spoken-utterance.js';

const word = (text: string, startMs: number) => ({ text, startMs, endMs: startMs + 10 });

function spoken(...texts: string[]): { it: SpokenUtterance; order: () => string[]; frames: readonly Frame[] } {
  const frames: Frame[] = [];
  const it = new SpokenUtterance({ id: 1, appendToContext: true }, 8_000, (frame) => frames.push(frame));
  it.beginSpeech();
  for (const text of texts) it.addText(text);
  const nameOf = (frame: Frame) => {
    if (frame instanceof TTSTextFrame) return frame.text;
    if (frame instanceof OutputAudioFrame) return `audio ${frame.pcm.length}`;
    return frame.constructor.name.replace(/^TTS|Frame$/g, '');
  };
  return { it, order: () => frames.map(nameOf), frames };
}

describe('SpokenUtterance', () => {
  test('a text begins when the voice says that the one before is over', () => {
    const { it, order } = spoken('One. ', 'Two.');
    it.audio(new Int16Array(1));
    it.audio(new Int16Array(2));
    it.said(1);
    it.audio(new Int16Array(3));
    it.said(2);
    it.finish(true);
    expect(order().filter((what) => what !== 'Timing')).toEqual([
      'Started',
      'One. ',
      'audio 1',
      'audio 2',
      'Two.',
      'audio 3',
      'Stopped',
    ]);
  });

  test('of a voice that does not tell when its words are spoken, that is estimated by the sound, text by text', () => {
    const { it, order, frames } = spoken('One. ', 'Two.');
    const sound = (length: number) => new Int16Array(length).fill(3_000);
    it.audio(sound(800));
    it.said(1);
    it.audio(sound(1_600));
    it.said(2);
    it.finish(true);
    expect(order().filter((what) => !what.startsWith('audio'))).toEqual([
      'Started',
      'One. ',
      'Timing',
      'Two.',
      'Timing',
      'Stopped',
    ]);
    expect(frames.flatMap((frame) => (frame instanceof TTSTimingFrame ? frame.words : []))).toEqual([
      { text: 'One.', startMs: 0, endMs: 100 },
      { text: 'Two.', startMs: 100, endMs: 300 },
    ]);
  });

  test('a text begins when a word of it is spoken, where the voice says nothing else', () => {
    const { it, order } = spoken('One and one. ', 'Two and two. ', 'Three.');
    it.audio(new Int16Array(1));
    it.words([word('One', 0), word('and', 10), word('one.', 20)]);
    it.audio(new Int16Array(2));
    it.words([word('Two', 30), word('and', 40)]);
    it.audio(new Int16Array(3));
    it.finish(true);
    expect(order()).toEqual([
      'Started',
      'One and one. ',
      'audio 1',
      'Timing',
      'audio 2',
      'Two and two. ',
      'Timing',
      'audio 3',
      'Three.',
      'Stopped',
    ]);
  });

  test('words that are nowhere in the text begin nothing', () => {
    const { it, order } = spoken('It costs $5. ', 'Two.');
    it.audio(new Int16Array(1));
    it.words([word('It', 0), word('five', 10), word('dollars', 20)]);
    expect(order()).toEqual(['Started', 'It costs $5. ', 'audio 1', 'Timing']);
  });

  test('a text that was never spoken is not put out when the voice fails', () => {
    const { it, order } = spoken('One. ', 'Two.');
    it.audio(new Int16Array(1));
    it.finish(false);
    expect(order()).toEqual(['Started', 'One. ', 'audio 1', 'Stopped']);
  });

  test('puts out nothing at all when there is nothing to hear', () => {
    const { it, order } = spoken('One.');
    it.audio(new Int16Array(0));
    it.words([]);
    it.finish(true);
    expect(order()).toEqual([]);
    expect(it.phrase).toBeUndefined();
  });

  test('what is replayed comes out as it was, text by text', () => {
    const { it, order } = spoken('One. ', 'Two.');
    it.audio(new Int16Array([1, 2, 3]));
    it.words([word('One.', 0), word('Two.', 0.375)]);
    it.said(1);
    it.audio(new Int16Array([4]));
    it.finish(true);
    const again = spoken();
    if (it.phrase) again.it.replay(it.phrase);
    again.it.finish(true);
    expect(again.order()).toEqual(['Started', 'One. ', 'audio 3', 'Timing', 'Two.', 'audio 1', 'Timing', 'Stopped']);
    expect(order()).toHaveLength(7);
    expect(again.it.phrase).toEqual(it.phrase);
  });
});
