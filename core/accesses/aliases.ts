/** Random names that stand for the user name in everything that the holder of an access sees. (docs/spec/usernames.md#aliases) */
import { randomInt } from 'node:crypto'
import { aliasField, type Access } from '../../schemas/access.js'
import type { Call } from '../call/method.js'

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The aliases chosen for calls: a transaction is repeated once its alias has been reserved. */
const chosen = new WeakMap<object, string>()

/**
 * Claims an alias for the access that a call creates: the same one if the transaction is repeated with these
 * `params`. Must run within a transaction.
 */
export function claimAlias({ services, store }: Call, params: object): string {
  for (;;) {
    const alias = chosen.get(params) ?? createAlias(name => services.platform.usernames.isTaken(name))
    if (store.unique.claim(aliasField, alias)) {
      chosen.set(params, alias)
      return alias
    }
    chosen.delete(params)
  }
}

/** Releases the alias of an access that ends. Must run within a transaction. */
export function releaseAlias({ store }: Pick<Call, 'store'>, { alias }: Access): void {
  if (alias !== undefined) store.unique.release(aliasField, alias)
}

/** Creates an alias that is free. */
export function createAlias(isTaken: (name: string) => boolean): string {
  for (;;) {
    const alias = `r-${Array.from({ length: 8 }, () => characters[randomInt(characters.length)]).join('')}`
    if (!isTaken(alias)) return alias
  }
}
