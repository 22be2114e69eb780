/** How many rules, reminders, forms or channels an account can have, and how many of them apps and other people can take. */
import type { Call } from '../call/method.js'
import { ApiError } from '../errors.js'

/** What an account can have. */
interface Room {
  /** Plural, for the message: `rules`. */
  readonly name: string
  /** Of the account, and of one access that is not personal. All of these together can have half of the account's. */
  readonly max: number
  readonly maxOwn: number
}

/** Thrown if there is no room for one more: `invalid-operation`. */
export class NoRoom extends ApiError {
  constructor(message: string) {
    super('invalid-operation', message)
  }
}

/**
 * Checks that the caller can add one more. Apps cannot take what the user needs. `creators`: the access of each that the account
 * has. Error: `invalid-operation`.
 */
export function assertRoom(
  { caller, store }: Pick<Call, 'caller' | 'store'>,
  { max, maxOwn, name }: Room,
  creators: readonly string[]
): void {
  if (creators.length >= max) throw new NoRoom(`An account can have at most ${max} ${name}`)
  if (caller.isPersonal) return
  const own = creators.filter(id => id === caller.accessId)
  if (own.length >= maxOwn) throw new NoRoom(`An access can have at most ${maxOwn} ${name}`)
  const others = creators.filter(id => store.accesses.findEver(id)?.type !== 'personal')
  if (others.length >= max / 2)
    throw new NoRoom(`Apps and other people can have at most ${max / 2} ${name} together`)
}
