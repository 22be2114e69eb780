/** When effects of views run. */
import { options } from 'preact'

/**
 * Makes effects run as soon as a view is rendered. Preact would wait for the next frame: until then, what is on the page would not listen
 * for keys, and what has left it would still move the focus. For the entry points.
 */
export function runEffectsAtOnce(): void {
  options.requestAnimationFrame = queueMicrotask
}
