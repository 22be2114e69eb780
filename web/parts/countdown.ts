/** A countdown in seconds. */
import { useEffect, useState } from 'preact/hooks'

/** Returns the whole seconds until `at` (milliseconds); 0 when it has passed. */
export function useCountdown(at: number | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  const left = at === undefined ? 0 : Math.max(0, Math.ceil((at - now) / 1000))
  useEffect(() => {
    if (at === undefined) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 250)
    const end = setTimeout(() => clearInterval(timer), at - Date.now() + 1000)
    return () => {
      clearInterval(timer)
      clearTimeout(end)
    }
  }, [at])
  return left
}
