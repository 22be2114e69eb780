/** The name and icon of what has arrived: those of its measure, or the name of its kind. */
import { useEffect, useState } from 'preact/hooks'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { getStreamColour } from '../data/stream-colours.js'
import { MeasureIcon } from '../parts/measure-icon.js'
import type { Arrived } from './arrived.js'

/** Shows the icon and name; the name of the stream while the measure is unknown or unread. */
export function ArrivedName({ arrived: { measure: id, streamId } }: { readonly arrived: Arrived }) {
  const { measures, tree: store } = useAccount()
  const tree = useStore(store)
  const [measure, setMeasure] = useState<AnyMeasure | undefined>(id === undefined ? id : measures.find(id))
  useEffect(() => {
    let isGone = false
    if (id !== undefined)
      measures.read([id]).then(
        ([read]) => {
          if (!isGone) setMeasure(read)
        },
        // The name of the stream is shown instead.
        () => undefined
      )
    return () => {
      isGone = true
    }
  }, [measures, id])
  const stream = tree?.find(streamId)
  // Below a kind of data stands one stream for each source.
  const kind = tree?.getPath(streamId).at(-2) ?? stream
  return (
    <span class="kind">
      {measure ? (
        <MeasureIcon icon={measure.icon} hue={measure.hue} />
      ) : (
        <i class="dot" style={{ '--c': stream && getStreamColour(stream) }} />
      )}
      {measure ? getMeasureName(measure) : toPlainText(kind?.name ?? '')}
    </span>
  )
}
