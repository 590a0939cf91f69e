/** Tells whom it serves and with what, stays for three seconds, and ends the call. */
export async function bot({ websocket, call, body, signal }) {
  console.error(`serves ${JSON.stringify({ from: call.from, to: call.to, body })}`);
  websocket.on('message', () => {});
  await new Promise((resolve) => {
    setTimeout(resolve, 3_000);
    signal.addEventListener('abort', resolve);
  });
}
