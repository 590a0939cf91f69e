/**
 * Sounds a tone for as long as it hears its caller, and says what becomes of it. Key 1 ends its process, key 2 the call.
 */
export function bot({ websocket, call }) {
  const tell = (event) => console.error(JSON.stringify({ event, pid: process.pid, ...call }));
  const payload = Buffer.alloc(160, 0x8f).toString('base64');
  const media = { contentType: 'audio/x-mulaw', sampleRate: 8000, payload };
  return new Promise((resolve) => {
    websocket.on('message', (data) => {
      const { event, dtmf } = JSON.parse(data);
      if (event === 'start') tell('began');
      if (event === 'media') websocket.send(JSON.stringify({ event: 'playAudio', media }));
      if (dtmf?.digit === '1') process.exit(1);
      if (dtmf?.digit === '2') resolve();
    });
    websocket.on('close', () => {
      tell('left');
      resolve();
    });
  });
}
