/** The person's places, the climate of a room, and medication. */
import { homeZone, type Day, type Plan } from './days.js'
import { createEvent, type EventParams } from './event-params.js'
import { tabletsBegin } from './body.js'
import { holidayLake, homeLake, type Lake } from './lake.js'
import { Random, roundTo } from './random.js'

const [hour, minute] = [3600, 60]

/** A place, relative to the path along the lake. */
interface Spot {
  readonly name: string
  /** Metres along the shore, then north and east of it. */
  readonly at: readonly [along: number, north: number, east: number]
}

const home: Spot = { name: 'Home', at: [0, -180, 240] }
const office: Spot = { name: 'Office', at: [2600, 2900, 1400] }
const errands: readonly Spot[] = [
  { name: 'Supermarket', at: [700, 350, 120] },
  { name: 'Library', at: [1200, 420, -90] },
  { name: 'Café by the jetty', at: [300, 25, 10] },
  { name: 'Market square', at: [1000, 260, 60] },
  { name: 'Swimming pool', at: [2100, 480, 300] }
]
const outings: readonly Spot[] = [
  { name: 'Parents', at: [4100, -5200, 3100] },
  { name: 'Forest path', at: [3300, -1900, -700] },
  { name: 'Cinema', at: [1500, 900, 200] },
  { name: 'Anna and Luc', at: [5200, 700, -1600] },
  { name: 'Allotment', at: [3900, -600, -250] }
]
const faraway: readonly Spot[] = [
  { name: 'Inn', at: [0, 120, 60] },
  { name: 'Temple', at: [1700, 900, -400] },
  { name: 'Hot spring', at: [2600, 1500, 700] },
  { name: 'Noodle shop', at: [500, 90, 30] },
  { name: 'Viewpoint', at: [3800, -1300, 900] },
  { name: 'Railway station', at: [900, 600, 1100] }
]

/** Returns the places of a day, with the time spent there. */
export function createPlaceEvents({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'places')
  const stay = (spot: Spot, hours: number, length: number): EventParams => {
    const lake = day.isAway ? holidayLake : homeLake
    const time = day.from + (hours + random.between(-0.2, 0.2)) * hour
    const duration = Math.round(length * hour + random.between(-8, 8) * minute)
    const placed = { content: getPosition(lake, spot), description: spot.name, duration }
    return createEvent(day, 'places', 'position/wgs84', time, placed)
  }
  if (day.isAway)
    return [9.5, 13, 16.5].filter(() => random.chance(0.8)).map(at => stay(random.pick(faraway), at, 2.2))
  if (day.illness > 0) return [stay(home, 0.5, 22.5)]
  if (day.isWeekend) {
    const facts = random.chance(0.7) ? [stay(random.pick(errands), 11, 1)] : []
    return random.chance(0.75) ? [...facts, stay(random.pick(outings), 14.5, 3.5)] : facts
  }
  const facts = [random.chance(0.65) ? stay(office, 8.6, 8.6) : stay(home, 8, 9)]
  return random.chance(0.45) ? [...facts, stay(random.pick(errands), 18.1, 0.6)] : facts
}

/** Returns the hourly temperature and humidity of the living room. The sensor stays at home. */
export function createRoomEvents({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'room')
  // Outside temperature: lowest in the middle of January.
  const season = -Math.cos(((day.number - 14) / 365.25) * 2 * Math.PI)
  const facts: EventParams[] = []
  const atHome = { ...day, zone: homeZone }
  for (let time = day.from; time < day.to; time += hour) {
    const hours = (time - day.from) / hour
    const heating = day.isAway ? -2.6 : hours < 6 ? -1.4 : 0
    const degrees = 21.2 + 2.1 * season + 0.8 * Math.sin(((hours - 10) / 24) * 2 * Math.PI) + heating
    const percent = 46 + 8 * season + (day.isAway ? -4 : 3 * Math.sin(hours / 3))
    facts.push(
      createEvent(atHome, 'room-temperature', 'temperature/c', time, {
        content: roundTo(random.normal(degrees, 0.15), 1)
      }),
      createEvent(atHome, 'room-humidity', 'ratio/percent', time, {
        content: Math.round(random.normal(percent, 1.2))
      })
    )
  }
  return facts
}

/** Returns the tablets taken on a day: prescribed tablets, and further ones during a cold. */
export function createMedicationEvents({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'medication')
  const taken = (name: string, milligrams: number, hours: number): EventParams => {
    const time = day.night.to + hours * hour + random.between(0, 20) * minute
    return createEvent(day, 'medication', 'mass/mg', time, { content: milligrams, description: name })
  }
  const facts = day.ago <= tabletsBegin && random.chance(0.93) ? [taken('Ramipril', 2.5, 0.4)] : []
  if (day.illness >= 0.6) facts.push(taken('Paracetamol', 500, 1), taken('Paracetamol', 500, 10))
  return facts
}

function getPosition(lake: Lake, { at: [along, north, east] }: Spot): object {
  const { altitude, latitude, longitude } = lake.offset(lake.getPosition(along), north, east)
  return { latitude: roundTo(latitude, 6), longitude: roundTo(longitude, 6), altitude: Math.round(altitude) }
}
