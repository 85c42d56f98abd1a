import { useEffect, useState } from "preact/hooks";

/** The time, renewed every half minute, so that "5 minutes ago" stays true. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
