import { useEffect, useRef } from 'preact/hooks';
import type { Handset } from './handset.js';

const EVERY_MS = 60;
/** Quieter than this shows as nothing, in dBFS. */
const LEAST_DB = -60;

/** How loud the caller is. */
export function LevelMeter({ phone, isOn }: { phone: Handset; isOn: boolean }) {
  const meter = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (meter.current) meter.current.value = Math.max(LEAST_DB, phone.levelDb);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [phone, isOn]);
  return <meter ref={meter} class="level" min={LEAST_DB} max={0} value={LEAST_DB} aria-label="How loud you are" />;
}
