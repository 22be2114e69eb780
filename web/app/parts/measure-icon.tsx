/** The icon of a measure, in the colour of its hue. Icons are loaded when the first one is shown. */
import { createStore, useStore } from '../data/store.js'
import { getMeasureColour } from '../data/measures.js'

interface Props {
  /** Name of a Lucide icon. Others get a neutral one. */
  readonly icon: string
  /** In degrees, as in the catalogue. */
  readonly hue: number
}

const loadedPaths = createStore<Readonly<Record<string, string>> | undefined>(undefined)
let isLoading = false

/** Shown for names that are no icons: a circle. */
const neutral = 'M4 12a8 8 0 1 0 16 0a8 8 0 1 0-16 0'

/** An icon beside the name of the measure: hidden from screen readers. */
export function MeasureIcon({ icon, hue }: Props) {
  const paths = useStore(loadedPaths)
  if (!isLoading) {
    isLoading = true
    import('../data/measure-icons.js').then(
      module => loadedPaths.set(module.paths),
      // Without icons, names suffice. The next one that is shown tries again.
      () => (isLoading = false)
    )
  }
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" style={{ color: getMeasureColour({ hue }) }}>
      {paths && <path d={Object.hasOwn(paths, icon) ? paths[icon]! : neutral} />}
    </svg>
  )
}
