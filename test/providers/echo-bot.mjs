/** Says whom it talks to, then sends the caller's audio back until the caller presses `#`. Knows no carrier. */
export function bot({ websocket, call, body, query }) {
  return new Promise((resolve) => {
    websocket.on('message', (data) => {
      const { event, dtmf } = JSON.parse(data);
      if (event === 'media') websocket.send(String(data));
      if (event === 'dtmf' && dtmf.digit === '#') resolve();
    });
    websocket.on('close', () => resolve());
    websocket.send(JSON.stringify({ event: 'hello', call, body, query }));
  });
}
