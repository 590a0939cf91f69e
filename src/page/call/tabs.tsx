import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Guarded } from '../parts/guarded.js';

/** One of several panels, chosen by the row of tabs above it; the arrow keys go from tab to tab. */
export function Tabs({ tabs }: { tabs: Readonly<Record<string, () => ComponentChildren>> }) {
  const names = Object.keys(tabs);
  const [chosen, choose] = useState(names[0] as string);
  const list = useRef<HTMLDivElement>(null);
  const go = (index: number) => {
    const at = (index + names.length) % names.length;
    choose(names[at] as string);
    list.current?.querySelectorAll('button')[at]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const index = names.indexOf(chosen);
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  return (
    <>
      <div class="tabs" role="tablist" ref={list} onKeyDown={onKeyDown}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === chosen}
            aria-controls={`panel-${name}`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`panel-${chosen}`} aria-labelledby={`tab-${chosen}`}>
        <Guarded key={chosen}>{tabs[chosen]?.()}</Guarded>
      </div>
    </>
  );
}
