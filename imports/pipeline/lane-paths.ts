/** Determines the streams in which the records of lanes are stored. (docs/api/imports.md#choosing-where-data-goes) */
import type { CountedLane, LaneChoice, StreamDraft } from '../protocol.js'
import type { StreamMarks } from '../record.js'
import type { RecordIds } from './record-ids.js'

/** Mark of streams that belong to no measure: `noMeasure` in `schemas/measures/measure.ts`. */
const noMeasure = ':none'

type PlacedLane = Pick<CountedLane, 'format' | 'isTrack' | 'key' | 'marks' | 'path' | 'source' | 'stream'>

export class LanePaths {
  constructor(
    private readonly ids: RecordIds,
    private readonly choices: Readonly<Record<string, LaneChoice>>,
    private readonly getFormatName: (format: string) => string
  ) {}

  /** Returns what the user has chosen for a lane. Returns `undefined` if the user has chosen nothing. */
  getChoice(lane: Pick<CountedLane, 'isTrack' | 'key'>): LaneChoice | undefined {
    const key = getReportedKey(lane)
    return Object.hasOwn(this.choices, key) ? this.choices[key] : undefined
  }

  /** Returns the streams from the format's stream down to the stream of a lane, or only the stream that the user has chosen. */
  getLanePath(lane: PlacedLane): readonly StreamDraft[] {
    const choice = this.getChoice(lane)
    if (choice?.streamId !== undefined) return [{ id: choice.streamId, name: '', isChosen: true }]
    const { format, marks, path, source, stream } = lane
    const names = this.getPath(format, path, stream, source, marks)
    if (choice?.measure === undefined) return names
    // A stream of its own, so that streams of earlier imports stay what they are.
    const measure = choice.measure ?? noMeasure
    const last = { id: this.ids.getMeasureStreamId(format, measure, lane), name: names.at(-1)!.name, measure }
    return [...names.slice(0, -1), last]
  }

  /**
   * Returns the streams with these names on a path below the format's stream, which comes first. Their ids are derived from
   * their names.
   */
  getPath(
    format: string,
    parents: readonly string[] = [],
    stream: string,
    source: string,
    marks?: StreamMarks
  ): readonly StreamDraft[] {
    return this.ids.getPath(
      { id: format, name: this.getFormatName(format) },
      { marks, path: parents, stream, source }
    )
  }
}

/** Returns the key under which a lane is reported: all tracks of one kind share a key. */
export function getReportedKey({ isTrack, key }: Pick<CountedLane, 'isTrack' | 'key'>): string {
  return isTrack ? key.split('\n', 4).join('\n') : key
}
