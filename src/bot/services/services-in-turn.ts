import type { ServiceKind } from '../../call/service-name.js';
import { type ListedService, type NameOf, namesOf } from './listed-names.js';
import { type ServiceHealth, sharedHealth } from './service-health.js';

/** One of a list, and what it speaks or understands, a BCP 47 tag; undefined: any language, or it is not known. */
type ServiceInTurn = ListedService & { readonly language?: string | undefined };

/** Ears or voices of several vendors, in the shape of one: those that work are asked, the earlier in the list first. */
export abstract class ServicesInTurn<Source extends ServiceInTurn> {
  protected readonly nameOf: NameOf<Source>;

  /**
   * @param sources two or more, those that are asked first at the beginning
   * @param probe rejects while one of them does not work
   */
  constructor(
    does: ServiceKind,
    protected readonly sources: readonly Source[],
    probe: (source: Source) => Promise<void>,
    protected readonly health: ServiceHealth = sharedHealth,
  ) {
    this.nameOf = namesOf(does, sources);
    for (const source of sources) health.probeWith(this.nameOf(source), () => probe(source));
  }

  /** The one that would be asked now. */
  protected get first(): Source {
    return this.health.inOrder(this.sources, this.nameOf)[0] as Source;
  }

  get provider(): string {
    return this.first.provider;
  }

  get model(): string | undefined {
    return this.first.model;
  }

  get language(): string | undefined {
    return this.first.language;
  }
}
