/** Colours of streams, from the palette of `style.css`, which stays distinguishable with colour blindness. */
import type { Stream } from './model.js'

export const palette = ['heart', 'weight', 'pressure', 'sleep', 'notes', 'places', 'slate', 'rose'] as const
type Colour = (typeof palette)[number]

/** Key in a stream's `clientData` of the colour that the user has chosen. */
export const colourKey = 'coffer:colour'

/** Default colours by words in names and ids. */
const hints: readonly (readonly [RegExp, Colour])[] = [
  [/heart|pulse|cardi|puls|herz|cœur/i, 'heart'],
  [/weight|mass|body|gewicht|poids/i, 'weight'],
  [/pressure|blood|druck|tension/i, 'pressure'],
  [/sleep|schlaf|sommeil/i, 'sleep'],
  [/note|diary|mood|photo|tagebuch|journal/i, 'notes'],
  [/place|position|track|run|map|ort|lieu/i, 'places']
]

/** Returns the CSS value of a stream's colour. */
export function getStreamColour({
  id,
  name,
  clientData
}: Pick<Stream, 'id' | 'name' | 'clientData'>): string {
  return `var(--${chooseColour({ id, name, ...(clientData ? { clientData } : {}) })})`
}

function chooseColour({ id, name, clientData }: Pick<Stream, 'id' | 'name' | 'clientData'>): Colour {
  const chosen = clientData?.[colourKey]
  const own = palette.find(each => each === chosen)
  if (own) return own
  const match = hints.find(([pattern]) => pattern.test(`${id} ${name}`))
  if (match) return match[1]
  let sum = 0
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 9973
  return palette[sum % palette.length]!
}
