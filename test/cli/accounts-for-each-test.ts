import { Accounts } from '../e2e/accounts.js';
import { TunnelServer } from '../runner/tunnel/tunnel-server.js';

/** Who answers the shared number before a test changes it. */
export const DESK = 'http://127.0.0.1:9/front-desk';
/** At the carrier nobody answers it. */
export const FREE_NUMBER = '+12025550118';
/** Of a bot somewhere. The sandbox calls nobody but this machine. */
export const SERVER = 'http://bots.localhost:9';

/** Opens accounts before each test of a file, which closes them afterwards; all of them have one tunnel server. @param begin is given them, and what they have stored */
export function openAccountsForEachTest(begin: (accounts: Accounts, stored: string[]) => Promise<void> | void): void {
  let tunnels: TunnelServer;
  beforeAll(async () => {
    tunnels = await TunnelServer.start();
  }, 30_000);
  afterAll(() => tunnels.stop());
  beforeEach(async () => {
    const accounts = await Accounts.open(tunnels);
    await begin(accounts, await accounts.stored());
  });
}
