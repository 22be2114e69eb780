/** The tree of streams as indented options of a select. */
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'

interface Props {
  readonly chosen?: string | undefined
  /** Ids of excluded streams; the streams below them are included. */
  readonly without?: readonly string[]
  /** Whether the streams below them are excluded, too. */
  readonly isWholly?: boolean
}

/**
 * Renders the options, without trashed streams unless chosen. `without` omits streams, and with `isWholly`
 * also those below them.
 */
export function StreamOptions({ chosen, without = [], isWholly = false }: Props) {
  const tree = useStore(useAccount().tree)
  const option = (stream: Stream, depth: number) => {
    const isLeftOut = without.includes(stream.id)
    if ((stream.trashed && stream.id !== chosen) || (isLeftOut && isWholly)) return []
    const own = (
      <option key={stream.id} value={stream.id} selected={stream.id === chosen}>
        {`${'\u00a0\u00a0\u00a0'.repeat(depth)}${toPlainText(stream.name)}`}
      </option>
    )
    const below: preact.JSX.Element[] = stream.children.flatMap(child => option(child, depth + 1))
    return isLeftOut ? below : [own, ...below]
  }
  return <>{tree?.roots.flatMap(root => option(root, 0))}</>
}
