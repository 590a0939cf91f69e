import type { ClusterRunner, ClusterStatus } from '../../call/runner-status.js';

/** An event loop that is later than this is in trouble, in milliseconds: frames are 20 ms apart. */
const LATE_MS = 100;

/** The runners of the cluster, one a line. */
export function RunnersTable({ cluster: { isRedisUp, runners } }: { cluster: ClusterStatus }) {
  return (
    <section aria-labelledby="runners-title">
      <h2 id="runners-title">Runners</h2>
      {!isRedisUp && (
        <p class="redis-away" role="alert">
          The Redis of the cluster is away: calls go on, and what the other runners do is not known.
        </p>
      )}
      <table class="calls runners" aria-labelledby="runners-title">
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Ready bots
            </th>
            <th scope="col" class="number">
              Event loop
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {runners.map((runner) => (
            <Row key={runner.id} runner={runner} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ runner }: { runner: ClusterRunner }) {
  const { machine, pid, liveCalls, readyBots, lateMs, isStopping, isOwn } = runner;
  return (
    <tr>
      <td class="machine">
        {machine}{' '}
        <span class="quiet">
          process {pid}
          {isOwn ? ', shown here' : ''}
        </span>
      </td>
      <td class="number" data-name="calls">
        {liveCalls}
      </td>
      <td class="number" data-name="ready bots">
        {readyBots}
      </td>
      <td class={lateMs < LATE_MS ? 'number' : 'number is-late'} data-name="event loop">
        {lateMs} ms
      </td>
      <td>
        <span class={`chip ${isStopping ? 'warn' : readyBots > 0 ? 'good' : 'neutral'}`}>
          {isStopping ? 'stopping' : readyBots > 0 ? 'ready' : 'no bot waits'}
        </span>
      </td>
    </tr>
  );
}
