/** Runs along the lake: an activity event, and the track. */
import type { Day, Plan, Run } from './days.js'
import { createEvent, type EventParams, type SeriesData } from './event-params.js'
import { holidayLake, homeLake } from './lake.js'
import { Random, roundTo } from './random.js'

/** A run as a running app reports it. */
interface RecordedRun {
  readonly activity: EventParams
  readonly track: SeriesData
}

/** Seconds between two positions. */
const interval = 3

/** Returns the run of a day; `undefined` if the person did not run or did not wear the watch. */
export function recordRun(plan: Plan, day: Day): RecordedRun | undefined {
  const { run } = day
  if (!run || day.isUnworn) return undefined
  const kilometres = roundTo(run.metres / 1000, 1)
  const duration = run.to - run.from
  const description = `${kilometres} km along the lake, ${formatPace(run)} a kilometre`
  return {
    activity: createEvent(day, 'runs', 'activity/plain', run.from, { duration, description }),
    track: {
      fact: createEvent(day, 'runs', 'series:position/wgs84', run.from, {
        description: `${kilometres} km track`
      }),
      fields: ['deltaTime', 'latitude', 'longitude', 'altitude', 'speed'],
      points: createTrack(plan, day, run)
    }
  }
}

/** Creates the points of a run: seconds from its start, latitude, longitude, altitude (m) and speed (m/s). */
function createTrack({ seed }: Plan, day: Day, { from, metres, to }: Run): number[][] {
  const random = new Random(seed, day.number, 'track')
  const lake = day.isAway ? holidayLake : homeLake
  const averageSpeed = metres / (to - from)
  const points: number[][] = []
  let [distance, north, east] = [0, 0, 0]
  for (let time = 0; time <= to - from; time += interval) {
    const speed = averageSpeed * (1 + 0.06 * Math.sin(time / 140) + random.normal(0, 0.03))
    // GPS receivers err in the same direction for a while.
    north = north * 0.9 + random.normal(0, 0.8)
    east = east * 0.9 + random.normal(0, 0.8)
    const { altitude, latitude, longitude } = lake.offset(lake.getPosition(distance), north, east)
    points.push([
      time,
      roundTo(latitude, 6),
      roundTo(longitude, 6),
      roundTo(altitude + random.normal(0, 0.6), 1),
      roundTo(speed, 2)
    ])
    distance += speed * interval
  }
  return points
}

function formatPace({ from, metres, to }: Run): string {
  const seconds = Math.round((to - from) / (metres / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}
