import { Accounts } from '../e2e/accounts.js';
import { TunnelServer } from '../runner/tunnel/tunnel-server.js';

/** Opens accounts before each test of a file, which closes them afterwards; all of them have one tunnel server. */
export function openAccountsForEachTest(begin: (accounts: Accounts) => Promise<void>): void {
  let tunnels: TunnelServer;
  beforeAll(async () => {
    tunnels = await TunnelServer.start();
  }, 30_000);
  afterAll(() => tunnels.stop());
  beforeEach(async () => begin(await Accounts.open(tunnels)));
}
