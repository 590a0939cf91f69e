/** Never reads its stream. */
export function bot({ websocket, call }) {
  websocket.send(JSON.stringify({ event: 'hello', pid: process.pid, call }));
  return new Promise(() => {});
}
