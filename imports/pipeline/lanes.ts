/** Groups records into lanes: those stored together, as events or as series. (docs/decisions/0019-imports.md) */
import { positionStream } from '../formats/track-writer.js'
import type { ImportedRecord } from '../record.js'
import type { CountedLane, LaneForm, Lane, ContentSample, StreamDraft } from '../protocol.js'
import { getLaneKey, isNumericContent, minDensePerDay, secondsPerDay } from './lane-key.js'
import { getReportedKey, type LanePaths } from './lane-paths.js'
import { Sampler } from './sampler.js'

/** Maximum number of tracks per file, as each has a lane. */
const maxTracks = 200_000
/** Maximum number of lanes per file other than tracks, as each lane creates streams. */
const maxLanes = 2000

export interface OpenLane extends Omit<CountedLane, keyof ContentSample> {
  readonly contents: Sampler
  /** Set once all records have been counted. */
  form?: LaneForm
  /** The streams of the lane; `null` if the lane is excluded. Set when its form is chosen. */
  streams?: readonly StreamDraft[] | null
  description?: string | undefined
  count: number
  from: number
  to: number
}

/** The lanes of one file. */
export class Lanes {
  readonly #lanes = new Map<string, OpenLane>()
  /** Samples by the key under which lanes are reported. */
  readonly #samplers = new Map<string, Sampler>()
  #tracks = 0
  /** The previous record and its lane: consecutive records usually share a lane. */
  #last: { readonly record: ImportedRecord; readonly lane: OpenLane } | undefined

  /** Restores the lanes of an earlier reading. */
  static restore(toCountedLanes: readonly CountedLane[]): Lanes {
    const lanes = new Lanes()
    for (const lane of toCountedLanes) {
      const { example: _example, max: _max, min: _min, ...open } = lane
      lanes.#lanes.set(lane.key, { ...open, contents: lanes.#getSampler(lane, lane) })
      if (lane.isTrack) lanes.#tracks++
    }
    return lanes
  }

  /** Returns what {@link Lanes.restore} restores; `undefined` if there are more than `maxCount` lanes. */
  toCountedLanes(maxCount: number): CountedLane[] | undefined {
    if (this.#lanes.size > maxCount) return undefined
    return [...this.#lanes.values()].map(({ contents, form: _form, streams: _streams, ...lane }) => ({
      ...lane,
      ...contents.sample
    }))
  }

  /** Returns the lane of a record, created if necessary; `undefined` if there are too many. */
  ensureLane(format: string, record: ImportedRecord): OpenLane | undefined {
    const last = this.#last
    if (
      last &&
      last.record.type === record.type &&
      last.record.source === record.source &&
      last.record.stream === record.stream &&
      last.record.track === record.track &&
      last.record.path === record.path &&
      last.record.isEvent === record.isEvent &&
      last.lane.format === format
    )
      return last.lane
    const key = getLaneKey(format, record)
    let lane = this.#lanes.get(key)
    if (!lane) {
      const { description, marks, path, source, stream, track, type } = record
      const isTrack = track !== undefined
      if (isTrack ? this.#tracks >= maxTracks : this.#lanes.size - this.#tracks >= maxLanes) return undefined
      if (isTrack) this.#tracks++
      const mayBeSeries = isTrack || (!record.isEvent && isNumericContent(record.content))
      lane = {
        key,
        format,
        stream,
        path,
        marks,
        source,
        type,
        mayBeSeries,
        isTrack,
        description: isTrack ? description : undefined,
        contents: this.#getSampler({ key, isTrack }),
        count: 0,
        from: Infinity,
        to: -Infinity
      }
      this.#lanes.set(key, lane)
    }
    this.#last = { record, lane }
    return lane
  }

  /**
   * Gives the tracks that a record is about its description. Their positions have been added before it.
   * Ignored without a description.
   */
  describeTracks(format: string, { describedTracks = [], description, source }: ImportedRecord): void {
    if (description === undefined) return
    for (const track of describedTracks) {
      const positions = { source, type: 'position/wgs84', stream: positionStream, track }
      const lane = this.#lanes.get(getLaneKey(format, positions))
      if (lane) lane.description = description
    }
  }

  /** Returns the lane with a key; `undefined` if there is none. */
  find(key: string): OpenLane | undefined {
    return this.#lanes.get(key)
  }

  /**
   * Lists the lanes as they are reported, with the current form and the streams of each. A lane that had a form in an earlier
   * attempt keeps it.
   */
  list(forms: Readonly<Record<string, LaneForm>>, paths: LanePaths): Lane[] {
    const lanes = new Map<string, Lane>()
    for (const lane of this.#lanes.values()) {
      const { contents, count, format, from, key, source, stream, to, type } = lane
      const reportKey = getReportedKey(lane)
      const existing = lanes.get(reportKey)
      const choice = paths.getChoice(lane)
      lanes.set(reportKey, {
        key: reportKey,
        format,
        stream,
        source,
        type,
        form: this.getForm(key, forms),
        count: count + (existing?.count ?? 0),
        from: Math.min(from, existing?.from ?? Infinity),
        to: Math.max(to, existing?.to ?? -Infinity),
        path: existing?.path ?? paths.getLanePath(lane),
        ...(choice && { choice }),
        ...contents.sample
      })
    }
    return [...lanes.values()]
  }

  #getSampler(lane: Pick<OpenLane, 'isTrack' | 'key'>, previous?: ContentSample): Sampler {
    const key = getReportedKey(lane)
    let contents = this.#samplers.get(key)
    if (!contents) this.#samplers.set(key, (contents = new Sampler(previous)))
    return contents
  }

  /**
   * Returns the form of a lane: the form that it had before; for other lanes, `series` if it is dense. A lane
   * whose contents are not numeric has `events`, a track `series`. Throws if there is no such lane.
   */
  getForm(key: string, forms: Readonly<Record<string, LaneForm>>): LaneForm {
    const lane = this.#lanes.get(key)!
    if (!lane.mayBeSeries) return 'events'
    if (lane.isTrack) return 'series'
    const days = Math.max(1, (lane.to - lane.from) / secondsPerDay)
    return forms[key] ?? (lane.count / days > minDensePerDay ? 'series' : 'events')
  }
}
