/** Pairs of fields of a body that are one value: a position, a blood pressure. */
import { toItemPointer, type BodyField } from './body-fields.js'

/** What a field of a pair may mean; the member of the content has the same name. */
export const pairRoles = ['latitude', 'longitude', 'systolic', 'diastolic'] as const
type PairRole = (typeof pairRoles)[number]

interface Pair {
  /** Id of its measure. */
  readonly measure: string
  readonly type: string
  /** The roles of its fields, with the names that fields usually have. */
  readonly members: readonly (readonly [PairRole, RegExp])[]
}

export const pairs: readonly Pair[] = [
  {
    measure: 'position',
    type: 'position/wgs84',
    members: [
      ['latitude', /^(?:gps_?)?lat(?:itude)?$|^breite(?:ngrad)?$/i],
      ['longitude', /^(?:gps_?)?(?:lon|lng|long|longitude)$|^länge(?:ngrad)?$/i]
    ]
  },
  {
    measure: 'blood-pressure',
    type: 'blood-pressure/mmhg-bpm',
    members: [
      ['systolic', /^sys(?:$|[._-]|tol)/i],
      ['diastolic', /^dia(?:$|[._-]|stol)/i]
    ]
  }
]

/**
 * Returns the fields of each pair whose names are usual, by role. Pairs of which a field is missing are
 * skipped.
 */
export function guessPairs(fields: readonly BodyField[]): readonly (readonly [PairRole, BodyField])[] {
  return pairs.flatMap(({ members }) => {
    const found = members.flatMap(([role, names]) => {
      const field = fields.find(({ name }) => names.test(name))
      return field ? [[role, field] as const] : []
    })
    return found.length === members.length ? found : []
  })
}

/**
 * Returns the pointers of a pair from an item, by role. `roles`: those of fields, by pointer. Missing members
 * are left undefined.
 */
export function findMembers(
  { members }: Pair,
  roles: Readonly<Record<string, string>>,
  list: string | undefined
): Readonly<Partial<Record<PairRole, string>>> {
  return Object.fromEntries(
    members.flatMap(([role]) => {
      const found = Object.keys(roles).find(pointer => roles[pointer] === role)
      const pointer = found === undefined ? undefined : toItemPointer(found, list)
      return pointer === undefined ? [] : [[role, pointer]]
    })
  )
}

/** Returns the role that is missing from a pair of which the other one is chosen; undefined if there is none. */
export function findMissing(
  roles: Readonly<Record<string, string>>,
  list: string | undefined
): PairRole | undefined {
  for (const pair of pairs) {
    const found = findMembers(pair, roles, list)
    const missing = pair.members.find(([role]) => found[role] === undefined)
    if (missing && Object.keys(found).length > 0) return missing[0]
  }
  return undefined
}
