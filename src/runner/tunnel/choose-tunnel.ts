import { cloudflaredProvider, findCloudflared } from './cloudflared.js';
import type { TunnelKind, TunnelProvider } from './contract.js';
import { localtunnelProvider } from './localtunnel.js';
import { loadNgrok, type NgrokModule, ngrokProvider } from './ngrok.js';

export interface TunnelChoice {
  /** `auto` takes the best provider that needs no question to the user. */
  readonly kind: TunnelKind | 'auto';
  /** Origin of the localtunnel server. */
  readonly server?: string | undefined;
  readonly ngrokAuthtoken?: string | undefined;
  /** Environment of a tunnel program; its `PATH` says where programs are. */
  readonly environment: Readonly<Record<string, string>>;
  /** Default: imports the package. */
  readonly loadNgrok?: () => Promise<NgrokModule>;
}

/**
 * Chooses the provider of the public name. With `auto`: ngrok when its token is set and its package installed, else cloudflared
 * when it is on the `PATH`, else localtunnel.
 */
export async function chooseTunnel(choice: TunnelChoice): Promise<TunnelProvider> {
  const { environment, server, ngrokAuthtoken: authtoken, loadNgrok: load = loadNgrok } = choice;
  switch (choice.kind === 'auto' ? await bestKind(choice, load) : choice.kind) {
    case 'ngrok':
      return ngrokProvider({ authtoken, load });
    case 'cloudflared':
      return cloudflaredProvider({ environment });
    case 'localtunnel':
      return localtunnelProvider({ server });
  }
}

async function bestKind(
  { environment, ngrokAuthtoken }: TunnelChoice,
  load: () => Promise<NgrokModule>,
): Promise<TunnelKind> {
  const isLoaded = async () => load().then(Boolean, () => false);
  if (ngrokAuthtoken !== undefined && (await isLoaded())) return 'ngrok';
  return findCloudflared(environment.PATH) ? 'cloudflared' : 'localtunnel';
}
