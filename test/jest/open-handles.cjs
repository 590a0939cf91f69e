const { setTimeout: delay } = require('node:timers/promises');

/** Between two looks: WebRTC needs half a second to close, and its neighbours need the processor. */
const POLL_MS = 5;
/** How long sockets and processes that a file has closed may take to be gone, beside a busy machine. */
const DEADLINE_MS = 10_000;
/** What a worker has from the start or makes by itself: standard streams, and turns of the event loop. */
const OWN_KINDS = new Set(['PipeWrap', 'TTYWrap', 'Immediate']);

/** What keeps the process alive, as Node names it, and how many there are of each kind: sockets, servers, child processes, timers. */
function openHandles() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Waits until no more is open than `before`: what a test file leaves behind would set its timers on the fake clock of the next file.
 * Throws what stays open.
 */
async function handlesClosed(before) {
  const start = performance.now();
  while (true) {
    const left = [...openHandles()].filter(([kind, count]) => !OWN_KINDS.has(kind) && count > (before.get(kind) ?? 0));
    if (left.length === 0) return;
    if (performance.now() - start > DEADLINE_MS) {
      throw new Error(`The test file leaves open: ${left.map(([kind, count]) => `${count} ${kind}`).join(', ')}.`);
    }
    await delay(POLL_MS);
  }
}

module.exports = { openHandles, handlesClosed };
