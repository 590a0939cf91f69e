import type { ServiceKind, ServiceModel, ServiceName } from '../../call/service-name.js';

/** One of a list. */
export interface ListedService extends ServiceModel {
  /** Of the address where it is asked, such as `api.eu.example.com`; undefined where that is not known. */
  readonly host?: string | undefined;
}

/**
 * By which names the services of a list are known to be well or not. Two of the same vendor and model are told apart by the hosts that
 * are asked, and where those are the same, too, by their places in the list: another key may do where one does not.
 */
export function listedNames(does: ServiceKind, list: readonly ListedService[]): readonly ServiceName[] {
  return list.map(({ provider, model, host }, index) => {
    const same = list.filter((other) => other.provider === provider && other.model === model);
    if (same.length === 1) return { does, provider, model };
    const isOnly = host !== undefined && same.filter((other) => other.host === host).length === 1;
    return { does, provider, model, which: isOnly ? host : [host, `number ${index + 1}`].filter(Boolean).join(' ') };
  });
}

/** Whose a service is, and nothing else of it. */
export const modelOf = ({ provider, model }: ServiceModel): ServiceModel => ({ provider, model });

/** By which name one of a list is known. */
export type NameOf<Service> = (service: Service) => ServiceName;

export function namesOf<Service extends ListedService>(does: ServiceKind, list: readonly Service[]): NameOf<Service> {
  const names = listedNames(does, list);
  return (service) => names[list.indexOf(service)] as ServiceName;
}

/** The host of an address, never what else that holds. */
export const hostOf = (url: unknown): string | undefined =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined;
