/** The page that joins a room for a bot: between the socket of the bot's process and the provider's client. */
import { readAudioMessage, writeAudioMessage } from '../audio-message.js';
import { type FromPage, MAX_UNREAD_BYTES, PAGE_PROTOCOL, type ToPage } from '../wire.js';
import { RoomClient, wordsOf } from './room-client.js';
import { PageSound } from './sound.js';

type Join = Extract<ToPage, { type: 'join' }>;

const here = location.href.replace(/[^/]*$/, '');
const socket = new WebSocket(`${here.replace(/^http/, 'ws')}socket`, PAGE_PROTOCOL);
socket.binaryType = 'arraybuffer';

let joining: Join | undefined;
let sound: PageSound | undefined;
let client: RoomClient | undefined;
let sequence = 0;

const tell = (message: FromPage): void => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
};

function heard(pcm: ArrayBuffer): void {
  const payload = new Uint8Array(pcm);
  if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MAX_UNREAD_BYTES) {
    socket.send(writeAudioMessage({ sequence, timestamp: (sequence * payload.length) / 2, payload }));
  }
  sequence += 1;
}

async function join(message: Join): Promise<void> {
  joining = message;
  try {
    sound = await PageSound.open(message.sampleRate, `${here}worklets.js`, heard);
  } catch (error) {
    return tell({ type: 'failed', what: 'audio', error: wordsOf(error) });
  }
  try {
    client = await RoomClient.load(message.module, sound, tell);
  } catch (error) {
    const { info } = wordsOf(error);
    return tell({ type: 'failed', what: 'client', error: { error: '', info: `${message.module}: ${info}` } });
  }
  await client.join(message);
}

async function perform({ id, method, params }: Extract<ToPage, { type: 'request' }>): Promise<void> {
  try {
    tell({ type: 'response', id, result: (await client?.perform(method, params)) ?? {} });
  } catch (error) {
    tell({ type: 'response', id, error: wordsOf(error) });
  }
}

async function leave(): Promise<void> {
  try {
    await client?.leave();
  } finally {
    tell({ type: 'left' });
    socket.close();
    await sound?.close();
  }
}

socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
  if (typeof data !== 'string') {
    const audio = joining && readAudioMessage(new Uint8Array(data), joining.sampleRate);
    if (audio) sound?.say(audio);
    return;
  }
  const message = JSON.parse(data) as ToPage;
  if (message.type === 'join') void join(message);
  else if (message.type === 'request') void perform(message);
  else if (message.type === 'listen') sound?.listen(message.sessionIds);
  else void leave().catch(() => {}); // the socket is closed all the same
};

// The bot's process is gone: the page has no voice any more.
socket.onclose = () => void leave().catch(() => {});
